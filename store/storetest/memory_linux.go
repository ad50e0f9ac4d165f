package storetest

import "syscall"

// memory is a file system in memory, which Linux has for all programs.
const memory = "/dev/shm"

// enough is how much of it must be free, in bytes: several processes start a cluster each,
// and one takes about 200 MB.
const enough = 2 << 30

// Place is where the directory of a cluster is made: in memory if there is enough of it, else
// where temporary files are ("").
//
// A database is some 700 files. To make and drop one for a spec takes ten times as long on a
// disk, nearly all of it in the file system.
func Place() string {
	var fs syscall.Statfs_t
	if syscall.Statfs(memory, &fs) != nil || fs.Bavail*uint64(fs.Bsize) < enough {
		return ""
	}
	return memory
}
