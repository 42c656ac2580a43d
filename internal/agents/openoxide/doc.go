// Package openoxide reads the databases of the OpenOxide blueprint: sessions that fork,
// messages as MessagePack, ULIDs as ids. See docs/formats/openoxide.md.
package openoxide
