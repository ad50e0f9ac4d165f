package main

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/caarlos0/env/v11"
)

// environment is what the process is told from outside.
type environment struct {
	DatabaseURL string `env:"TOLLKEEPER_DATABASE_URL"`
	MigrateURL  string `env:"TOLLKEEPER_MIGRATE_URL"` // of the same database, as its owner; "": DatabaseURL is the owner's
	ReplicaURL  string `env:"TOLLKEEPER_REPLICA_URL"` // of a standby of that database, with the login of the server; "": none
	Addr        string `env:"TOLLKEEPER_ADDR" envDefault:"127.0.0.1:8080"`
	PublicURL   string `env:"TOLLKEEPER_PUBLIC_URL"` // of links; "": by Addr
	FontDir     string `env:"TOLLKEEPER_FONT_DIR"`   // with fonts for documents, beside that of the program; "": none
	AdminAddr   string `env:"TOLLKEEPER_ADMIN_ADDR"` // for /metrics and /readyz?deep; "": they are at Addr
	DataDir     string `env:"TOLLKEEPER_DATA_DIR" envDefault:".data"`
	APIKey      string `env:"TOLLKEEPER_API_KEY"`
	Buckets     bool   `env:"TOLLKEEPER_BUCKETS" envDefault:"true"`
	KeepMonths  int    `env:"TOLLKEEPER_KEEP_EVENTS_MONTHS"` // 0: for ever
	KeyFilters  int64  `env:"TOLLKEEPER_KEY_FILTERS_MB" envDefault:"256"`
	Workers     int    `env:"TOLLKEEPER_WORKERS"` // 0: as many as there are processors, within the share of an account
	Log         string `env:"TOLLKEEPER_LOG" envDefault:"text"`
	LogLevel    string `env:"TOLLKEEPER_LOG_LEVEL" envDefault:"info"`

	TLSCert string `env:"TOLLKEEPER_TLS_CERT"` // files, in PEM; "" for both: no TLS
	TLSKey  string `env:"TOLLKEEPER_TLS_KEY"`

	SharedBuffers int64  `env:"TOLLKEEPER_SHARED_BUFFERS_MB"` // of the private PostgreSQL; 0: by the memory
	BackupDir     string `env:"TOLLKEEPER_BACKUP_DIR"`        // of the private PostgreSQL; "": no log is archived
	Mirror        string `env:"TOLLKEEPER_POSTGRES_MIRROR"`   // URL to fetch the private PostgreSQL from; "": with npm

	SMTPURL  string `env:"TOLLKEEPER_SMTP_URL"`  // of the mail server; "": mails wait
	MailFrom string `env:"TOLLKEEPER_MAIL_FROM"` // the server's own sender; "": none

	StrangersPerSecond int `env:"TOLLKEEPER_STRANGERS_PER_SECOND" envDefault:"50"` // requests without a good key, of an address; 0: any number

	TrustedProxies  []string `env:"TOLLKEEPER_TRUSTED_PROXIES"`  // networks that may name the client in X-Forwarded-For
	WebhookNetworks []string `env:"TOLLKEEPER_WEBHOOK_NETWORKS"` // beside public addresses
}

// prefix is what the names of all settings begin with.
const prefix = "TOLLKEEPER_"

// readEnvironment names the variable that cannot be read, if one cannot, and those that are no
// settings: a misspelt one would be silently without effect.
func readEnvironment() (environment, error) {
	if err := refuseUnknown(os.Environ()); err != nil {
		return environment{}, err
	}
	environ, err := env.ParseAs[environment]()
	var wrong env.ParseError
	if errors.As(err, &wrong) {
		must := "must be a whole number"
		if wrong.Type.Kind() == reflect.Bool {
			must = "must be true or false"
		}
		field, _ := reflect.TypeFor[environment]().FieldByName(wrong.Name)
		return environ, fmt.Errorf("%s: %s", field.Tag.Get("env"), must)
	}
	if err != nil {
		return environ, err
	}
	if environ.MigrateURL != "" && environ.DatabaseURL == "" {
		return environ, errors.New("TOLLKEEPER_MIGRATE_URL: needs TOLLKEEPER_DATABASE_URL, the login of the server in the same database")
	}
	if environ.ReplicaURL != "" && environ.DatabaseURL == "" {
		return environ, errors.New("TOLLKEEPER_REPLICA_URL: needs TOLLKEEPER_DATABASE_URL, the database that it is a standby of")
	}
	_, err = environ.logger(os.Stderr)
	return environ, err
}

// settingNames are the variables that are read.
func settingNames() (names []string) {
	for _, field := range reflect.VisibleFields(reflect.TypeFor[environment]()) {
		names = append(names, field.Tag.Get("env"))
	}
	return names
}

// refuseUnknown names the variables of this product that are no settings.
func refuseUnknown(environ []string) error {
	known := settingNames()
	var errs []error
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(name, prefix) && !slices.Contains(known, name) {
			errs = append(errs, fmt.Errorf("%s: is not a setting; settings are %s", name, strings.Join(known, ", ")))
		}
	}
	return errors.Join(errs...)
}
