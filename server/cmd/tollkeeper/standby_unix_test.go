//go:build unix

package main

import (
	"os"
	"syscall"
)

// giveTo makes a file belong to whom the directory belongs.
func giveTo(file string, directory os.FileInfo) error {
	owner := directory.Sys().(*syscall.Stat_t)
	return os.Chown(file, int(owner.Uid), int(owner.Gid))
}
