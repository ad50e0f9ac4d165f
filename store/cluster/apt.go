//go:build unix

package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// createClusterConf tells Debian's packaging whether to make a cluster of its
// own when a server package is installed.
const createClusterConf = "/etc/postgresql-common/createcluster.conf"

// installWithApt installs the distribution's package, without the cluster and
// the service that Debian would add to it.
func installWithApt(ctx context.Context, major int, log io.Writer) error {
	apt, err := exec.LookPath("apt-get")
	if err != nil {
		return errors.New("there is no apt-get")
	}
	if os.Geteuid() != 0 {
		return errors.New("only root can")
	}
	if major == 0 {
		major = oldest
	}
	name := fmt.Sprintf("postgresql-%d", major)
	say(log, "installing the package %s with apt-get, without a cluster of the distribution", name)
	if err := keepDebianFromMakingACluster(); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"update", "-q"},
		{"install", "-q", "-y", "--no-install-recommends", "-o", "Dpkg::Options::=--force-confold", name},
	} {
		run := exec.CommandContext(ctx, apt, args...)
		run.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		if out, err := run.CombinedOutput(); err != nil {
			return fmt.Errorf("apt-get %s: %w: %s", args[0], err, lastLine(out))
		}
	}
	return nil
}

// keepDebianFromMakingACluster leaves a file that is already there alone: it
// is the administrator's.
func keepDebianFromMakingACluster() error {
	if err := os.MkdirAll("/etc/postgresql-common", 0o755); err != nil {
		return err
	}
	file, err := os.OpenFile(createClusterConf, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = file.WriteString("create_main_cluster = false\n")
	return errors.Join(err, file.Close())
}
