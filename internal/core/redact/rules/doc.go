// Package rules makes the rules for secrets of flags and of files, which are configurations of gitleaks, for the tools that take
// secrets out of sessions that they write.
package rules
