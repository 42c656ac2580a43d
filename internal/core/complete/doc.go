// Package complete finds what may stand on a command line that is being typed: sessions
// and entries, and the words of the format. It opens files of anybody's writing, prints
// nothing and reports nothing. What it has not found when its time is over is left out.
package complete
