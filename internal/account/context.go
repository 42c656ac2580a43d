package account

// ContextKeys are what the parts of a context can be grouped by.
func ContextKeys() []string { return []string{"role", "tool", "file", "entry", "kind"} }
