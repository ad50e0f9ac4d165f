package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"tollkeeper/domain/account"
	"tollkeeper/server/webhooks"
)

// checkRanges refuses a number or a time that is set and lies outside of its range.
func checkRanges(environ environment, set map[string]string) error {
	values := reflect.ValueOf(environ)
	for _, field := range reflect.VisibleFields(values.Type()) {
		least, most, bounded := strings.Cut(field.Tag.Get("range"), " to ")
		if !bounded || set[field.Tag.Get("env")] == "" {
			continue
		}
		low, err := bound(field, least)
		if err != nil {
			return err
		}
		high, err := bound(field, most)
		if err != nil {
			return err
		}
		if n := values.FieldByIndex(field.Index).Int(); n < low || n > high {
			return fmt.Errorf("%s: must be %s", field.Tag.Get("env"), formOf(field))
		}
	}
	return nil
}

// bound reads an end of the range of a field. A time counts in nanoseconds.
func bound(field reflect.StructField, text string) (int64, error) {
	if field.Type == reflect.TypeFor[time.Duration]() {
		long, err := time.ParseDuration(text)
		return int64(long), err
	}
	return strconv.ParseInt(text, 10, 64)
}

// fileSuffix is what follows the name of a secret where a file has its value.
const fileSuffix = "_FILE"

// secretNames are the variables whose values may be in files.
func secretNames() (names []string) {
	for _, field := range reflect.VisibleFields(reflect.TypeFor[environment]()) {
		if field.Tag.Get("secret") != "" {
			names = append(names, field.Tag.Get("env"))
		}
	}
	return names
}

// mostOfSecret bounds the file of a secret, in bytes: a larger one is another file.
const mostOfSecret = 16 << 10

// readSecrets sets the secrets whose files are named. A line break at the end of a file is not a part of it.
func readSecrets(set map[string]string) error {
	for _, name := range secretNames() {
		path := set[name+fileSuffix]
		if path == "" {
			continue
		}
		if set[name] != "" {
			return fmt.Errorf("%s%s: set either this or %s, not both", name, fileSuffix, name)
		}
		text, err := os.ReadFile(path)
		switch {
		case err != nil:
			return fmt.Errorf("%s%s: %w", name, fileSuffix, err)
		case len(text) > mostOfSecret:
			return fmt.Errorf("%s%s: the file is larger than %d bytes", name, fileSuffix, mostOfSecret)
		case strings.TrimSpace(string(text)) == "":
			return fmt.Errorf("%s%s: the file is empty", name, fileSuffix)
		}
		set[name] = strings.TrimRight(string(text), "\r\n")
	}
	return nil
}

// check refuses what no command could work with. Messages never repeat a secret.
func (e environment) check() error {
	for _, url := range [][2]string{
		{"TOLLKEEPER_DATABASE_URL", e.DatabaseURL}, {"TOLLKEEPER_MIGRATE_URL", e.MigrateURL}, {"TOLLKEEPER_REPLICA_URL", e.ReplicaURL},
	} {
		if err := checkDatabaseURL(url[1]); err != nil {
			return fmt.Errorf("%s: %w", url[0], err)
		}
	}
	if e.MigrateURL != "" && e.DatabaseURL == "" {
		return errors.New("TOLLKEEPER_MIGRATE_URL: needs TOLLKEEPER_DATABASE_URL, the login of the server in the same database")
	}
	if e.ReplicaURL != "" && e.DatabaseURL == "" {
		return errors.New("TOLLKEEPER_REPLICA_URL: needs TOLLKEEPER_DATABASE_URL, the database that it is a standby of")
	}
	for _, addr := range [][2]string{{"TOLLKEEPER_ADDR", e.Addr}, {"TOLLKEEPER_ADMIN_ADDR", e.AdminAddr}} {
		if err := checkAddr(addr[1]); err != nil {
			return fmt.Errorf("%s: %w", addr[0], err)
		}
	}
	if e.APIKey != "" && !account.IsKeyText(e.APIKey) {
		return errors.New("TOLLKEEPER_API_KEY: must have 20 to 200 visible ASCII characters")
	}
	if e.Mirror != "" {
		if at, err := url.Parse(e.Mirror); err != nil || at.Scheme != "https" && at.Scheme != "http" || at.Host == "" {
			return errors.New("TOLLKEEPER_POSTGRES_MIRROR: must be a URL that begins with https:// or http://")
		}
	}
	if _, err := webhooks.ParseNetworks(e.TrustedProxies); err != nil {
		return fmt.Errorf("TOLLKEEPER_TRUSTED_PROXIES: %w", err)
	}
	if _, err := e.webhookNetworks(); err != nil {
		return err
	}
	if _, err := e.publicURL(); err != nil {
		return err
	}
	if _, err := e.smtp(); err != nil {
		return err
	}
	if _, err := e.shutdownDelay(); err != nil {
		return err
	}
	_, err := e.logger(os.Stderr)
	return err
}

// Messages about the URL of a database.
var (
	errNoPostgresURL = errors.New("must begin with postgres://, as postgres://user:password@host:5432/tollkeeper")
	errNoDatabase    = errors.New("must name a database, as postgres://user:password@host:5432/tollkeeper")
	errEncode        = errors.New("cannot be read as postgres://user:password@host:5432/tollkeeper; percent-encode what is neither a letter nor a digit in the password: / is %2F, @ is %40, : is %3A")
)

// checkDatabaseURL refuses what is no URL of a PostgreSQL. It repeats nothing of the text, which has a password.
// "" is none, and passes; so do the keywords and values of libpq.
func checkDatabaseURL(text string) error {
	if text == "" {
		return nil
	}
	scheme, _, isURL := strings.Cut(text, "://")
	if isURL && scheme != "postgres" && scheme != "postgresql" {
		return errNoPostgresURL
	}
	if !isURL && !strings.Contains(text, "=") {
		return errNoPostgresURL
	}
	parsed, err := pgx.ParseConfig(text)
	var file *fs.PathError
	switch {
	case errors.As(err, &file): // such as a certificate
		return file
	case err != nil:
		return errEncode
	case parsed.Database == "":
		return errNoDatabase
	case isURL && strings.Contains(parsed.Database, "@"):
		return errEncode
	}
	return nil
}

// checkAddr refuses what is no address to listen at. "" is none, and passes.
func checkAddr(addr string) error {
	if addr == "" {
		return nil
	}
	_, port, err := net.SplitHostPort(addr)
	if err == nil {
		if _, err = strconv.ParseUint(port, 10, 16); err == nil {
			return nil
		}
	}
	return errors.New("must be an address with a port from 0 to 65535, such as 127.0.0.1:8080 or :8080")
}
