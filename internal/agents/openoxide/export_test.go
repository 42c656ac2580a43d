package openoxide

// Unpack returns the MessagePack value as JSON.
func Unpack(data []byte) (string, error) { return unpack(data) }
