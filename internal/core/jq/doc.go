// Package jq holds what the programs that run gojq share: decoding a JSON value as gojq wants
// it, with the text that each object and array came from, and the place of a syntax error.
package jq
