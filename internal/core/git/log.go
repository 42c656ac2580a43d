package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/pkg/js"
)

// A Repository is one that is read.
type Repository struct {
	Dir   string   // where git runs
	Trees []string // the directories of all its work trees
	Name  string   // the last element of where it is, without .git
}

// Open finds the repository of a directory.
func Open(ctx context.Context, dir string) (*Repository, error) {
	r := &Repository{Dir: dir}
	text, err := r.output(ctx, nil, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return nil, err
	}
	for item := range strings.SplitSeq(text, "\x00") {
		if tree, ok := strings.CutPrefix(item, "worktree "); ok {
			r.Trees = append(r.Trees, tree)
		}
	}
	if len(r.Trees) == 0 {
		return nil, cli.WithStatus(errors.New("git: it lists no work tree"), cli.ExitUsage)
	}
	r.Name = strings.TrimSuffix(path.Base(r.Trees[0]), ".git")
	if top, err := r.output(ctx, nil, "rev-parse", "--show-toplevel"); err == nil { // a bare one has none
		r.Trees = append(r.Trees, strings.TrimSuffix(top, "\n")) // of a submodule git has listed where its objects are
	}
	return r, nil
}

// output runs a command with ids on its standard input, and returns its output.
func (r *Repository) output(ctx context.Context, ids []string, args ...string) (string, error) {
	out, err := Run(ctx, r.Dir, input(ids), args...)
	if err != nil {
		return "", err
	}
	text, err := whole(out)
	return text, failed(ctx, err)
}

// input has ids a line each.
func input(ids []string) io.Reader {
	if ids == nil {
		return nil
	}
	return strings.NewReader(strings.Join(ids, "\n") + "\n")
}

// failed is an error of git with status 2: those of git itself mean something else.
func failed(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	text := err.Error()
	if err = cli.WithStatus(fmt.Errorf("git: %w", err), cli.ExitUsage); strings.Contains(text, "dubious ownership") {
		_, name, _ := strings.Cut(text, " at ")
		err = cli.WithHint(err, "git config --global --add safe.directory %s, if you trust its owner", name)
	}
	return err
}

// Revision returns the id of the commit that the user named.
func (r *Repository) Revision(ctx context.Context, name string) (string, error) {
	text, err := r.output(ctx, nil, "rev-parse", "--verify", "--end-of-options", name+"^{commit}")
	return strings.TrimSpace(text), err
}

// List returns the ids of the commits that revisions and ranges name, the newest first: at most so many, 0 for all.
func (r *Repository) List(ctx context.Context, most int, names ...string) ([]string, error) {
	return r.revisions(ctx, nil, most, append([]string{"--end-of-options"}, names...)...)
}

// Since returns the ids of commits and of all above them that were committed since a time, in seconds.
func (r *Repository) Since(ctx context.Context, since int64, ids []string) ([]string, error) {
	return r.revisions(ctx, ids, 0, maxAge(since), "--stdin")
}

// Branches returns the ids of the commits of all branches, and of HEAD, that were committed since a time, in seconds, the newest
// first: at most so many, 0 for all.
func (r *Repository) Branches(ctx context.Context, most int, since int64) ([]string, error) {
	return r.revisions(ctx, nil, most, maxAge(since), "--branches", "HEAD")
}

func maxAge(since int64) string { return "--max-age=" + strconv.FormatInt(max(since, 0), 10) }

// revisions runs rev-list.
func (r *Repository) revisions(ctx context.Context, ids []string, most int, args ...string) ([]string, error) {
	command := []string{"rev-list"}
	if most > 0 {
		command = append(command, "--max-count="+strconv.Itoa(most))
	}
	text, err := r.output(ctx, ids, append(command, args...)...)
	return strings.Fields(text), err
}

// A Commit is what there is to know of one but for its lines.
type Commit struct {
	ID, Subject       string
	Parents           []string
	Author, Committed int64       // in seconds since the epoch
	Trailers          [][2]string // name and value
	Noted             []string    // the ids of the sessions that a note names
}

// Commits reads commits, and what the notes of a ref say of them, "" for none.
func (r *Repository) Commits(ctx context.Context, ids []string, notes string) (map[string]*Commit, error) {
	const fields = 7
	all := map[string]*Commit{}
	if len(ids) == 0 {
		return all, nil // else git reads HEAD
	}
	format, flag := "%x00", "--no-notes"
	if notes != "" {
		format, flag = "%x00%N", "--notes="+notes
	}
	text, err := r.output(ctx, ids, "log", "-z", "--no-walk", "--no-color", flag, "--stdin", "--format=%H%x00%P%x00%at%x00%ct%x00%s%x00%(trailers:only,unfold)"+format)
	parts := strings.Split(text, "\x00")
	for ; len(parts) >= fields; parts = parts[fields:] {
		c := &Commit{ID: parts[0], Parents: strings.Fields(parts[1]), Subject: parts[4], Noted: noted(parts[6])}
		c.Author, _ = strconv.ParseInt(parts[2], 10, 64)
		c.Committed, _ = strconv.ParseInt(parts[3], 10, 64)
		for line := range strings.Lines(parts[5]) {
			if name, value, ok := strings.Cut(line, ":"); ok {
				c.Trailers = append(c.Trailers, [2]string{strings.TrimSpace(name), strings.TrimSpace(value)})
			}
		}
		all[c.ID] = c
	}
	return all, err
}

// noted returns the ids of the sessions that a note of the format authorship/3.0.0 names.
func noted(note string) (ids []string) {
	_, data, _ := strings.Cut("\n"+note, "\n---\n")
	if !js.Valid([]byte(data)) {
		return nil
	}
	for _, prompt := range js.Members(string(js.Value(js.Trim(data)).Get("prompts"))) {
		if id := js.Value(prompt).Get("agent_id").Get("id").Str(); id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// Added calls visit for each line that the commits add, but for merges: the commit, the file as it is called then,
// and the line without its end. A commit that git cannot read, as in a partial clone, is left out, and told by the
// error at the end.
func (r *Repository) Added(ctx context.Context, ids []string, visit func(id, file, line string)) error {
	var first error
	for failures := 0; len(ids) > 0 && failures < mostMissing; failures++ {
		out, err := Run(ctx, r.Dir, input(ids), "diff-tree", "--stdin", "-r", "--root", "-p", "-U0", "-M",
			"--no-ext-diff", "--no-textconv", "--no-color", "--src-prefix=a/", "--dst-prefix=b/")
		if err != nil {
			return failed(ctx, err)
		}
		at, err := added(bufio.NewReaderSize(out, 1<<16), ids, visit)
		_ = out.Close()
		switch {
		case err == nil:
			return first
		case ctx.Err() != nil:
			return ctx.Err()
		case first == nil:
			first = failed(ctx, err)
		}
		ids = ids[min(at+1, len(ids)):]
	}
	return first
}

// mostMissing is how many commits may be missing before the rest is given up.
const mostMissing = 50

// added reads what diff-tree prints, and returns the place of the commit that it ended in.
func added(in *bufio.Reader, ids []string, visit func(id, file, line string)) (at int, err error) {
	places := make(map[string]int, len(ids))
	for i, id := range ids {
		places[id] = i
	}
	id, file, old, lines := "", "", 0, 0 // old and lines are how many of the hunk are still to come
	for {
		line, err := in.ReadString('\n')
		if err != nil && line == "" {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return at, err
		}
		line = strings.TrimSuffix(line, "\n")
		switch {
		case lines+old > 0 && strings.HasPrefix(line, "+"):
			lines--
			visit(id, file, strings.TrimSuffix(line[1:], "\r"))
		case lines+old > 0 && strings.HasPrefix(line, "-"):
			old--
		case strings.HasPrefix(line, "+++ "):
			file = strings.TrimPrefix(unquoted(line[4:]), "b/")
		case strings.HasPrefix(line, "@@ -"):
			old, lines = hunk(line)
		default:
			if place, ok := places[line]; ok {
				id, at, file = line, place, ""
			}
		}
	}
}

// hunk returns how many lines of the old and of the new file a hunk has.
func hunk(line string) (old, lines int) {
	count := func(text string) int {
		_, n, ok := strings.Cut(text, ",")
		if !ok {
			return 1
		}
		count, _ := strconv.Atoi(n)
		return count
	}
	if words := strings.Fields(line); len(words) > 2 {
		return count(words[1]), count(words[2])
	}
	return 0, 0
}

// unquoted returns a name as git prints it without its quotes: escapes are as in a string of Go.
func unquoted(name string) string {
	if plain, err := strconv.Unquote(name); err == nil && strings.HasPrefix(name, `"`) {
		return plain
	}
	return strings.TrimSuffix(name, "\t") // which stands behind a name with white space
}

// A Blamed line is one of a file, and where it comes from.
type Blamed struct {
	Commit, File, Text string // File is its name then
}

// Blame returns the lines of a file in a revision.
func (r *Repository) Blame(ctx context.Context, revision, file string) (lines []Blamed, err error) {
	text, err := r.output(ctx, nil, "blame", "--no-textconv", "--porcelain", revision, "--", file)
	if err != nil {
		return nil, err
	}
	names, id := map[string]string{}, ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch name, ok := strings.CutPrefix(line, "filename "); {
		case strings.HasPrefix(line, "\t"):
			lines = append(lines, Blamed{id, names[id], strings.TrimSuffix(line[1:], "\r")})
		case ok:
			names[id] = unquoted(name)
		default:
			if words := strings.Fields(line); len(words) >= 3 && len(words[0]) >= 40 && !strings.Contains(words[0], "-") {
				id = words[0]
			}
		}
	}
	return lines, nil
}
