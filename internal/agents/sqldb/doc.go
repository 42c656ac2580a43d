// Package sqldb opens the SQLite databases of other agents for reading. No other package knows the driver.
//
// [Open] shows the content of a database at one moment, including the part that is only in its
// write-ahead log (WAL), and leaves no trace: no file beside the database is made, changed or
// removed, whether its agent is running or not, and whether the directory can be written or not.
// SQLite's mode=ro promises less: it makes a -wal and a -shm file when it can, and removes a log it
// takes for stale. So there are two guards. A VFS lets SQLite open files for reading alone, and
// delete none. And the way in is chosen by the files that are there:
//
//   - A database without a log in use is read with a shared lock, which is how
//     SQLite's own readers keep writers from changing it meanwhile.
//   - A log with its index (-shm), as a running agent or one that was killed leaves it, is
//     read through that index, opened for reading (readonly_shm): locks are taken in it, which
//     touch no byte.
//   - A database that uses a log but has none now, as an agent that has ended leaves it, is
//     read as it is (immutable); a log without its index, as a copy has it, with an
//     index in memory. There is nothing to lock then that an agent that
//     starts would respect: [DB.Verify] says whether something changed meanwhile.
//   - A rollback journal that was left behind has to be played back first: in a copy.
//
// A reader of many sessions may keep a database open for a moment: [DB.Lasts] says whether every program can write meanwhile, and whether the
// transaction still shows the newest state.
//
// A hostile database can cost time, which the context limits, but runs nothing:
// trusted_schema is off, queries only read, values have a limit, and [DB.Require] lets
// only ordinary columns of ordinary tables pass, so that no view, trigger, generated
// column or virtual table of its making is evaluated.
package sqldb
