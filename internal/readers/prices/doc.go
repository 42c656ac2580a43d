// Package prices has a table of what models cost, and computes what a call costs by it.
//
// The table that is built in is a snapshot of the npm packages @pydantic/genai-prices and,
// for models that it does not have, @earendil-works/pi-ai, which scripts/prices makes. It has
// a date, and a price may have one. Both are under the MIT License; their notices are a part
// of the table, see [Table.License]. models.json has models that neither has, or has wrong.
//
// The rules are those of the first package: a price that depends on the size of a prompt goes by the
// whole of it, tokens read from and written to a cache included, and then holds for all of the
// call. A cache without a price costs as much as the input, one that lasts an hour as much as one
// of five minutes, and reasoning as much as the output.
package prices
