package gitleaks

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/lucasjones/reggen"
	"github.com/zricethezav/gitleaks/v8/config"
	"github.com/zricethezav/gitleaks/v8/detect"
	"github.com/zricethezav/gitleaks/v8/report"

	"github.com/sess-tools/sess/internal/core/secret"
)

// sessions is how many sessions are generated. A flag would keep go test from keeping the result.
var sessions, _ = strconv.Atoi(cmp.Or(os.Getenv("SESS_SESSIONS"), "300"))

const depth = 5

func detector(t testing.TB) *detect.Detector {
	t.Helper()
	d, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	d.MaxDecodeDepth = depth
	return d
}

func set(t testing.TB) *secret.Set {
	t.Helper()
	s, err := secret.New(secret.Options{Depth: depth})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// missed returns what gitleaks finds in a text and the set does not: by the same rule
// where nothing is encoded, and anything that is left when the findings are cut out.
func missed(d *detect.Detector, s *secret.Set, text string) (list []string, found int) {
	ours := s.FindAll(text)
	for _, f := range detected(d, text) {
		found++
		if len(f.Tags) == 0 && !slices.ContainsFunc(ours, func(o secret.Finding) bool {
			return o.Rule == f.RuleID && strings.Contains(text[o.From:o.To], f.Secret)
		}) {
			list = append(list, f.RuleID)
		}
	}
	if found == 0 {
		return nil, 0
	}
	var b strings.Builder
	done := 0
	for _, f := range s.Find(text) {
		if f.From < done || f.To < f.From || f.To > len(text) {
			return []string{fmt.Sprintf("%v is not in order: %v", f, ours)}, found
		}
		b.WriteString(text[done:f.From] + "[redacted:" + f.Rule + "]")
		done = f.To
	}
	b.WriteString(text[done:])
	for _, f := range detected(d, b.String()) {
		list = append(list, fmt.Sprintf("%s %v is left", f.RuleID, f.Tags))
	}
	return list, found
}

func detected(d *detect.Detector, text string) []report.Finding {
	return slices.DeleteFunc(d.DetectString(text), func(f report.Finding) bool {
		return f.RuleID == secret.GenericRule || f.RuleID == "vault-service-token" && method.MatchString(f.Secret)
	})
}

// method matches what calls a method of s, which gitleaks takes for a token of Vault, and sess-redact leaves.
var method = regexp.MustCompile(`^s\.[a-z]*([A-Z]+[a-z]{3,}[0-9]{0,2})+([A-Z]{1,5}[0-9]{0,2})?$`)

// Nothing that gitleaks finds in a string of the corpus is missed.
func TestCorpus(t *testing.T) {
	d, s := detector(t), set(t)
	texts := 0
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && (e.Name() == ".git" || e.Name() == "tools" || e.Name() == "node_modules") {
			return fs.SkipDir
		}
		if ext := filepath.Ext(path); ext != ".jsonl" && ext != ".md" && ext != ".go" && ext != ".txtar" {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil || len(data) > 4<<20 {
			return err
		}
		for line := range strings.Lines(string(data)) {
			var v any
			if filepath.Ext(path) != ".jsonl" || json.Unmarshal([]byte(line), &v) != nil {
				v = line
			}
			each(v, func(text string) {
				texts++
				if list, _ := missed(d, s, text); len(list) > 0 {
					t.Errorf("%s: missed %v", path, list)
				}
			})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d strings", texts)
	if texts < 10000 {
		t.Error("few strings")
	}
}

// each calls visit for the strings and keys of a JSON value.
func each(v any, visit func(string)) {
	switch v := v.(type) {
	case string:
		visit(v)
	case []any:
		for _, e := range v {
			each(e, visit)
		}
	case map[string]any:
		for k, e := range v {
			visit(k)
			each(e, visit)
		}
	}
}

// Nothing is missed in generated sessions: what the expressions of the rules match, in
// prose, in shell, in JSON and encoded.
func TestGenerated(t *testing.T) {
	d, s := detector(t), set(t)
	rnd := rand.New(rand.NewPCG(1, uint64(sessions)))
	var generators []*reggen.Generator
	for _, id := range slices.Sorted(maps.Keys(d.Config.Rules)) {
		r := d.Config.Rules[id]
		if r.Regex == nil || r.Path != nil || r.RuleID == secret.GenericRule {
			continue
		}
		g, err := reggen.NewGenerator(r.Regex.String())
		if err != nil {
			t.Logf("%s: %v", r.RuleID, err)
			continue
		}
		generators = append(generators, g)
	}
	total, rules := 0, map[string]int{}
	for n := range sessions {
		for range 4 {
			g := generators[rnd.IntN(len(generators))]
			g.SetSeed(int64(rnd.Uint64()))
			text := within(rnd, encode(rnd, g.Generate(40)))
			list, found := missed(d, s, text)
			total += found
			for _, m := range list {
				rules[m]++
				t.Errorf("session %d: missed %s: %q", n, m, text)
			}
		}
	}
	t.Logf("%d findings of gitleaks in %d sessions", total, sessions)
	if total < sessions/2 {
		t.Errorf("gitleaks found only %d", total)
	}
}

func within(rnd *rand.Rand, text string) string {
	frames := []string{"%s", "the key is %s ok", "export X=%s\nPATH=/bin\n", `{"token":"%s"}`, "a\n%s\nb", "'%s'", "日本語 %s ."}
	return fmt.Sprintf(frames[rnd.IntN(len(frames))], text)
}

func encode(rnd *rand.Rand, text string) string {
	for range rnd.IntN(3) {
		switch rnd.IntN(6) {
		case 0:
			text = base64.StdEncoding.EncodeToString([]byte(text))
		case 1:
			text = base64.RawURLEncoding.EncodeToString([]byte(text))
		case 2:
			text = hex.EncodeToString([]byte(text))
		case 3:
			text = url.QueryEscape(text)
		case 4:
			b, _ := json.Marshal(text)
			text = string(b[1 : len(b)-1])
		}
	}
	return text
}

// What is off by default is in the rules of both.
func TestRules(t *testing.T) {
	d, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	s, err := secret.New(secret.Options{Generic: true})
	if err != nil {
		t.Fatal(err)
	}
	ours := s.Rules()
	var rule config.Rule
	for _, rule = range d.Config.Rules {
		if rule.Path == nil && !slices.Contains(ours, rule.RuleID) {
			t.Errorf("no rule %s", rule.RuleID)
		}
	}
}
