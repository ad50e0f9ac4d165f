package cluster

import (
	"os"
	"os/exec"
	"syscall"
)

// namespaced runs a program as uid and gid of a namespace of its own, where
// they stand for the caller: to the kernel the files stay the caller's.
func namespaced(uid, gid int) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		Setsid:      true,
		Cloneflags:  syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: uid, HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: gid, HostID: os.Getegid(), Size: 1}},
		Credential:  &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid), NoSetGroups: true},
	}
}

// runsUnder reports whether this machine lets such a process be started.
func (b Binaries) runsUnder(attr *syscall.SysProcAttr) bool {
	probe := exec.Command(b.path("postgres"), "--version")
	probe.SysProcAttr = attr
	return probe.Run() == nil
}
