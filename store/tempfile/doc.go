// Package tempfile owns the place for temporary files: one directory, and a bound of the bytes in it.
//
// Large requests and workbooks go to disk, so that the memory they take has a bound. Without a bound of
// the disk they take, one request could fill a disk that others need. A [Place] is that bound. A [Use] is
// what one request or one command takes of the place. Files are lost with their process: where the
// system allows, a file has no name from the start.
//
//	place := tempfile.New("/tmp", 0)
//	if err := place.Prepare(); err != nil { … }   // the place cannot be written
//	use := place.Use()
//	defer use.Close()                             // gives all of it back
//	file, err := use.File()
//
// An account has a share of the place, at most half of it ([Place.Of]).
//
// A write that the place cannot take fails with a [*Refusal], which says whether waiting helps.
//
// The bound is that of one process. Several processes may share the directory. A use with files has a directory
// of its own in it, under a lock that ends with the process. [Place.Prepare] removes those whose process is gone.
//
// Refused were: a temporary directory that the process sets for all libraries (TMPDIR), which bounds
// nothing; a bound by what the file system has free alone, since others need that disk too. What stays free
// is a second bound ([Place.LeaveFree]).
package tempfile
