package opencode

import (
	"strings"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// identify gives the session its id: the one it came in with, unless it is another
// session now, whose messages must not have the ids of those that opencode has already.
func (x *exporter) identify() {
	own := x.s.Header.ID
	came := str(x.about, "id")
	at, _ := js.ParseTime(x.s.Header.Timestamp)
	switch {
	case came != "" && (came == own || !session.ValidSessionID(came) && formats.SessionID("opencode", came) == own):
		x.id = came
	case strings.HasPrefix(own, "ses_"):
		x.id, x.fresh = own, came != ""
	default:
		x.fresh = came != ""
	}
	if !strings.HasPrefix(x.id, "ses") {
		x.id = makeID("ses", ^(at << 12), own)
	}
}

// session returns what opencode is to know of the session.
func (x *exporter) session() string {
	about := x.about
	if !isObject(about) {
		about = "{}"
	}
	at, _ := js.ParseTime(x.s.Header.Timestamp)
	if x.fresh {
		for _, name := range []string{"parentID", "share", "summary", "revert", "permission", "workspaceID", "cost", "tokens"} {
			about = formats.With(about, name, "")
		}
		about = formats.With(about, "time", "")
	}
	about = x.identity(about)
	if x.reverted == "" {
		if x.wentOn || x.changed { // and so what was reverted is gone
			about = formats.With(about, "revert", "")
		}
	} else if x.fresh {
		about = formats.With(about, "revert", js.Object(js.StringField("messageID", x.renamed(str(x.reverted, "messageID")))))
	}
	about = x.spent(about)
	if x.fresh || x.about == "" {
		origin := js.Object(js.StringField("session", x.s.Header.ID), formats.Str("parent", x.s.Header.ParentSession))
		about = formats.With(about, "metadata", formats.With(objectOr(get(about, "metadata"), "{}"), "sess", origin))
	}
	updated := at
	if n := len(x.out); n > 0 {
		updated = max(at, x.out[n-1].created)
	}
	times := objectOr(get(about, "time"), "{}")
	times = orElse(times, "created", formats.Int(max(at, 0)))
	if x.changed || get(times, "updated") == "" {
		times = formats.With(times, "updated", formats.Int(max(updated, num(times, "updated"), 0)))
	}
	return formats.With(about, "time", whole(times, "created", "updated", "compacting", "archived"))
}

// identity fills in how the session is called and where it belongs.
func (x *exporter) identity(about string) string {
	about = formats.With(whole(about), "id", js.Quote(x.id))
	slug := "sess-" + formats.EntryID(func(string) bool { return false }, x.id)
	directory := x.s.Header.CWD
	if directory != "" && directory != str(about, "directory") { // it is at home elsewhere now
		about = formats.With(formats.With(formats.With(about, "directory", ""), "projectID", ""), "path", "")
	}
	for _, f := range []js.Field{
		js.StringField("slug", slug), {Name: "projectID", Raw: `"global"`}, js.StringField("directory", directory),
	} {
		about = orElse(about, f.Name, f.Raw)
	}
	if title := str(about, "title"); x.title() != session.OneLine(title) || title == "" {
		about = formats.With(about, "title", js.Quote(x.title()))
	}
	if m := x.model; x.about == "" && m.id != "" {
		about = formats.With(formats.With(about, "agent", `"build"`), "model", js.Object(js.StringField("id", m.known().id), js.StringField("providerID", m.known().provider)))
	}
	return orElse(about, "version", js.Quote(version))
}

// titleLength is how much of what was said first serves as a title, in characters.
const titleLength = 50

// title returns the name of the session, or what it began with.
func (x *exporter) title() string {
	if name := session.OneLine(session.NameOf(x.s.Header, x.s.Entries)); name != "" {
		return name
	}
	if title := session.OneLine(str(x.about, "title")); title != "" {
		return title
	}
	for i := range x.path {
		for _, m := range x.shown[i] {
			if text := session.OneLine(m.Text(" ")); m.Role() == session.RoleUser && text != "" {
				if r := []rune(js.ValidText(text)); len(r) > titleLength {
					text = string(r[:titleLength-1]) + "…"
				}
				return text
			}
		}
	}
	return "New session - " + x.s.Header.Timestamp
}

// spent fills in what all messages cost, unless that came with the session and still holds.
func (x *exporter) spent(about string) string {
	if !x.changed && get(about, "cost") != "" && get(about, "tokens") != "" {
		return about
	}
	var sum float64
	var n [5]int64
	for _, w := range x.out {
		if w.role() == "assistant" {
			t := get(w.info, "tokens")
			sum += number(get(w.info, "cost"))
			for i, v := range []int64{num(t, "input"), num(t, "output"), num(t, "reasoning"), num(t, "cache", "read"), num(t, "cache", "write")} {
				n[i] += v
			}
		}
	}
	field := func(name string, i int) js.Field { return js.RawField(name, formats.Int(n[i])) }
	about = formats.With(about, "cost", js.Stringify(float(sum)))
	return formats.With(about, "tokens", js.Object(field("input", 0), field("output", 1), field("reasoning", 2),
		js.RawField("cache", js.Object(field("read", 3), field("write", 4)))))
}
