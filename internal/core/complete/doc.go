// Package complete finds candidates for a command line that is being typed: sessions and entries,
// and the words of the format. It opens files whose authors it does not trust, prints nothing and
// reports nothing. Candidates that are not found when its time is over are left out.
package complete
