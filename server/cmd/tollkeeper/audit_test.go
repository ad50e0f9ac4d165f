package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	osuser "os/user"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/account"
	"tollkeeper/domain/catalog"
	"tollkeeper/domain/due"
	"tollkeeper/domain/user"
	"tollkeeper/domain/webhook"
	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

// auditedCommands are the commands that change something, each with what makes a subject for it and
// returns its arguments.
var auditedCommands = map[string]func(o subject) []string{
	"account create": func(subject) []string { return []string{"--name", "Another", "--mode", "live"} },
	"account set":    func(o subject) []string { return []string{o.id, "grace_period", fmt.Sprint(1+rand.IntN(1e7), "s")} },
	"key create":     func(o subject) []string { return []string{"--account", o.id, "--name", "script"} },
	"key rotate":     func(o subject) []string { return []string{o.key()} },
	"key revoke":     func(o subject) []string { return []string{o.key()} },
	"plan activate":  func(o subject) []string { return []string{"--account", o.id, o.plan(catalog.PlanDraft)} },
	"plan archive":   func(o subject) []string { return []string{"--account", o.id, o.plan(catalog.PlanActive)} },
	"plan trial":     func(o subject) []string { return []string{"--account", o.id, o.plan(catalog.PlanActive), "14"} },
	"plan migrate":   func(o subject) []string { return []string{"--account", o.id, o.plan(catalog.PlanActive), "--to", "2"} },
	"webhook add":    func(o subject) []string { return []string{"--account", o.id, "https://93.184.215.14/hooks"} },
	"webhook remove": func(o subject) []string { return []string{"--account", o.id, o.endpoint()} },
	"due retry":      func(o subject) []string { return []string{"--account", o.id, o.parked()} },
	"due skip":       func(o subject) []string { return []string{"--account", o.id, o.parked()} },
	"user create":    func(o subject) []string { return []string{"--account", o.id, "--name", "Ann", o.address()} },
	"user invite":    func(o subject) []string { return []string{"--account", o.id, "--role", "reader", o.address()} },
	"user reset":     func(o subject) []string { return []string{o.person()} },
	"user remove":    func(o subject) []string { return []string{o.person()} },
	"analyst add":    func(o subject) []string { return []string{"--account", o.id, o.login()} },
	"analyst remove": func(o subject) []string { return []string{o.analyst()} },
}

// readingCommands are those that change nothing, with arguments. Of some, of which there are none,
// specs that need more than a database see that.
var readingCommands = map[string]func(o subject) []string{
	"account list": func(subject) []string { return nil },
	"key list":     func(o subject) []string { return []string{"--account", o.id} },
	"webhook list": func(o subject) []string { return []string{"--account", o.id} },
	"due list":     func(subject) []string { return nil },
	"user list":    func(subject) []string { return nil },
	"analyst list": func(subject) []string { return nil },
	"verify":       func(subject) []string { return nil },
	"doctor":       func(subject) []string { return nil },
	"version":      func(subject) []string { return nil },
	"export":       func(o subject) []string { return []string{"--account", o.id, "--what", "invoices"} },
	"compare":      nil,
	"ready":        nil,
	"mcp":          nil,
}

// subject is an account that commands are about.
type subject struct {
	st  *store.Store
	ctx context.Context
	id  string
}

func (o subject) tx(do func(tx *store.Tx) error) {
	GinkgoHelper()
	Expect(o.st.Update(o.ctx, do)).To(Succeed())
}

func (o subject) key() string {
	GinkgoHelper()
	k, _, err := account.CreateKey(context.Background(), o.st, o.id, account.NewKey{Name: "old"})
	Expect(err).NotTo(HaveOccurred())
	return k.ID
}

func (o subject) plan(status catalog.PlanStatus) (id string) {
	GinkgoHelper()
	o.tx(func(tx *store.Tx) error {
		plan, err := catalog.CreatePlan(tx, catalog.NewPlan{Name: "Pro", Currency: "USD", Status: status})
		if err != nil {
			return err
		}
		id = plan.ID
		_, err = catalog.CreateVersion(tx, id, catalog.NewVersion{Version: 2})
		return err
	})
	return id
}

func (o subject) endpoint() (id string) {
	GinkgoHelper()
	o.tx(func(tx *store.Tx) error {
		made, err := webhook.CreateEndpoint(tx, webhook.NewEndpoint{URL: "https://93.184.215.14/hooks"})
		id = made.ID
		return err
	})
	return id
}

// address is one that nobody has.
func (o subject) address() string { return strings.ToLower(store.NewID("ann")) + "@acme.test" }

func (o subject) person() (email string) {
	GinkgoHelper()
	email = o.address()
	_, _, err := user.CreateMember(context.Background(), o.st, o.id, user.New{Email: email, Name: "Ann"}, user.RoleReader)
	Expect(err).NotTo(HaveOccurred())
	return email
}

// login is the name of a login that does not exist.
func (o subject) login() string { return strings.ToLower(store.NewID("analyst")) }

func (o subject) analyst() (login string) {
	GinkgoHelper()
	login = o.login()
	_, err := account.AddAnalyst(context.Background(), o.st, o.id, login)
	Expect(err).NotTo(HaveOccurred())
	return login
}

func (o subject) parked() (id string) {
	GinkgoHelper()
	customer := store.NewID("cus")
	o.tx(func(tx *store.Tx) error {
		_, err := due.Park(tx, due.Failure{
			Kind: "collect payments", Lane: due.Payments, Of: due.Subject{CustomerID: &customer},
			DueAt: time.Date(2025, 3, 30, 1, 0, 0, 0, time.UTC), Err: errors.New("a gateway is broken"),
		})
		if err != nil {
			return err
		}
		return tx.Raw("SELECT id FROM parked_units WHERE account_id = ? AND customer_id = ?", tx.AccountID, customer).Scan(&id).Error
	})
	return id
}

// leaves are the commands of the command line.
func leaves() (names []string) {
	GinkgoHelper()
	parser, err := commandLine(GinkgoWriter)
	Expect(err).NotTo(HaveOccurred())
	for _, node := range parser.Model.Leaves(false) {
		names = append(names, strings.TrimPrefix(node.FullPath(), "tollkeeper "))
	}
	return names
}

var _ = Describe("A command", func() {
	It("is known to change something with an entry in the audit log, or without one for a reason, or to change nothing", func() {
		var known []string
		for name := range auditedCommands {
			known = append(known, name)
		}
		known = slices.Concat(known, slices.Collect(maps.Keys(readingCommands)), slices.Collect(maps.Keys(withoutEntry)))
		Expect(leaves()).To(ConsistOf(known))
	})

	var o subject
	var flaky *storetest.FlakyConn
	var conn *pgx.Conn

	BeforeEach(func() {
		st := storetest.New()
		o = subject{st: st, ctx: storetest.Account(st, "test")}
		o.id = store.AccountID(o.ctx)
		flaky = storetest.NewFlakyConn(st)
		set("TOLLKEEPER_DATABASE_URL", flaky.URL)
		set("TOLLKEEPER_API_KEY", "")
		var err error
		conn, err = pgx.Connect(context.Background(), storetest.URL(st))
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(conn.Close, context.Background())
	})

	// look returns a digest of all tables but the audit log, and its entries: who, and what.
	look := func() (digest string, entries []string) {
		GinkgoHelper()
		var parts string
		Expect(conn.QueryRow(context.Background(), `SELECT string_agg(format('SELECT %L AS name, md5(string_agg(t::text, '','' ORDER BY t::text)) AS rows FROM %I AS t',
				c.relname, c.relname), ' UNION ALL ')
			FROM pg_class AS c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
			AND c.relname NOT LIKE 'audit\_%' AND c.relname <> 'event_numbering'`).Scan(&parts)).To(Succeed()) // which each command may settle
		Expect(conn.QueryRow(context.Background(), "SELECT md5(string_agg(name || coalesce(rows, ''), ',' ORDER BY name)) FROM ("+parts+") AS t").Scan(&digest)).To(Succeed())
		rows, err := conn.Query(context.Background(), "SELECT actor_type || ' ' || actor_id || ' ' || action FROM audit_entries ORDER BY seq")
		Expect(err).NotTo(HaveOccurred())
		entries, err = pgx.CollectRows(rows, pgx.RowTo[string])
		Expect(err).NotTo(HaveOccurred())
		return digest, entries
	}
	by := func() string {
		GinkgoHelper()
		u, err := osuser.Current()
		Expect(err).NotTo(HaveOccurred())
		return "command " + u.Username + " "
	}

	for _, name := range slices.Sorted(maps.Keys(auditedCommands)) {
		// Of three statements one fails, which are others each time.
		It("has one entry with its change, or neither, whichever statement fails: "+name, func() {
			const stride = 3
			broken := 0
			for n := 1 + rand.IntN(stride); ; n += stride {
				args := append(strings.Fields(name), auditedCommands[name](o)...)
				before, entries := look()
				flaky.Break(n, storetest.AtStatement)
				err := run(context.Background(), args, &bytes.Buffer{})
				broke := flaky.Broke()
				after, now := look()
				if err == nil || before != after || len(now) != len(entries) {
					Expect(after).NotTo(Equal(before), "at statement %d", n)
					Expect(now).To(Equal(append(entries, by()+name)), "at statement %d", n)
				}
				if !broke {
					Expect(err).NotTo(HaveOccurred())
					break
				}
				broken++
			}
			Expect(broken).To(BeNumerically(">=", 2))
		})
	}

	It("has no entry if it changes nothing", func() {
		before, _ := look()
		for _, name := range slices.Sorted(maps.Keys(readingCommands)) {
			if arguments := readingCommands[name]; arguments != nil {
				_ = run(context.Background(), append(strings.Fields(name), arguments(o)...), GinkgoWriter) // doctor finds fsync off
			}
		}
		after, entries := look()
		Expect(after).To(Equal(before))
		Expect(entries).To(BeEmpty())
	})

	It("that serves has an entry for the first account, and none afterwards", func() {
		empty := storetest.New()
		made, err := database{owner: storetest.URL(empty)}.firstAccount(context.Background(), empty, "")
		Expect(err).NotTo(HaveOccurred())
		again, err := database{owner: storetest.URL(empty)}.firstAccount(context.Background(), empty, made.key)
		Expect(err).NotTo(HaveOccurred())
		Expect(again.owner).To(Equal(made.owner))
		var resources []string
		Expect(empty.View(store.WithAccount(context.Background(), made.owner), func(tx *store.Tx) error {
			return tx.Raw("SELECT e.action || ' ' || c.resource FROM audit_entries AS e JOIN audit_changes AS c ON c.entry_id = e.id ORDER BY c.seq").Scan(&resources).Error
		})).To(Succeed())
		Expect(resources).To(Equal([]string{"serve accounts", "serve api_keys"}))
	})
})
