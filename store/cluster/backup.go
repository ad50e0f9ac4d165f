//go:build unix

package cluster

import (
	"archive/tar"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// backupName is what a base backup is called: when it began, in UTC.
const backupName = "20060102T150405.000Z"

// Backup makes a base backup beside the archived log, while the cluster is used, and removes
// the oldest ones but for keep of them, with the log that only they need; 0 keeps all.
func (c *Cluster) Backup(ctx context.Context, keep int) (made Backup, err error) {
	if c.backups == "" {
		return made, ErrNoArchive
	}
	number, err := os.ReadFile(filepath.Join(c.dir, numberFile))
	if err != nil {
		return made, ErrNoArchive
	}
	to := shelf(filepath.Join(c.backups, string(number)))
	if made.Major, err = majorOf(c.dir); err != nil {
		return made, err
	}
	conn, err := pgx.Connect(ctx, c.URL("postgres"))
	if err != nil {
		return made, err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	var command string
	if err := conn.QueryRow(ctx, "SELECT current_setting('archive_mode') || ' ' || current_setting('archive_command')").Scan(&command); err != nil {
		return made, err
	}
	if !strings.HasPrefix(command, "on ") || !strings.Contains(command, quoted(to.wal())) {
		return made, ErrNoArchive
	}
	made.Of, made.Name = string(number), time.Now().UTC().Format(backupName)
	if err := c.copyTo(ctx, conn, to, &made); err != nil {
		return made, fmt.Errorf("backup: %w", err)
	}
	return made, prune(to, keep)
}

// copyTo writes the files while PostgreSQL knows of it, then what describes the backup. Without
// the description it is none.
func (c *Cluster) copyTo(ctx context.Context, conn *pgx.Conn, to shelf, made *Backup) (err error) {
	if _, err := conn.Exec(ctx, "SELECT pg_backup_start($1, true)", "tollkeeper "+made.Name); err != nil {
		return err // the end of the connection ends the backup
	}
	place := filepath.Join(to.base(), made.Name)
	file, err := os.OpenFile(place+".tar.gz", os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, file.Close()); err != nil {
			_ = os.Remove(file.Name())
		}
	}()
	squeezed, _ := gzip.NewWriterLevel(file, gzip.BestSpeed) // fails only on another level
	entries := tar.NewWriter(squeezed)
	if err := addTree(ctx, entries, dataDir(c.dir)); err != nil {
		return err
	}
	var label, spaces string
	if err := conn.QueryRow(ctx, "SELECT labelfile, spcmapfile FROM pg_backup_stop(true)").Scan(&label, &spaces); err != nil {
		return err
	}
	if strings.TrimSpace(spaces) != "" {
		return errors.New("the cluster has tablespaces, which lie outside of its directory")
	}
	if err := addFile(entries, "backup_label", int64(len(label)), strings.NewReader(label)); err != nil {
		return err
	}
	if err := errors.Join(entries.Close(), squeezed.Close(), file.Sync()); err != nil {
		return err
	}
	started := startSegment.FindStringSubmatch(label)
	if started == nil {
		return errors.New("PostgreSQL does not say where its log begins")
	}
	made.FirstWAL, made.Ended = started[1], time.Now().UTC()
	text, err := json.MarshalIndent(made, "", " ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(place+".json.part", text, 0o600); err != nil {
		return err
	}
	return os.Rename(place+".json.part", place+".json")
}

var startSegment = regexp.MustCompile(`START WAL LOCATION: .* \(file ([0-9A-F]{24})\)`)

// leftOut are the directories whose content PostgreSQL makes again when it starts, and the log,
// which is archived.
var leftOut = []string{"pg_wal", "pg_replslot", "pg_dynshmem", "pg_notify", "pg_serial", "pg_snapshots", "pg_stat_tmp", "pg_subtrans"}

// skipped reports a file of a data directory that does not belong into a backup.
func skipped(name string) bool {
	base := filepath.Base(name)
	return base == "postmaster.pid" || base == "postmaster.opts" || base == "backup_label.old" || strings.HasPrefix(base, ".s.PGSQL.") || strings.HasPrefix(base, "pgsql_tmp") ||
		strings.HasPrefix(base, "pg_internal.init")
}

// addTree adds the files of a data directory. PostgreSQL writes to them meanwhile, which its
// log makes good, and files come and go.
func addTree(ctx context.Context, to *tar.Writer, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	return fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil || ctx.Err() != nil:
			return errors.Join(err, ctx.Err())
		case entry.IsDir():
			if name == "." {
				return nil
			}
			if err := to.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: name + "/", Mode: 0o700}); err != nil {
				return err
			}
			if slices.Contains(leftOut, name) {
				return fs.SkipDir
			}
			return nil
		case !entry.Type().IsRegular() || skipped(name):
			return nil
		}
		return addOpen(to, root, name)
	})
}

// addOpen adds a file as long as it is now: what is added meanwhile is in the log.
func addOpen(to *tar.Writer, root *os.Root, name string) error {
	file, err := root.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	return addFile(to, name, info.Size(), file)
}

// addFile adds size bytes; a file that was cut meanwhile is filled with zeros, which the log
// makes good as well.
func addFile(to *tar.Writer, name string, size int64, content io.Reader) error {
	if err := to.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o600, Size: size}); err != nil {
		return err
	}
	n, err := io.CopyN(to, content, size)
	if errors.Is(err, io.EOF) {
		_, err = io.CopyN(to, zeros{}, size-n)
	}
	return err
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// Backups lists the base backups in a backup directory, the oldest first.
func Backups(dir string) (found []Backup, err error) {
	described, err := filepath.Glob(filepath.Join(escaped(dir), "*", "base", "*.json"))
	if err != nil {
		return nil, err
	}
	for _, path := range described {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		var b Backup
		if err := json.Unmarshal(text, &b); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		found = append(found, b)
	}
	slices.SortFunc(found, func(a, b Backup) int { return cmp.Compare(a.Name, b.Name) })
	return found, nil
}

// escaped is a path in which no letter is a pattern.
func escaped(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// prune removes all but the newest backups of a shelf, and the log that none of them needs.
func prune(s shelf, keep int) error {
	if keep <= 0 {
		return nil
	}
	all, err := Backups(filepath.Dir(string(s)))
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(b Backup) bool { return b.Of != filepath.Base(string(s)) })
	if len(all) <= keep {
		return nil
	}
	gone, kept := all[:len(all)-keep], all[len(all)-keep:]
	for _, b := range gone { // the description first: what is half removed is no backup
		place := filepath.Join(s.base(), b.Name)
		if err := errors.Join(os.Remove(place+".json"), os.Remove(place+".tar.gz")); err != nil {
			return err
		}
	}
	segments, err := os.ReadDir(s.wal())
	if err != nil {
		return err
	}
	for _, entry := range segments {
		name := entry.Name()
		if len(name) < 24 || name[8:24] >= kept[0].FirstWAL[8:] { // shorter: the history of a timeline
			continue
		}
		if err := os.Remove(filepath.Join(s.wal(), name)); err != nil {
			return err
		}
	}
	return nil
}
