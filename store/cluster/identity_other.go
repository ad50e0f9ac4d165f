//go:build unix && !linux

package cluster

import "syscall"

// namespaced is of Linux alone.
func namespaced(int, int) *syscall.SysProcAttr { return nil }

func (b Binaries) runsUnder(*syscall.SysProcAttr) bool { return false }
