package walk

// Divide has files of any size divided.
func Divide() { dividedSize = 0 }
