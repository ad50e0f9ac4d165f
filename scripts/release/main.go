// Command release makes what is given to people: the binary for each platform in an archive,
// container images, and the checksums of all of them.
//
//	go run ./scripts/release [-version 1.2.3] [-out dist] [-platform linux/amd64]
//
// The same commit gives the same bytes on every machine with the same Go: paths are trimmed,
// files have the time of the commit, and the certificates in the image are those of a module
// that go.sum pins. No container engine is needed. A version must be that of the contract, the chart, the
// changelog, README.md and scripts/released: docs/releasing.md has all steps.
package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// platform is one that a binary is made for.
type platform struct{ os, arch string }

var platforms = []platform{
	{"linux", "amd64"},
	{"linux", "arm64"},
	{"darwin", "amd64"},
	{"darwin", "arm64"},
	{"windows", "amd64"},
}

// release is what all parts of it have in common.
type release struct {
	version string
	commit  string
	changed string    // "-dirty" where files differ from the commit
	made    time.Time // when the commit was
	out     string    // directory
	notices []byte    // licenses of the modules in the binary
}

func main() {
	version := flag.String("version", "", "the version of a release, which files of the repository must name; without it, what git describes")
	out := flag.String("out", "dist", "directory that is made for the release; what is in it is removed")
	only := flag.String("platform", "", "make this platform alone, as linux/amd64")
	flag.Parse()
	if err := run(*version, *out, *only); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(version, out, only string) (err error) {
	if only != "" && !slices.ContainsFunc(platforms, func(p platform) bool { return only == p.os+"/"+p.arch }) {
		return fmt.Errorf("-platform: nothing is made for %s", only)
	}
	if version != "" {
		if err := agree(".", version); err != nil {
			return fmt.Errorf("the files do not agree on the version, see docs/releasing.md:\n%w", err)
		}
	}
	r := release{version: version, out: out}
	if err := r.describe(); err != nil {
		return err
	}
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	if r.notices, err = notices(); err != nil {
		return fmt.Errorf("collect licenses: %w", err)
	}
	for _, p := range platforms {
		if only != "" && only != p.os+"/"+p.arch {
			continue
		}
		if err := r.make(p); err != nil {
			return fmt.Errorf("%s/%s: %w", p.os, p.arch, err)
		}
	}
	return r.checksums()
}

// describe asks git which version this is and when it was made. A tag is v1.2.3.
func (r *release) describe() (err error) {
	if r.version == "" {
		if r.version, err = output("git", "describe", "--tags", "--always", "--dirty", "--match", "v[0-9]*"); err != nil {
			return err
		}
		r.version = strings.TrimPrefix(r.version, "v")
	}
	if r.commit, err = output("git", "rev-parse", "HEAD"); err != nil {
		return err
	}
	changes, err := output("git", "status", "--porcelain", "--untracked-files=no")
	if err != nil {
		return err
	}
	if changes != "" {
		r.changed = "-dirty"
	}
	seconds, err := output("git", "log", "-1", "--format=%ct")
	if err != nil {
		return err
	}
	unix, err := strconv.ParseInt(seconds, 10, 64)
	r.made = time.Unix(unix, 0).UTC()
	return err
}

// make builds one platform's binary, its archive and, for linux, its image.
func (r *release) make(p platform) error {
	dir, err := os.MkdirTemp("", "release-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	binary := filepath.Join(dir, "tollkeeper"+p.suffix())
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", // its stamp is not the same in a clone and in a worktree
		"-ldflags=-s -w -X main.release="+r.version+" -X main.commit="+r.commit[:12]+r.changed, "-o", binary, "./server/cmd/tollkeeper")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.os, "GOARCH="+p.arch)
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return err
	}
	if err := r.archive(p, binary); err != nil {
		return err
	}
	if p.os != "linux" {
		return nil
	}
	return r.image(p, binary)
}

func (p platform) suffix() string {
	if p.os == "windows" {
		return ".exe"
	}
	return ""
}

// name is what an archive is called, and the folder in it.
func (r *release) name(p platform) string {
	return fmt.Sprintf("tollkeeper_%s_%s_%s", r.version, p.os, p.arch)
}

// checksums writes them in the form that sha256sum -c reads.
func (r *release) checksums() error {
	made, err := os.ReadDir(r.out)
	if err != nil {
		return err
	}
	var lines strings.Builder
	for _, entry := range made {
		sum := sha256.New()
		file, err := os.Open(filepath.Join(r.out, entry.Name()))
		if err != nil {
			return err
		}
		_, err = io.Copy(sum, file)
		_ = file.Close()
		if err != nil {
			return err
		}
		fmt.Fprintf(&lines, "%x  %s\n", sum.Sum(nil), entry.Name())
	}
	fmt.Print(lines.String())
	return os.WriteFile(filepath.Join(r.out, "checksums.txt"), []byte(lines.String()), 0o644)
}

func output(name string, args ...string) (string, error) {
	run := exec.Command(name, args...)
	run.Stderr = os.Stderr
	out, err := run.Output()
	return strings.TrimSpace(string(out)), err
}
