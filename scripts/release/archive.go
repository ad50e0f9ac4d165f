package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"time"
)

// besides are patterns of the files of the repository that go with a binary.
var besides = []string{
	"LICENSE", "README.md", "CHANGELOG.md", "RELIABILITY.md", "SECURITY.md", "openapi.yaml", "docs/*.md",
	"deploy/compose.yaml", "deploy/helm/*.yaml", "deploy/helm/templates/*", "deploy/systemd/*.service",
	"deploy/monitoring/alerts.yaml", "deploy/monitoring/dashboard.json",
}

// packer writes an archive.
type packer interface {
	add(name string, mode int64, content []byte) error
	io.Closer
}

// archive packs a binary with what goes with it.
func (r *release) archive(p platform, binary string) (err error) {
	ending := ".tar.gz"
	if p.os == "windows" {
		ending = ".zip"
	}
	file, err := os.Create(filepath.Join(r.out, r.name(p)+ending))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	to := packer(newTarball(file, r.made))
	if p.os == "windows" {
		to = &zipped{zip.NewWriter(file), r.made}
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	content, err := os.ReadFile(binary)
	if err != nil {
		return err
	}
	if err := to.add(path.Join(r.name(p), filepath.Base(binary)), 0o755, content); err != nil {
		return err
	}
	for _, pattern := range besides {
		if err := r.addFiles(to, p, pattern); err != nil {
			return err
		}
	}
	return to.add(path.Join(r.name(p), "LICENSES-OF-MODULES"), 0o644, r.notices)
}

// addFiles adds what matches a pattern, in the order of names.
func (r *release) addFiles(to packer, p platform, pattern string) error {
	names, err := filepath.Glob(pattern)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return fmt.Errorf("no file is %s", pattern)
	}
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if err := to.add(path.Join(r.name(p), filepath.ToSlash(name)), 0o644, content); err != nil {
			return err
		}
	}
	return nil
}

// tarball is a tar file that is compressed with gzip.
type tarball struct {
	*tar.Writer
	zip  *gzip.Writer
	made time.Time
}

func newTarball(to io.Writer, made time.Time) *tarball {
	squeezed := gzip.NewWriter(to)
	return &tarball{tar.NewWriter(squeezed), squeezed, made}
}

func (t *tarball) add(name string, mode int64, content []byte) error {
	header := &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: mode, Size: int64(len(content)), ModTime: t.made, Format: tar.FormatPAX}
	if err := t.WriteHeader(header); err != nil {
		return err
	}
	_, err := t.Write(content)
	return err
}

// addDir adds an empty directory.
func (t *tarball) addDir(name string, mode int64) error {
	return t.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: name + "/", Mode: mode, ModTime: t.made, Format: tar.FormatPAX})
}

// Close ends the archive, not the file that it is in.
func (t *tarball) Close() error { return errors.Join(t.Writer.Close(), t.zip.Close()) }

// zipped is a zip file.
type zipped struct {
	*zip.Writer
	made time.Time
}

func (z *zipped) add(name string, mode int64, content []byte) error {
	header := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: z.made}
	header.SetMode(os.FileMode(mode))
	entry, err := z.CreateHeader(header)
	if err != nil {
		return err
	}
	_, err = entry.Write(content)
	return err
}
