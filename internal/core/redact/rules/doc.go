// Package rules has the flags that choose the rules for secrets, for the tools that take secrets out of sessions that they write.
// Rules in files are configurations of gitleaks.
package rules
