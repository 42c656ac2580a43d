package index

// NewDivided is New for a file that is read in halves, or not, whatever its size.
var NewDivided = newIndex
