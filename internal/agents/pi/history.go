package pi

import (
	"context"
	"iter"

	"github.com/sess-tools/sess/internal/agents/sqldb"
	"github.com/sess-tools/sess/pkg/js"
)

// A Prompt is a row of the database in which oh-my-pi keeps what was typed into it, history.db: a
// prompt, and when and where it was last submitted.
type Prompt struct {
	Text    string
	Time    int64  // seconds since the epoch
	CWD     string // "" if unknown
	Session string // its id, "" if unknown
}

// Prompts iterates over the prompts of the database at path, the newest first. oh-my-pi may run
// meanwhile. The error of a database of another layout matches [sqldb.ErrSchema].
func Prompts(ctx context.Context, path string) iter.Seq2[Prompt, error] {
	return func(yield func(Prompt, error) bool) {
		db, err := sqldb.Open(ctx, path)
		if err != nil {
			yield(Prompt{}, err)
			return
		}
		defer db.Close()
		stopped, err := readPrompts(ctx, db, func(p Prompt) bool { return yield(p, nil) })
		if err == nil && !stopped {
			err = db.Verify()
		}
		if err != nil {
			yield(Prompt{}, err)
		}
	}
}

func readPrompts(ctx context.Context, db *sqldb.DB, visit func(Prompt) bool) (stopped bool, err error) {
	schema, err := db.Schema(ctx)
	if err != nil {
		return false, err
	}
	if err := db.Require(ctx, sqldb.Schema{"history": {"id", "prompt", "created_at", "cwd"}}); err != nil {
		return false, err
	}
	session := "NULL" // as before there was such a column
	if schema.Has("history", "session_id") {
		session = "session_id"
	}
	var text, cwd, id sqldb.Text
	var seconds int64
	for err := range db.Rows(ctx, []any{&text, &seconds, &cwd, &id},
		`SELECT prompt, CAST(created_at AS INTEGER), cwd, `+session+` FROM history WHERE prompt <> '' AND created_at IS NOT NULL ORDER BY created_at DESC, id DESC`) {
		if err != nil {
			return false, err
		}
		if !visit(Prompt{Text: js.ValidText(string(text)), Time: seconds, CWD: js.ValidText(string(cwd)), Session: js.ValidText(string(id))}) {
			return true, nil
		}
	}
	return false, nil
}
