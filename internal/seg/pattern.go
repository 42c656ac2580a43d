package seg

// The forms that the contract demands of ids. They are checked for every entry,
// and compile to nothing that a program has to do when it starts.

// isEntryID reports whether s matches ^[A-Za-z0-9_-]{1,128}$.
func isEntryID(s string) bool {
	if len(s) < 1 || len(s) > 128 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isAlphanumeric(c) && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

// isCorrelation reports whether s matches ^[A-Za-z0-9._:-]{8,128}$.
func isCorrelation(s string) bool {
	if len(s) < 8 || len(s) > 128 {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case isAlphanumeric(c), c == '.', c == '_', c == ':', c == '-':
		default:
			return false
		}
	}
	return true
}

// isUUID reports whether s has the form of a UUID, in either case.
func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if c != '-' {
				return false
			}
		case !isDigit(c) && (c < 'a' || c > 'f') && (c < 'A' || c > 'F'):
			return false
		}
	}
	return true
}

// hex64 reports whether s is a SHA-256 in lower-case hex.
func hex64(s string) bool {
	if len(s) != 64 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isDigit(c) && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isAlphanumeric(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
