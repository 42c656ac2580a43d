// Package prices has a table of what models cost, and computes what a call costs by it.
//
// The table that is built in is a snapshot of the npm package @pydantic/genai-prices,
// which scripts/prices makes. It has a date, and a price may have one. The package is
// Copyright (c) Pydantic Services Inc. under the MIT License; the notice is a part of
// the table, see [Table.License].
//
// The rules are those of that package: a price that depends on the size of a prompt goes
// by the whole of it, what a cache held and took included, and then holds for all of
// the call. A cache that has no price of its own costs what the input costs, one that
// lasts an hour what one of five minutes costs, and reasoning what the output costs.
package prices
