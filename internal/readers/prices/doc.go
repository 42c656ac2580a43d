// Package prices has a table of what models cost, and computes what a call costs by it.
//
// The table that is built in is a snapshot of the npm package @pydantic/genai-prices,
// which scripts/prices makes. It has a date, and a price may have one. The package is
// Copyright (c) Pydantic Services Inc. under the MIT License; the notice is a part of
// the table, see [Table.License].
//
// The rules are those of that package: a price that depends on the size of a prompt goes by the
// whole of it, tokens read from and written to a cache included, and then holds for all of the
// call. A cache without a price costs as much as the input, one that lasts an hour as much as one
// of five minutes, and reasoning as much as the output.
package prices
