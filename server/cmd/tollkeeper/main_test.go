package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/jackc/pgx/v5"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gbytes"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/event"
	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

var _ = Describe("The command line", func() {
	var url string

	BeforeEach(func() {
		url = storetest.URL(storetest.New())
		set("TOLLKEEPER_DATABASE_URL", url)
		set("TOLLKEEPER_ADDR", "127.0.0.1:0")
		set("TOLLKEEPER_API_KEY", "")
	})

	// printed runs a command and decodes the JSON it prints.
	printed := func(args ...string) map[string]any {
		GinkgoHelper()
		var out bytes.Buffer
		Expect(run(context.Background(), args, &out)).To(Succeed())
		var value map[string]any
		Expect(json.Unmarshal(out.Bytes(), &value)).To(Succeed(), out.String())
		return value
	}
	create := func() string {
		GinkgoHelper()
		return printed("account", "create", "--name", "Ours", "--mode", "test", "--json")["id"].(string)
	}

	It("makes accounts with a key, and lists them", func() {
		made := printed("account", "create", "--name", "Ours", "--mode", "live", "--timezone", "Asia/Tokyo", "--json")
		Expect(made["api_key"]).To(HavePrefix("tk_live_"))
		Expect(made["settings"]).To(HaveKeyWithValue("timezone", "Asia/Tokyo"))
		var out bytes.Buffer
		Expect(run(context.Background(), []string{"account", "list"}, &out)).To(Succeed())
		Expect(out.String()).To(ContainSubstring(made["id"].(string)))
	})

	It("changes settings, and says what a value must be", func() {
		id := create()
		Expect(printed("account", "set", id, "grace_period", "30m", "--json")["settings"]).To(HaveKeyWithValue("grace_period", "30m0s"))
		err := run(context.Background(), []string{"account", "set", id, "grace_period", "soon"}, GinkgoWriter)
		Expect(err).To(MatchError(ContainSubstring("grace_period: must be a duration")))
	})

	It("makes and revokes keys, and never shows one again", func() {
		id := create()
		made := printed("key", "create", "--account", id, "--name", "script", "--expires-in", "1h", "--json")
		Expect(made["expires_at"]).NotTo(BeNil())
		Expect(printed("key", "revoke", made["id"].(string), "--json")["revoked_at"]).NotTo(BeNil())
		var out bytes.Buffer
		Expect(run(context.Background(), []string{"key", "list", "--account", id}, &out)).To(Succeed())
		Expect(out.String()).To(ContainSubstring(made["hint"].(string)))
		Expect(out.String()).NotTo(ContainSubstring(made["api_key"].(string)))
	})

	It("makes another key of the account of the demo, whose first one is not shown again", func() {
		Expect(run(context.Background(), []string{"demo", "--key"}, GinkgoWriter)).To(MatchError(ContainSubstring(`there is no account "Demo"`)))
		id := printed("account", "create", "--name", "Demo", "--mode", "test", "--json")["id"].(string)
		var out bytes.Buffer
		Expect(run(context.Background(), []string{"demo", "--key"}, &out)).To(Succeed())
		Expect(out.String()).To(MatchRegexp(id + `, "Demo":\s+tk_test_\w{43}`))
	})

	It("finds no plan of another account", func() {
		for _, move := range []string{"activate", "archive"} {
			err := run(context.Background(), []string{"plan", move, "--account", create(), "plan_none"}, GinkgoWriter)
			Expect(err).To(MatchError(ContainSubstring("type Plan with identifier: plan_none")))
		}
	})

	It("plans migrations of plans, and refuses those that make no sense", func() {
		id := create()
		st, err := store.Open(context.Background(), url)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(st.Close)
		var plan catalog.Plan
		Expect(st.Update(store.WithAccount(context.Background(), id), func(tx *store.Tx) (err error) {
			plan, err = catalog.CreatePlan(tx, catalog.NewPlan{Name: "Pro", Currency: "USD", Status: catalog.PlanActive})
			if err == nil {
				_, err = catalog.CreateVersion(tx, plan.ID, catalog.NewVersion{Version: 2})
			}
			return err
		})).To(Succeed())
		made := printed("plan", "migrate", "--account", id, plan.ID, "--from", "1", "--to", "2", "--effective", "end_of_term", "--json")
		Expect(made).To(And(HaveKeyWithValue("status", "completed"), HaveKeyWithValue("effective_time", "end_of_term")))
		var out bytes.Buffer
		Expect(run(context.Background(), []string{"plan", "migrate", "--account", id, plan.ID, "--to", "2"}, &out)).To(Succeed())
		Expect(out.String()).To(MatchRegexp(`migration mig_\w+: 0 subscriptions of plan plan_\w+ to version 2`))
		for word, args := range map[string][]string{
			"PlanVersion with identifier: 3": {plan.ID, "--to", "3"},
			"Plan with identifier: none":     {"none", "--to", "2"},
			"effective: must be a date":      {plan.ID, "--to", "2", "--effective", "soon"},
			"effective: must not be past":    {plan.ID, "--to", "2", "--effective", "2020-01-01"},
		} {
			err := run(context.Background(), append([]string{"plan", "migrate", "--account", id}, args...), GinkgoWriter)
			Expect(err).To(MatchError(ContainSubstring(word)))
		}
	})

	It("refuses to serve on a database that may forget", func() {
		err := run(context.Background(), []string{"serve"}, GinkgoWriter)
		Expect(err).To(MatchError(ContainSubstring("fsync = off")))
	})

	It("settles how events are numbered where a dump was restored", func() {
		conn, err := pgx.Connect(context.Background(), url)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(conn.Close, context.Background())
		// As a row of a dump: another transaction wrote it.
		_, err = conn.Exec(context.Background(), "UPDATE event_numbering SET ceiling = 5::bigint << 32")
		Expect(err).NotTo(HaveOccurred())
		Expect(run(context.Background(), []string{"account", "list"}, GinkgoWriter)).To(Succeed())
		var number int64
		Expect(conn.QueryRow(context.Background(), "SELECT event_number() >> 20").Scan(&number)).To(Succeed())
		Expect(number).To(BeNumerically(">", int64(5)<<32))
	})

	DescribeTable("says what is wrong with how it is called, and what to do",
		func(variable, value string, args []string, words ...string) {
			set(variable, value)
			err := run(context.Background(), args, GinkgoWriter)
			for _, word := range words {
				Expect(err).To(MatchError(ContainSubstring(word)))
			}
		},
		Entry("by a variable that is true or false", "TOLLKEEPER_BUCKETS", "maybe", []string{"doctor"}, "TOLLKEEPER_BUCKETS: must be true or false"),
		Entry("by a variable that is a number", "TOLLKEEPER_WORKERS", "many", []string{"doctor"}, "TOLLKEEPER_WORKERS: must be a whole number"),
		Entry("by the form of the log", "TOLLKEEPER_LOG", "xml", []string{"version"}, "TOLLKEEPER_LOG: must be text or json"),
		Entry("by the level of the log", "TOLLKEEPER_LOG_LEVEL", "loud", []string{"version"}, "TOLLKEEPER_LOG_LEVEL: must be debug, info, warn or error"),
		Entry("without a command", "TOLLKEEPER_BUCKETS", "true", nil, "expected one of", "tollkeeper --help"),
		Entry("with a flag that there is not", "TOLLKEEPER_BUCKETS", "true", []string{"serve", "--nope"}, "unknown flag --nope", "--help"),
	)

	It("says that its address is taken", func() {
		taken, err := net.Listen("tcp", "127.0.0.1:0")
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(taken.Close)
		set("TOLLKEEPER_ADDR", taken.Addr().String())
		err = run(context.Background(), []string{"serve"}, GinkgoWriter)
		Expect(err).To(MatchError("something serves at " + taken.Addr().String() + " already: stop it, or set TOLLKEEPER_ADDR to another address"))
	})

	It("tells all that it finds, and ends with status 1 when something is wrong", func() {
		out := new(bytes.Buffer)
		err := run(context.Background(), []string{"doctor"}, out)
		Expect(err).To(MatchError(HavePrefix("wrong: 3 of ")))
		Expect(statusOf(err)).To(Equal(1))
		for _, words := range []string{"WRONG: the database runs with fsync = off", "full_page_writes = off", "synchronous_commit = off", "roles", "migrations", "wal_compression", "events"} {
			Expect(out.String()).To(ContainSubstring(words))
		}

		out.Reset()
		Expect(run(context.Background(), []string{"doctor", "--json"}, out)).NotTo(Succeed())
		var told struct {
			Findings []finding
			Healthy  bool
		}
		Expect(json.Unmarshal(out.Bytes(), &told)).To(Succeed())
		Expect(told.Healthy).To(BeFalse())
		Expect(told.Findings).To(ContainElement(And(HaveField("Subject", "connection"), HaveField("Wrong", true))))
		Expect(told.Findings).To(ContainElement(finding{Subject: "migrations", Found: "applied"}))
	})

	It("tells which proxies are trusted, and what is amiss behind one where none is", func() {
		out := new(bytes.Buffer)
		Expect(run(context.Background(), []string{"doctor"}, out)).NotTo(Succeed())
		Expect(out.String()).To(MatchRegexp(`trusted proxies +none: .*slows down the sign-ins of all.*TOLLKEEPER_TRUSTED_PROXIES`))
		set("TOLLKEEPER_TRUSTED_PROXIES", "10.0.0.0/24,2001:db8::1")
		out.Reset()
		Expect(run(context.Background(), []string{"doctor"}, out)).NotTo(Succeed())
		Expect(out.String()).To(MatchRegexp(`trusted proxies +10\.0\.0\.0/24, 2001:db8::1 may name the address of a client`))
	})

	It("tells that no database answers", func() {
		set("TOLLKEEPER_DATABASE_URL", "postgres://none@127.0.0.1:1/none?connect_timeout=1")
		out := new(bytes.Buffer)
		Expect(run(context.Background(), []string{"doctor"}, out)).To(MatchError(HavePrefix("wrong: 1 of ")))
		Expect(out.String()).To(ContainSubstring("WRONG: connect to the database"))
	})

	It("tells which build it is, without a database", func() {
		set("TOLLKEEPER_DATABASE_URL", "postgres://none@127.0.0.1:1/none")
		out := new(bytes.Buffer)
		Expect(run(context.Background(), []string{"version"}, out)).To(Succeed())
		Expect(out.String()).To(MatchRegexp(`^tollkeeper development.*, go1\.\d+\S*, \w+/\w+\n$`))
		Expect(printed("version", "--json")).To(And(HaveKeyWithValue("version", "development"), HaveKey("commit")))
	})

	DescribeTable("makes no data folder but to serve and to migrate",
		func(healthy bool, args ...string) {
			dir := filepath.Join(GinkgoT().TempDir(), "data")
			set("TOLLKEEPER_DATABASE_URL", "")
			set("TOLLKEEPER_DATA_DIR", dir)
			err := run(context.Background(), args, GinkgoWriter)
			if !healthy {
				Expect(err).To(MatchError(ContainSubstring("there is no database in " + dir)))
			}
			Expect(dir).NotTo(BeADirectory())
		},
		Entry("account", false, "account", "list"),
		Entry("key", false, "key", "list", "--account", "acct_none"),
		Entry("verify", false, "verify"),
		Entry("webhook", false, "webhook", "list", "--account", "acct_none"),
		Entry("plan", false, "plan", "activate", "--account", "acct_none", "plan_none"),
		Entry("doctor", true, "doctor"),
		Entry("version", true, "version"),
	)

	It("lets the variable of compose.yaml be, which a file of variables gives to the container too", func() {
		Expect(os.ReadFile("../../../deploy/compose.yaml")).To(ContainSubstring("${TOLLKEEPER_IMAGE:"))
		set("TOLLKEEPER_IMAGE", "tollkeeper:1.2.3")
		Expect(run(context.Background(), []string{"version"}, GinkgoWriter)).To(Succeed())
	})

	It("names each variable that is no setting", func() {
		set("TOLLKEEPER_DATABSE_URL", "postgres://typo")
		set("TOLLKEEPER_WORKER", "1")
		err := run(context.Background(), []string{"version"}, GinkgoWriter)
		Expect(err).To(MatchError(ContainSubstring("TOLLKEEPER_DATABSE_URL: is not a setting; settings are TOLLKEEPER_DATABASE_URL, ")))
		Expect(err).To(MatchError(ContainSubstring("TOLLKEEPER_WORKER: is not a setting")))
	})

	It("lists every setting in the guide to configuration", func() {
		text, err := os.ReadFile("../../../docs/configuration.md")
		Expect(err).NotTo(HaveOccurred())
		for _, name := range settingNames() {
			Expect(string(text)).To(MatchRegexp("(?m)^\\| [^|]*`" + name + "`[^|]* \\|"))
		}
	})

	It("logs as text or JSON, from a level on", func() {
		for form, line := range map[string]string{"text": "level=WARN msg=late", "json": `"level":"WARN","msg":"late"`} {
			out := new(bytes.Buffer)
			log, err := environment{Log: form, LogLevel: "warn"}.logger(out)
			Expect(err).NotTo(HaveOccurred())
			log.Info("early")
			log.Warn("late")
			Expect(out.String()).To(ContainSubstring(line))
			Expect(out.String()).NotTo(ContainSubstring("early"))
		}
	})

})

var _ = DescribeTable("The doctor tells what events take on disk",
	func(s event.Storage, events, all string) {
		rows := showStorage(s)
		Expect(rows[0]).To(Equal([]string{"events", events}))
		Expect(rows[len(rows)-2]).To(Equal([]string{"  all", all}))
	},
	Entry("in all", event.Storage{Months: 3, Table: 3 << 20, Indexes: 1}, "0 in 3 months", "3 MB"),
	Entry("and each", event.Storage{Events: 1000, Months: 1, Table: 200_000, Indexes: 100_000, Keys: 90_000, Buckets: 10_999},
		"1000 in 1 months", "0 MB, 400 bytes an event"),
)

// startWithin bounds a start on a busy machine.
const startWithin = 3 * time.Minute

var _ = Describe("Serving on a fresh machine", func() {
	It("answers the key it prints, and the same key when it starts again", func() {
		dir, err := os.MkdirTemp("", "tkm-")
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(os.RemoveAll, dir)
		set("TOLLKEEPER_DATABASE_URL", "")
		set("TOLLKEEPER_DATA_DIR", dir)
		set("TOLLKEEPER_ADDR", "127.0.0.1:0")
		set("TOLLKEEPER_API_KEY", "")

		key := ""
		for range 2 {
			ctx, stop := context.WithCancel(context.Background())
			out, ended := gbytes.NewBuffer(), make(chan error, 1)
			go func() { ended <- run(ctx, []string{"serve"}, out) }()
			Eventually(out).WithTimeout(startWithin).Should(gbytes.Say(`/v1/ping`))
			text := string(out.Contents())
			if key == "" {
				key = regexp.MustCompile(`tk_test_\w{43}`).FindString(text)
			}
			Expect(text).To(ContainSubstring("key"))
			address := regexp.MustCompile(`http://\S+/v1/ping`).FindString(text)
			Expect(ping(address, key)).To(Equal(http.StatusOK))
			Expect(ping(address, key+"x")).To(Equal(http.StatusUnauthorized))
			// a command works beside the server, on the same database
			list := gbytes.NewBuffer()
			Expect(run(context.Background(), []string{"account", "list"}, list)).To(Succeed())
			Expect(list).To(gbytes.Say(`acct_\w+\s+test`))
			// which makes room for events to come, of three months at first
			Eventually(func() string {
				found := gbytes.NewBuffer()
				Expect(run(context.Background(), []string{"doctor"}, found)).To(Succeed())
				return string(found.Contents())
			}).WithTimeout(startWithin).Should(MatchRegexp(`log\s+wal_compression = (zstd|pglz)\ndue work\s+none is parked\nevents\s+0 in 3 months\n  on disk\s+0 MB\n  their indexes\s+0 MB\n  their keys\s+0 MB\n(?s:.*)filters of keys\s+0 MB, of 0 of 0 closed parts`))
			Expect(ping(address, key)).To(Equal(http.StatusOK))
			stop()
			Eventually(ended).WithTimeout(startWithin).Should(Receive(Succeed()))
		}
		Expect(dir + "/postgres/postmaster.pid").NotTo(BeAnExistingFile())
	})
})

func ping(address, key string) (status int, err error) {
	request, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		return 0, err
	}
	request.Header.Set("Authorization", fmt.Sprintf("Bearer %s", key))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}

// set changes the environment until the spec ends.
func set(name, value string) {
	GinkgoHelper()
	GinkgoT().Setenv(name, value)
}
