package sqldb

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"modernc.org/libc"
	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// The names of the VFSes that only read: with locks as the system has them, and without
// any.
const (
	vfsLocking = "sess-ro"
	vfsAlone   = "sess-ro-alone"
)

// A readOnlyVFS is a VFS of SQLite's with another way of opening files and deleting
// them. SQLite keeps a pointer to it, so it is a variable of the package.
type readOnlyVFS struct {
	lib.Tsqlite3_vfs
	open uintptr // xOpen of the VFS it was made of
}

var (
	locking, alone readOnlyVFS

	hasAlone bool // the system has a VFS without locks
)

// setUp registers the VFSes.
var setUp = sync.OnceValue(func() error {
	// A POSIX lock goes when any descriptor of its file is closed, by anyone in
	// the process; where there are better ones they are used.
	if _, err := sqlite.OFDLocking(true); err != nil && !errors.Is(err, sqlite.ErrOFDLockingUnavailable) {
		return fmt.Errorf("setting up SQLite: %w", err)
	}
	tls := libc.NewTLS()
	defer tls.Close()
	if rc := lib.Xsqlite3_initialize(tls); rc != lib.SQLITE_OK {
		return fmt.Errorf("setting up SQLite: status %d", rc)
	}
	if err := register(tls, &locking, "", vfsLocking, openLocking); err != nil {
		return err
	}
	keepOwners(tls)
	hasAlone = register(tls, &alone, "unix-none", vfsAlone, openAlone) == nil
	return nil
})

// xOpen is the C function that opens a file.
type xOpen = func(tls *libc.TLS, vfs, name, file uintptr, flags int32, outFlags uintptr) int32

// register makes v of the VFS called base, "" for the system's own.
func register(tls *libc.TLS, v *readOnlyVFS, base, name string, open xOpen) error {
	var zBase uintptr
	if base != "" {
		var err error
		if zBase, err = libc.CString(base); err != nil {
			return err
		}
		defer libc.Xfree(tls, zBase)
	}
	found := lib.Xsqlite3_vfs_find(tls, zBase)
	if found == 0 {
		return fmt.Errorf("setting up SQLite: it has no VFS %q", base)
	}
	zName, err := libc.CString(name) // SQLite's from now on
	if err != nil {
		return err
	}
	v.Tsqlite3_vfs = **(**lib.Tsqlite3_vfs)(unsafe.Pointer(&found))
	v.open = v.FxOpen
	v.FzName, v.FpNext = zName, 0
	v.FxOpen, v.FxDelete = funcPointer(open), funcPointer(xDelete)
	if rc := lib.Xsqlite3_vfs_register(tls, uintptr(unsafe.Pointer(&v.Tsqlite3_vfs)), 0); rc != lib.SQLITE_OK {
		return fmt.Errorf("setting up SQLite: registering a VFS: status %d", rc)
	}
	return nil
}

// openLocking and openAlone are the functions of the two VFSes. SQLite holds them
// where the garbage collector does not look, so they must not be closures.
func openLocking(tls *libc.TLS, vfs, name, file uintptr, flags int32, outFlags uintptr) int32 {
	return locking.openFile(tls, vfs, name, file, flags, outFlags)
}

func openAlone(tls *libc.TLS, vfs, name, file uintptr, flags int32, outFlags uintptr) int32 {
	return alone.openFile(tls, vfs, name, file, flags, outFlags)
}

// openFile opens a database, its log or its journal for reading, whatever it was asked for,
// and nothing else: there are no temporary files.
func (v *readOnlyVFS) openFile(tls *libc.TLS, vfs, name, file uintptr, flags int32, outFlags uintptr) int32 {
	const kinds = lib.SQLITE_OPEN_MAIN_DB | lib.SQLITE_OPEN_WAL | lib.SQLITE_OPEN_MAIN_JOURNAL
	if flags&kinds == 0 || name == 0 {
		return lib.SQLITE_CANTOPEN
	}
	flags &^= lib.SQLITE_OPEN_READWRITE | lib.SQLITE_OPEN_CREATE | lib.SQLITE_OPEN_EXCLUSIVE | lib.SQLITE_OPEN_DELETEONCLOSE
	open := v.open
	return (*(*xOpen)(unsafe.Pointer(&struct{ uintptr }{open})))(tls, vfs, name, file, flags|lib.SQLITE_OPEN_READONLY, outFlags)
}

// xDelete deletes nothing. SQLite would remove a log or a journal that it takes for
// stale, and puts up with it if it cannot.
func xDelete(*libc.TLS, uintptr, uintptr, int32) int32 { return lib.SQLITE_IOERR_DELETE }

// keepOwners ends a habit of SQLite's: run by root it gives a -shm file that it
// opens, even for reading, to the owner of the database.
func keepOwners(tls *libc.TLS) {
	name, err := libc.CString("fchown")
	if err != nil || locking.FxSetSystemCall == 0 {
		return
	}
	defer libc.Xfree(tls, name)
	set := locking.FxSetSystemCall
	(*(*func(tls *libc.TLS, vfs, name, call uintptr) int32)(unsafe.Pointer(&struct{ uintptr }{set})))(
		tls, uintptr(unsafe.Pointer(&locking.Tsqlite3_vfs)), name, funcPointer(fchown))
}

func fchown(*libc.TLS, int32, uint32, uint32) int32 { return 0 }

// funcPointer returns f as the C of the driver holds a function: the second word
// of an interface.
func funcPointer(f any) uintptr { return (*[2]uintptr)(unsafe.Pointer(&f))[1] }
