package main

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"tollkeeper/store/tempfile"
)

// tempInData is where temporary files are in the data directory, where the system has no place for them.
func (e environment) tempInData() string { return filepath.Join(e.DataDir, "tmp") }

// tempDir chooses the directory for temporary files. Where the system's cannot be used, why says so.
func (e environment) tempDir() (dir string, why error) {
	if e.TempDir != "" {
		return e.TempDir, nil
	}
	if why = tempfile.Check(os.TempDir()); why == nil {
		return os.TempDir(), nil
	}
	return e.tempInData(), why
}

// temporary prepares the place for temporary files, or says what to set.
func (e environment) temporary(log *slog.Logger) (*tempfile.Place, error) {
	dir, why := e.tempDir()
	if why != nil {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, noTemp(why, err)
		}
	}
	place, err := e.placeIn(dir)
	if err != nil {
		return nil, err
	}
	switch err := place.Prepare(); {
	case err != nil && why != nil:
		return nil, noTemp(why, err)
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("TOLLKEEPER_TEMP_DIR: must be a directory that is there: %w", err)
	case err != nil:
		return nil, fmt.Errorf("TOLLKEEPER_TEMP_DIR: must be a directory that can be written: %w", err)
	}
	if why != nil {
		log.Warn("temporary files are in the data directory, since the system's place cannot be used", slog.String("dir", dir), slog.Any("error", why))
	}
	return place, nil
}

// placeIn is the place in a directory, within the bounds that are set.
func (e environment) placeIn(dir string) (*tempfile.Place, error) {
	place := tempfile.New(dir, e.TempMB<<20)
	place.LeaveFree(e.TempFreeMB << 20)
	if place.Bound() == 0 {
		return nil, fmt.Errorf("TOLLKEEPER_TEMP_FREE_MB: must be less than the %d MB that the file system of %s has", tempfile.SpaceOf(dir).Total>>20, dir)
	}
	return place, nil
}

// noTemp is the error where nothing that is there by default can be used.
func noTemp(system, data error) error {
	return fmt.Errorf("TOLLKEEPER_TEMP_DIR: must be set to a directory for temporary files that can be written; there is none by default: %w; %w", system, data)
}

// examineTemp tells where temporary files are, and how much room there is. It makes nothing.
func examineTemp(env environment) finding {
	const subject = "temporary files"
	dir, why := env.tempDir()
	err := tempfile.Check(dir)
	if why != nil && errors.Is(err, fs.ErrNotExist) { // serve makes it
		if err = tempfile.Check(env.DataDir); errors.Is(err, fs.ErrNotExist) {
			return good(subject, "in %s, which `tollkeeper serve` makes, since %v", dir, why)
		}
	}
	switch {
	case err != nil && why != nil:
		return wrong(subject, "%v", noTemp(why, err))
	case err != nil:
		return wrong(subject, "TOLLKEEPER_TEMP_DIR: must be a directory that can be written: %v", err)
	}
	place, err := env.placeIn(dir)
	if err != nil {
		return wrong(subject, "%v", err)
	}
	text := fmt.Sprintf("in %s, at most %d MB", dir, place.Bound()>>20)
	if space := tempfile.SpaceOf(dir); space.Total > 0 {
		text += fmt.Sprintf("; %d MB are free, of which %d MB stay free", space.Free>>20, place.Free()>>20)
		if space.Free-place.Free() < place.Bound() {
			text += ", so large requests may find no room before that: free some, or set TOLLKEEPER_TEMP_DIR, TOLLKEEPER_TEMP_MB or TOLLKEEPER_TEMP_FREE_MB"
		}
	}
	if why != nil {
		text += fmt.Sprintf("; the system's place cannot be used: %v", why)
	}
	return good(subject, "%s", text)
}
