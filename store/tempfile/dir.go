package tempfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Dir is the directory of a use, for a library that makes files by itself and tells nothing of their sizes.
type Dir struct {
	use   *Use
	files map[string]*os.File // by name
	taken int64               // bytes
}

// Dir names the directory. It is made by the first [Dir.Reserve], so that a library which writes little takes
// nothing of the place.
func (u *Use) Dir() *Dir { return &Dir{use: u, files: map[string]*os.File{}} }

// Path returns the name of the directory.
func (d *Dir) Path() string { return d.use.path }

// Files returns how many files the library had made when [Dir.Reserve] was called last.
func (d *Dir) Files() int { return len(d.files) }

// Reserve takes into account what the library has written, and reserves the bytes that it may write until
// Reserve is called again.
func (d *Dir) Reserve(ahead int64) error {
	if err := d.use.make(); err != nil {
		return err
	}
	written, err := d.measure()
	if err != nil {
		return d.use.failed(err)
	}
	more := written + ahead - d.taken
	if err := d.use.take(more); err != nil {
		return err
	}
	d.taken += more
	return nil
}

// Failed turns an error of a file, from the library, into a refusal. Other errors stay.
func (d *Dir) Failed(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return d.use.failed(err)
	}
	return err
}

// measure returns how many bytes the files have. The library keeps its files open, so they lose their
// names here, where the system allows that.
func (d *Dir) measure() (bytes int64, err error) {
	entries, err := os.ReadDir(d.Path())
	if err != nil {
		return 0, err
	}
	for _, entry := range entries {
		name := filepath.Join(d.Path(), entry.Name())
		if d.files[name] != nil || entry.Name() == lockName {
			continue
		}
		file, err := os.Open(name)
		if err != nil {
			return 0, err
		}
		_ = os.Remove(name)
		d.files[name] = file
		d.use.open = append(d.use.open, file)
	}
	for _, file := range d.files {
		info, err := file.Stat()
		if err != nil {
			return 0, err
		}
		bytes += info.Size()
	}
	return bytes, nil
}
