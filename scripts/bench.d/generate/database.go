package main

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	_ "github.com/sess-tools/sess/internal/agents/sqldb" // the driver
)

// opencodeTables are those of opencode 1.18 that hold sessions, with their columns and indices.
var opencodeTables = []string{
	"CREATE TABLE `project` (`id` text PRIMARY KEY, `worktree` text NOT NULL, `vcs` text, `name` text, `time_created` integer NOT NULL, `time_updated` integer NOT NULL)",
	"CREATE TABLE `session` (`id` text PRIMARY KEY, `project_id` text NOT NULL, `parent_id` text, `slug` text NOT NULL, `directory` text NOT NULL, `title` text NOT NULL, `version` text NOT NULL, `agent` text, `model` text, `cost` real DEFAULT 0 NOT NULL, `tokens_input` integer DEFAULT 0 NOT NULL, `tokens_output` integer DEFAULT 0 NOT NULL, `tokens_reasoning` integer DEFAULT 0 NOT NULL, `tokens_cache_read` integer DEFAULT 0 NOT NULL, `tokens_cache_write` integer DEFAULT 0 NOT NULL, `time_created` integer NOT NULL, `time_updated` integer NOT NULL)",
	"CREATE TABLE `message` (`id` text PRIMARY KEY, `session_id` text NOT NULL, `time_created` integer NOT NULL, `time_updated` integer NOT NULL, `data` text NOT NULL)",
	"CREATE TABLE `part` (`id` text PRIMARY KEY, `message_id` text NOT NULL, `session_id` text NOT NULL, `time_created` integer NOT NULL, `time_updated` integer NOT NULL, `data` text NOT NULL)",
	"CREATE INDEX `session_project_idx` ON `session` (`project_id`)",
	"CREATE INDEX `session_parent_idx` ON `session` (`parent_id`)",
	"CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`)",
	"CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`)",
	"CREATE INDEX `part_session_idx` ON `part` (`session_id`)",
}

// opencode writes a database of n sessions.
func (h *homes) opencode(path string, n int) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if _, err := db.Exec("PRAGMA journal_mode=WAL"); err != nil { // as opencode has it
		return err
	}
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	for _, table := range append(opencodeTables, "INSERT INTO project VALUES ('global','/',NULL,NULL,0,0)") {
		if _, err := tx.Exec(table); err != nil {
			return errors.Join(err, tx.Rollback())
		}
	}
	begun := h.now
	for i := range n {
		h.now = begun.Add(time.Duration(i) * apart / 2)
		if err := h.conversation(tx, i); err != nil {
			return errors.Join(err, tx.Rollback())
		}
	}
	return tx.Commit()
}

// conversation writes the rows of a session.
func (h *homes) conversation(tx *sql.Tx, i int) error {
	id, cwd, begun := fmt.Sprintf("ses_%012x%014d", i, i), h.workplace(), h.now.UnixMilli()
	rows := 0
	name := func(kind string) string {
		rows++
		return fmt.Sprintf("%s_%013x%06x", kind, h.now.UnixMilli(), rows)
	}
	message := func(format string, args ...any) (string, error) {
		h.sum.Entries++
		m, data := name("msg"), fmt.Sprintf(format, args...)
		h.sum.Bytes += int64(len(data))
		_, err := tx.Exec("INSERT INTO message VALUES (?,?,?,?,?)", m, id, h.now.UnixMilli(), h.now.UnixMilli(), data)
		return m, err
	}
	part := func(of, format string, args ...any) error {
		data := fmt.Sprintf(format, args...)
		h.sum.Bytes += int64(len(data))
		_, err := tx.Exec("INSERT INTO part VALUES (?,?,?,?,?,?)", name("prt"), of, id, h.now.UnixMilli(), h.now.UnixMilli(), data)
		return err
	}
	var cost float64
	var all [4]int // input, output, read from and written to a cache
	err := h.turns(3.5, 1.0, func(steps int) error {
		h.later(time.Second, 90*time.Second)
		asked, err := message(`{"role":"user","time":{"created":%d},"agent":"build","model":{"providerID":"anthropic","modelID":"claude-opus-4-5"}}`, h.now.UnixMilli())
		err = errors.Join(err, part(asked, `{"type":"text","text":"%s"}`, h.text(120)))
		for k := range steps {
			h.later(500*time.Millisecond, 20*time.Second)
			last, of := k == steps-1, [4]int{1 + h.r.IntN(5000), 20 + h.r.IntN(2500), h.r.IntN(90000), h.r.IntN(4000)}
			for n := range all {
				all[n] += of[n]
			}
			used := fmt.Sprintf(`"cost":%.6f,"tokens":{"total":%d,"input":%d,"output":%d,"reasoning":0,"cache":{"read":%d,"write":%d}}`, float64(of[1])/100_000, of[0]+of[1]+of[2]+of[3], of[0], of[1], of[2], of[3])
			cost += float64(of[1]) / 100_000
			finish := "tool-calls"
			if last {
				finish = "stop"
			}
			m, merr := message(`{"parentID":%q,"role":"assistant","mode":"build","agent":"build","path":{"cwd":%q,"root":"/"},%s,"modelID":"claude-opus-4-5","providerID":"anthropic","time":{"created":%d,"completed":%d},"finish":%q}`,
				asked, cwd, used, h.now.UnixMilli(), h.now.UnixMilli()+400, finish)
			err = errors.Join(err, merr, part(m, `{"type":"step-start"}`))
			if h.chance(0.4) {
				err = errors.Join(err, part(m, `{"type":"reasoning","text":"%s","time":{"start":%d,"end":%d}}`, h.text(200), h.now.UnixMilli(), h.now.UnixMilli()+1))
			}
			if last || h.chance(0.4) {
				err = errors.Join(err, part(m, `{"type":"text","text":"%s","time":{"start":%d,"end":%d}}`, h.text(250), h.now.UnixMilli(), h.now.UnixMilli()+1))
			}
			if !last {
				err = errors.Join(err, part(m, `{"type":"tool","callID":"call_%s","tool":"bash","state":{"status":"completed","input":{"command":"go test %s","description":"run"},"output":"%s","title":"run","metadata":{"exit":0},"time":{"start":%d,"end":%d}}}`,
					h.hex(16), h.text(40), h.text(900), h.now.UnixMilli(), h.now.UnixMilli()+9))
			}
			err = errors.Join(err, part(m, `{"type":"step-finish","reason":%q,%s}`, finish, used))
		}
		return err
	})
	_, werr := tx.Exec("INSERT INTO session VALUES (?,'global',NULL,?,?,?,'1.18.33','build',?,?,?,?,0,?,?,?,?)", id, fmt.Sprintf("slug-%d", i), cwd, fmt.Sprintf("Work on part %d", i),
		`{"id":"claude-opus-4-5","providerID":"anthropic"}`, cost, all[0], all[1], all[2], all[3], begun, h.now.UnixMilli())
	return errors.Join(err, werr)
}
