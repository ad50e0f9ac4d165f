//go:build unix

package cluster

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// identity is the user that PostgreSQL's programs run as.
type identity struct {
	attr  *syscall.SysProcAttr
	owner *user.User // set when it is another user than the caller, who must own the data
}

// standIns are the users, all of them unprivileged, that may stand for root.
var standIns = []string{"postgres", "nobody", "daemon"}

// identify chooses whom to run b's programs as.
func identify(b Binaries) (identity, error) {
	if os.Geteuid() != 0 {
		return identity{attr: &syscall.SysProcAttr{Setsid: true}}, nil
	}
	stranger, uid, gid, err := standIn()
	if err != nil {
		return identity{}, err
	}
	if attr := namespaced(uid, gid); attr != nil && b.runsUnder(attr) {
		return identity{attr: attr}, nil
	}
	return identity{
		attr: &syscall.SysProcAttr{
			Setsid:     true,
			Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)},
		},
		owner: stranger,
	}, nil
}

func standIn() (u *user.User, uid, gid int, err error) {
	for _, name := range standIns {
		if u, err = user.Lookup(name); err != nil {
			continue
		}
		if uid, err = strconv.Atoi(u.Uid); err != nil || uid == 0 {
			continue
		}
		if gid, err = strconv.Atoi(u.Gid); err == nil {
			return u, uid, gid, nil
		}
	}
	return nil, 0, 0, fmt.Errorf("PostgreSQL does not run as root, and none of the users %v exists; make one, or run as an ordinary user", standIns)
}

// own hands a directory to the user that PostgreSQL runs as.
func (id identity) own(dir string) error {
	if id.owner == nil {
		return nil
	}
	if err := reachable(dir, id.owner); err != nil {
		return err
	}
	return os.Chown(dir, int(id.attr.Credential.Uid), int(id.attr.Credential.Gid))
}

// reachable checks that u may pass through every directory above dir.
func reachable(dir string, u *user.User) error {
	for parent := filepath.Dir(dir); ; parent = filepath.Dir(parent) {
		info, err := os.Stat(parent)
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o001 == 0 {
			return fmt.Errorf("PostgreSQL must run as %s here (user namespaces are forbidden), who cannot pass through %s; set TOLLKEEPER_DATA_DIR to a directory that user can reach, as /var/lib/tollkeeper", u.Username, parent)
		}
		if parent == filepath.Dir(parent) {
			return nil
		}
	}
}
