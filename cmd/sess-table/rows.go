package main

// Unknown is null in every table, never 0 or an empty text. A column is only ever added, at the end of its table.
//
// rowRules is the version of what the tables say of a session. Raise it with each change: rows of other rules are
// written anew.
const rowRules = 2

// A sessionRow is a session. Its key is session.
type sessionRow struct {
	Session       string `parquet:"session"`                     // The id of the session.
	Agent         string `parquet:"agent,dict"`                  // The agent, also of a session that was imported, else "sess", as in sess-stat --by agent.
	Host          string `parquet:"host,optional,dict"`          // The machine, if the header names it.
	User          string `parquet:"user,optional,dict"`          // The user, if the header names one.
	Repo          string `parquet:"repo,optional,dict"`          // The remote of the git repository, if the header names it.
	Branch        string `parquet:"branch,optional"`             // The git branch, if the header names it.
	Parent        string `parquet:"parent,optional"`             // The id of the session that it was forked from; parent_name finds the one whose file has a name without it.
	ParentAddress string `parquet:"parent_address,optional"`     // The same as the header has it, which may be a path.
	CWD           string `parquet:"cwd,optional,dict"`           // The working directory.
	Title         string `parquet:"title,optional"`              // The title, as sess-ls prints it. A text: with --content.
	Created       *int64 `parquet:"created,optional,timestamp"`  // When it was begun.
	Modified      *int64 `parquet:"modified,optional,timestamp"` // The latest time of its entries.
	Entries       int64  `parquet:"entries"`                     // The number of entries.
	Messages      int64  `parquet:"messages"`                    // The number of those that are messages.
	Lines         int64  `parquet:"lines"`                       // The number of lines that were read.
	Size          int64  `parquet:"size"`                        // The number of bytes that were read.
	SHA256        string `parquet:"sha256"`                      // Their SHA-256 in hexadecimal digits.
	Leaf          string `parquet:"leaf,optional"`               // The id of the entry that the conversation ends with.
	Redacted      bool   `parquet:"redacted"`                    // Secrets were taken out, by --redact or before.
	Reader        string `parquet:"reader,dict"`                 // The version of sess and of the rules of rows; with --redact, the digest of redact.toml.
	Content       bool   `parquet:"content"`                     // Rows of the session have texts.
	Name          string `parquet:"name,optional"`               // The name of its file without an extension.
	ParentName    string `parquet:"parent_name,optional"`        // The name of the file in parent_address without an extension.
}

// A hadRow is what a run has to know of a session that has rows: some columns of its sessionRow.
type hadRow struct {
	Session  string `parquet:"session"`
	Size     int64  `parquet:"size"`
	SHA256   string `parquet:"sha256"`
	Redacted bool   `parquet:"redacted"`
	Reader   string `parquet:"reader,dict"`
	Content  bool   `parquet:"content"`
}

// A messageRow is an entry of a session, of whatever type. Its key is session and number.
type messageRow struct {
	Session   string `parquet:"session,dict"`                 // The id of the session.
	Entry     string `parquet:"entry,optional"`               // The id of the entry; null in a session without ids.
	Number    int32  `parquet:"number"`                       // Which entry it is in its file, from 1.
	Parent    string `parquet:"parent,optional"`              // The id of the entry before it.
	Timestamp *int64 `parquet:"timestamp,optional,timestamp"` // When it was written.
	OnPath    bool   `parquet:"on_path"`                      // It is on the path to the leaf.
	Type      string `parquet:"type,dict"`                    // The type of the entry, such as message or compaction.
	Role      string `parquet:"role,optional,dict"`           // The role of a message.
	Provider  string `parquet:"provider,optional,dict"`       // The provider of the model that replied.
	Model     string `parquet:"model,optional,dict"`          // The model that replied.
	Stop      string `parquet:"stop,optional,dict"`           // Why a reply ended.
	Error     bool   `parquet:"error"`                        // A reply that failed or was aborted, or the result of a call that failed.
	Harness   bool   `parquet:"harness"`                      // The agent said it in the user's name.
	Text      string `parquet:"text,optional"`                // The text of a message, or a summary. A text: with --content.
	TextBytes int64  `parquet:"text_bytes"`                   // The number of its bytes.
	Images    int32  `parquet:"images"`                       // The number of images in a message.
}

// A callRow is a call of a tool, as sess-calls has it. Its key is session, entry and number.
type callRow struct {
	Session   string     `parquet:"session,dict"`                 // The id of the session.
	Entry     string     `parquet:"entry,optional"`               // The id of the entry with the call.
	CallID    string     `parquet:"call_id,optional"`             // The id of the call.
	Result    string     `parquet:"result,optional"`              // The id of the entry with its result.
	Timestamp *int64     `parquet:"timestamp,optional,timestamp"` // When the entry with the call was written.
	Ended     *int64     `parquet:"ended,optional,timestamp"`     // When the entry with its result was written.
	Number    int32      `parquet:"number"`                       // Which call of the session it is, from 1, those of all branches counted.
	Kind      string     `parquet:"kind,dict"`                    // What the call is: run, read, write, search, fetch, agent, ask, plan or other.
	Tool      string     `parquet:"tool,optional,dict"`           // The name of the tool.
	Target    string     `parquet:"target,optional"`              // Its subject. A text: with --content.
	Command   string     `parquet:"command,optional"`             // The command that it runs. A text: with --content.
	Simple    [][]string `parquet:"simple,optional,list"`         // The simple commands of the command, a list of words each. Texts: with --content.
	Paths     []string   `parquet:"paths,optional,list"`          // The files that it names. Texts: with --content.
	Outcome   string     `parquet:"outcome,dict"`                 // How it ended: ok, fail, denied or open.
	Status    *int32     `parquet:"status,optional"`              // The status of the command.
	OnPath    bool       `parquet:"on_path"`                      // It is on the path to the leaf.
	CallKey   string     `parquet:"call_key"`                     // 32 hexadecimal digits that copies of the call in forks have as well.
}

// A usageRow is a call of a model, as sess-stat counts it. Its key is session and number.
type usageRow struct {
	Session      string `parquet:"session,dict"`                 // The id of the session.
	Entry        string `parquet:"entry,optional"`               // The id of the entry with the usage.
	Timestamp    *int64 `parquet:"timestamp,optional,timestamp"` // When the entry was written; sess-stat takes the time of the session if it is null.
	Provider     string `parquet:"provider,optional,dict"`       // The provider of the model.
	Model        string `parquet:"model,optional,dict"`          // The model that answered.
	Purpose      string `parquet:"purpose,dict"`                 // What the call was for, as in sess-stat --by purpose.
	Tier         string `parquet:"tier,optional,dict"`           // The service tier or speed, if it is not the usual one.
	OnPath       bool   `parquet:"on_path"`                      // It is on the path to the leaf.
	Stop         string `parquet:"stop,optional,dict"`           // Why a reply ended.
	Input        int64  `parquet:"input"`                        // Tokens of the prompt that no cache held.
	Output       int64  `parquet:"output"`                       // Tokens that the model wrote.
	CacheRead    int64  `parquet:"cache_read"`                   // Tokens of the prompt that a cache held.
	CacheWrite   int64  `parquet:"cache_write"`                  // Tokens that were written to a cache.
	CacheWrite1h int64  `parquet:"cache_write_1h"`               // Of cache_write, those to be kept for an hour.
	Reasoning    int64  `parquet:"reasoning"`                    // Of output, those for reasoning.
	Unsplit      int64  `parquet:"unsplit"`                      // Tokens of a call that tells their sum alone.
	Cost         *int64 `parquet:"cost,optional,decimal(12:18)"` // What the call cost in USD; null if that is not known, or a million or more.
	PricedBy     string `parquet:"priced_by,optional,dict"`      // Where the cost is from: stored, computed, or assumed, which is computed by the price of the one maker of a model whose provider is not named; null without a cost.
	Prices       string `parquet:"prices,optional,dict"`         // The date of the prices that a cost was computed by.
	Bad          bool   `parquet:"bad"`                          // A counter or the cost was no number of tokens or dollars, and was taken for 0.
	CallKey      string `parquet:"call_key"`                     // 32 hexadecimal digits that copies of the call in forks have as well.
	Number       int32  `parquet:"number"`                       // Which call of a model it is in the session, from 1.
}

func (r sessionRow) of() string { return r.Session }
func (r messageRow) of() string { return r.Session }
func (r callRow) of() string    { return r.Session }
func (r usageRow) of() string   { return r.Session }

// bare returns the row without what anybody said, ran or named.
func (r sessionRow) bare() sessionRow {
	r.Title, r.Content = "", false
	return r
}

func (r messageRow) bare() messageRow {
	r.Text = ""
	return r
}

func (r callRow) bare() callRow {
	r.Target, r.Command, r.Simple, r.Paths = "", "", nil, nil
	return r
}

func (r usageRow) bare() usageRow { return r }

// fixed is about what the columns of a row take that are no texts, in bytes.
const fixed = 256

// weight is about what the values of a row take, in bytes.
func (r sessionRow) weight() int { return fixed + len(r.Title) + len(r.CWD) }
func (r messageRow) weight() int { return fixed + len(r.Text) }
func (r usageRow) weight() int   { return fixed }

func (r callRow) weight() int {
	n := fixed + len(r.Target) + len(r.Command)
	for _, words := range append(r.Simple, r.Paths) {
		for _, word := range words {
			n += len(word)
		}
	}
	return n
}
