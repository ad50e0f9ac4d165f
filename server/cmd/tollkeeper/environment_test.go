package main

import (
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// documented is a row of the tables of docs/configuration.md: variables, and what their values are.
type documented struct {
	names  []string
	values string
}

var variable = regexp.MustCompile("`(TOLLKEEPER_[A-Z_]+)`")

// settingsOf reads the tables of the guide to configuration.
func settingsOf(guide string) (rows []documented) {
	GinkgoHelper()
	text, err := os.ReadFile(guide)
	Expect(err).NotTo(HaveOccurred())
	for _, line := range strings.Split(string(text), "\n") {
		cells := strings.Split(line, "|")
		if len(cells) != 6 || !strings.HasPrefix(line, "| `TOLLKEEPER_") {
			continue
		}
		row := documented{values: strings.TrimSpace(cells[2])}
		for _, found := range variable.FindAllStringSubmatch(cells[1], -1) {
			row.names = append(row.names, found[1])
		}
		rows = append(rows, row)
	}
	return rows
}

// badValues are what must be refused for each kind of value that the guide names. A number has its own range.
var badValues = map[string][]string{
	"URL of PostgreSQL":                  {"mysql://user:hunter2@a/b", "nonsense", "postgres://user:hunter2/x@host/b", "postgres://user:hunter2@host:5432"},
	"URL of a mail server":               {"http://user:hunter2@a", "smtp:hunter2", "smtp://user:hunter2@a:99999"},
	"URL":                                {"ftp://a", "nonsense"},
	"URL without a path":                 {"https://a/b", "nonsense"},
	"address":                            {"nonsense", "127.0.0.1:70000", "127.0.0.1"},
	"mail address":                       {"nonsense"},
	"networks":                           {"10.0.0.0/64", "nonsense"},
	"key":                                {"short", "a key that has spaces in it", strings.Repeat("x", 201)},
	"folder":                             {"/dev/null/folder"},
	"folder of fonts":                    {"/dev/null/folder"},
	"file":                               {"/dev/null/file"},
	"1s to 24h":                          {"many", "5", "0s", "-1m", "25h"},
	"duration, 0 to 10m":                 {"soon", "-1s", "601", "10m1s"},
	"`true` or `false`":                  {"maybe"},
	"`text` or `json`":                   {"xml"},
	"`debug`, `info`, `warn` or `error`": {"loud"},
}

var numbers = regexp.MustCompile(`^([\d,]+) to ([\d,]+)$`)

// needed are other settings without which a setting is refused for another reason.
var needed = map[string]map[string]string{
	"TOLLKEEPER_MIGRATE_URL": {"TOLLKEEPER_DATABASE_URL": "postgres://a@127.0.0.1:1/a"},
	"TOLLKEEPER_REPLICA_URL": {"TOLLKEEPER_DATABASE_URL": "postgres://a@127.0.0.1:1/a"},
	"TOLLKEEPER_MAIL_FROM":   {"TOLLKEEPER_SMTP_URL": "smtp://mail.example"},
	"TOLLKEEPER_TLS_CERT":    {"TOLLKEEPER_TLS_KEY": "/dev/null/key"},
	"TOLLKEEPER_TLS_KEY":     {"TOLLKEEPER_TLS_CERT": "/dev/null/cert"},
}

var _ = Describe("A bad value of a setting", func() {
	for _, row := range settingsOf("../../../docs/configuration.md") {
		bad := badValues[row.values]
		if found := numbers.FindStringSubmatch(row.values); found != nil {
			bad = []string{"many", "1.5", "-1", strings.ReplaceAll(found[2], ",", "") + "0"}
			if found[1] != "0" {
				bad = append(bad, "0")
			}
		}
		for _, name := range row.names {
			It("is refused by the name of "+name, func() {
				Expect(bad).NotTo(BeEmpty(), "no bad value is known for %q", row.values)
				set("TOLLKEEPER_ADDR", "127.0.0.1:0")
				set("TOLLKEEPER_DATABASE_URL", "")
				set("TOLLKEEPER_DATA_DIR", filepath.Join(GinkgoT().TempDir(), "data"))
				for other, value := range needed[name] {
					set(other, value)
				}
				for _, value := range bad {
					set(name, value)
					err := run(context.Background(), []string{"serve"}, GinkgoWriter)
					Expect(err).To(MatchError(ContainSubstring(name)), value)
					Expect(err).NotTo(MatchError(ContainSubstring("hunter2")))
				}
			})
		}
	}

	It("has a case for each setting, with the range that the guide tells", func() {
		told := map[string]string{}
		for _, row := range settingsOf("../../../docs/configuration.md") {
			for _, name := range row.names {
				told[name] = row.values
			}
		}
		for _, field := range reflect.VisibleFields(reflect.TypeFor[environment]()) {
			name := field.Tag.Get("env")
			Expect(told).To(HaveKey(name))
			if field.Type.Kind() == reflect.Int || field.Type.Kind() == reflect.Int64 {
				Expect(strings.ReplaceAll(told[name], ",", "")).To(Equal(field.Tag.Get("range")), name)
			}
		}
		Expect(told).To(HaveLen(len(settingNames())))
	})
})

var _ = Describe("A secret", func() {
	It("is read from a file", func() {
		path := filepath.Join(GinkgoT().TempDir(), "url")
		set("TOLLKEEPER_DATABASE_URL", "")
		set("TOLLKEEPER_DATABASE_URL_FILE", path)
		Expect(os.WriteFile(path, []byte("postgres://a@127.0.0.1:1/there\n"), 0o600)).To(Succeed())
		environ, err := readEnvironment()
		Expect(err).NotTo(HaveOccurred())
		Expect(environ.DatabaseURL).To(Equal("postgres://a@127.0.0.1:1/there"))
	})

	DescribeTable("is refused by name",
		func(variable, value, words string) {
			set("TOLLKEEPER_SMTP_URL", "")
			set(variable, value)
			_, err := readEnvironment()
			Expect(err).To(MatchError(ContainSubstring(words)))
		},
		Entry("when its file is missing", "TOLLKEEPER_SMTP_URL_FILE", "/nowhere", "TOLLKEEPER_SMTP_URL_FILE: open /nowhere"),
		Entry("when its file is empty", "TOLLKEEPER_SMTP_URL_FILE", "/dev/null", "TOLLKEEPER_SMTP_URL_FILE: the file is empty"),
		Entry("when a setting that is none may be in a file", "TOLLKEEPER_ADDR_FILE", "/dev/null", "TOLLKEEPER_ADDR_FILE: is not a setting"),
	)

	It("is refused when it is set twice", func() {
		set("TOLLKEEPER_API_KEY", "tk_test_0123456789abcdef")
		set("TOLLKEEPER_API_KEY_FILE", "/dev/null")
		_, err := readEnvironment()
		Expect(err).To(MatchError(ContainSubstring("TOLLKEEPER_API_KEY_FILE: set either this or TOLLKEEPER_API_KEY")))
	})

	It("is not printed when the server starts, though the first account has it", func() {
		set("TOLLKEEPER_API_KEY", "tk_test_0123456789abcdef")
		out := new(bytes.Buffer)
		welcome{made: true, given: true, owner: "acct_1"}.print(out, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080}, false)
		Expect(out.String()).To(And(ContainSubstring("$TOLLKEEPER_API_KEY"), Not(ContainSubstring("0123456789abcdef"))))
	})
})

var _ = Describe("The process", func() {
	// program is this program by the name of the command line.
	program := func() string {
		GinkgoHelper()
		test, err := os.Executable()
		Expect(err).NotTo(HaveOccurred())
		path := filepath.Join(GinkgoT().TempDir(), itself)
		Expect(os.Symlink(test, path)).To(Succeed())
		return path
	}

	It("tells its version by a flag", func() {
		text, err := exec.Command(program(), "--version").Output()
		Expect(err).NotTo(HaveOccurred())
		Expect(string(text)).To(HavePrefix("tollkeeper development"))
	})

	It("says in JSON why it ends, where the log is JSON", func() {
		command := exec.Command(program(), "serve")
		command.Env = append(os.Environ(), "TOLLKEEPER_LOG=json", "TOLLKEEPER_ADDR=nonsense")
		var told bytes.Buffer
		command.Stderr = &told
		Expect(command.Run()).NotTo(Succeed())
		Expect(told.String()).To(And(HavePrefix("{"), ContainSubstring(`"level":"ERROR","msg":"TOLLKEEPER_ADDR: `)))
	})

	It("ends its PostgreSQL when the reader of its output is gone", func(ctx SpecContext) {
		dir, err := os.MkdirTemp("", "tkp-")
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(os.RemoveAll, dir)
		command := exec.CommandContext(ctx, "bash", "-c", `set -o pipefail; "$0" serve 2>&1 | head -1`, program())
		command.Env = append(os.Environ(), "TOLLKEEPER_DATABASE_URL=", "TOLLKEEPER_DATA_DIR="+dir, "TOLLKEEPER_ADDR=127.0.0.1:0")
		told, err := command.CombinedOutput()
		Expect(err).NotTo(HaveOccurred(), "%s", told)
		Expect(filepath.Glob(filepath.Join(dir, "postgres", "postmaster.pid"))).To(BeEmpty())
	}, NodeTimeout(startWithin*2))
})
