// Package jqmap reads the sessions of agents whose format is data: a map, which is a jq program
// that says what the values of a file become. docs/formats/README.md says what a map is.
//
// A map only reads. One file is one session, of JSON lines or of one JSON document.
package jqmap
