package compact

// Serialize shows tests the text of messages by the plan's own rules.
func (p *Plan) Serialize(parts []Part) string { return p.serialize(parts) }
