package account_test

import (
	"net/netip"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/account"
	"tollkeeper/domain/audit"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

var _ = DescribeTable("A key with scopes",
	func(scopes string, right string, allowed bool) {
		r, err := account.ParseRight(right)
		Expect(err).NotTo(HaveOccurred())
		Expect(r.String()).To(Equal(right))
		Expect(account.Key{ScopeList: scopes}.May(r)).To(Equal(allowed))
	},
	Entry("has every right with all", "all", "api_keys:write", true),
	Entry("reads with read", "read", "invoices:read", true),
	Entry("does not write with read", "read", "invoices:write", false),
	Entry("does not ingest with read", "read", "events:ingest", false),
	Entry("ingests with ingest", "ingest", "events:ingest", true),
	Entry("does not search events with ingest", "ingest", "events:read", false),
	Entry("does not amend events with ingest", "ingest", "events:write", false),
	Entry("reads what it may write", "invoices:write", "invoices:read", true),
	Entry("ingests where it may write events", "events:write", "events:ingest", true),
	Entry("does not write what it may read", "invoices:read", "invoices:write", false),
	Entry("has no right to another resource", "invoices:write", "credits:read", false),
	Entry("has no right to a resource of a longer name", "licenses:write", "license_types:read", false),
	Entry("has the rights of each of its scopes", "ingest customers:read invoices:write", "customers:read", true),
)

var _ = DescribeTable("A right is not", func(text string) {
	_, err := account.ParseRight(text)
	Expect(err).To(MatchError(ContainSubstring("is not a right")))
},
	Entry("without access", "invoices"),
	Entry("of an unknown resource", "moon:read"),
	Entry("of an unknown access", "invoices:own"),
	Entry("to ingest what is no event", "invoices:ingest"),
	Entry("empty", ""),
)

var _ = DescribeTable("A key with networks",
	func(networks string, address string, allowed bool) {
		Expect(account.Key{NetworkList: networks}.MayComeFrom(netip.MustParseAddr(address))).To(Equal(allowed))
	},
	Entry("that are none is good from anywhere", "", "203.0.113.7", true),
	Entry("is good from within", "10.0.0.0/8 203.0.113.0/24", "203.0.113.7", true),
	Entry("is not good from elsewhere", "10.0.0.0/8", "203.0.113.7", false),
	Entry("is good from an IPv4 address in IPv6", "203.0.113.7/32", "::ffff:203.0.113.7", true),
	Entry("is good from an IPv6 network", "2001:db8::/32", "2001:db8::1", true),
)

var _ = Describe("The keys of an account", func() {
	var o owner
	BeforeEach(func() { o = newOwner() })

	It("have all rights from anywhere unless told otherwise", func() {
		k, _ := o.create(account.NewKey{})
		Expect(k.Scopes()).To(Equal([]account.Scope{account.ScopeAll}))
		Expect(k.Networks()).To(BeEmpty())
	})

	It("keep their scopes, each once, and their networks without host bits", func() {
		k, _ := o.create(account.NewKey{Scopes: []account.Scope{"ingest", "invoices:read", "ingest"}, Networks: []string{"10.1.2.3/8", "::1"}})
		Expect(k.Scopes()).To(Equal([]account.Scope{"ingest", "invoices:read"}))
		Expect(k.Networks()).To(Equal([]netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128")}))
	})

	It("are rotated with an overlap, in which both work", func() {
		old, oldText := o.create(account.NewKey{Scopes: []account.Scope{"ingest"}, Networks: []string{"10.0.0.0/8"}})
		k, text, err := account.RotateKey(o.ctx, o.store, old.ID, time.Hour)
		Expect(err).NotTo(HaveOccurred())
		Expect(text).NotTo(Equal(oldText))
		Expect(k.Name).To(Equal(old.Name))
		Expect(k.Scopes()).To(Equal(old.Scopes()))
		Expect(k.Networks()).To(Equal(old.Networks()))
		Expect(k.Replaces).To(HaveValue(Equal(old.ID)))
		Expect(k.ExpiresAt).To(BeNil())
		for _, each := range []string{oldText, text} {
			_, err := account.Authenticate(o.ctx, o.store, each)
			Expect(err).NotTo(HaveOccurred())
		}
		o.exec("UPDATE api_keys SET expires_at = expires_at - interval '1 hour' WHERE id = ?", old.ID)
		account.Forget()
		_, err = account.Authenticate(o.ctx, o.store, oldText)
		Expect(err).To(MatchError(account.ErrUnknownKey))
		_, err = account.Authenticate(o.ctx, o.store, text)
		Expect(err).NotTo(HaveOccurred())
	})

	It("live no longer when rotated than they would have", func() {
		old, _ := o.create(account.NewKey{Lifetime: new(time.Hour)})
		k, _, err := account.RotateKey(o.ctx, o.store, old.ID, 48*time.Hour)
		Expect(err).NotTo(HaveOccurred())
		Expect(*k.ExpiresAt).To(BeTemporally("~", *old.ExpiresAt, time.Second))
		keys, err := account.ListKeys(o.ctx, o.store, o.account.ID)
		Expect(err).NotTo(HaveOccurred())
		Expect(*keys[0].ExpiresAt).To(BeTemporally("==", *old.ExpiresAt))
	})

	DescribeTable("are not rotated",
		func(overlap time.Duration, end string, message string) {
			old, _ := o.create(account.NewKey{})
			if end != "" {
				o.exec("UPDATE api_keys SET "+end+" = clock_timestamp() WHERE id = ?", old.ID)
			}
			_, _, err := account.RotateKey(o.ctx, o.store, old.ID, overlap)
			Expect(err).To(MatchError(ContainSubstring(message)))
			Expect(account.ListKeys(o.ctx, o.store, o.account.ID)).To(HaveLen(1))
		},
		Entry("back in time", -time.Second, "", "overlap"),
		Entry("with an overlap of a hundred days", 100*24*time.Hour, "", "overlap"),
		Entry("after they were revoked", time.Hour, "revoked_at", "create a new one"),
		Entry("after they have expired", time.Hour, "expires_at", "create a new one"),
	)

	It("give no right that they do not have", func() {
		weak, _ := o.create(account.NewKey{Scopes: []account.Scope{"api_keys:write", "invoices:read"}})
		strong, _ := o.create(account.NewKey{})
		for _, scope := range []account.Scope{"all", "read", "ingest", "invoices:write", "customers:read"} {
			err := o.update(func(tx *store.Tx) error {
				_, _, err := account.CreateOwnKey(tx, makerOf(weak), account.NewKey{Name: "more", Scopes: []account.Scope{"invoices:read", scope}})
				return err
			})
			Expect(err).To(MatchError(ContainSubstring("scopes[1] would give the right")), string(scope))
		}
		Expect(o.update(func(tx *store.Tx) error {
			_, _, err := account.CreateOwnKey(tx, makerOf(weak), account.NewKey{Name: "all by default"})
			return err
		})).To(MatchError(ContainSubstring("scopes[0]")))
		Expect(o.update(func(tx *store.Tx) error {
			_, _, err := account.RotateOwnKey(tx, makerOf(weak), strong.ID, 0)
			return err
		})).To(MatchError(ContainSubstring("scopes[0]")))
		Expect(o.update(func(tx *store.Tx) error {
			_, _, err := account.CreateOwnKey(tx, makerOf(weak), account.NewKey{Name: "less", Scopes: []account.Scope{"invoices:read"}})
			return err
		})).To(Succeed())
		Expect(account.ListKeys(o.ctx, o.store, o.account.ID)).To(HaveLen(3))
	})

	It("make keys that work from no other networks and no longer, and say who made them", func() {
		parent, _ := o.create(account.NewKey{Networks: []string{"10.0.0.0/8", "2001:db8::/32"}, Lifetime: new(time.Hour)})
		free, _ := o.create(account.NewKey{})
		ask := func(by account.Maker, networks []string, lifetime *time.Duration) (k account.Key, err error) {
			err = o.update(func(tx *store.Tx) (err error) {
				k, _, err = account.CreateOwnKey(tx, by, account.NewKey{Name: "child", Networks: networks, Lifetime: lifetime})
				return err
			})
			return k, err
		}
		minute, day := new(time.Minute), new(24*time.Hour)
		inside := []string{"10.1.0.0/16", "10.2.3.4", "2001:db8:1::/48", "10.0.0.0/8"}
		for what, networks := range map[string][]string{
			"any": nil, "a wider one": {"10.0.0.0/7"}, "another": {"10.1.0.0/16", "192.0.2.0/24"}, "all": {"0.0.0.0/0"}, "of the other family": {"::/0"}, "mapped": {"::ffff:10.0.0.0/104"},
		} {
			_, err := ask(makerOf(parent), networks, minute)
			Expect(err).To(MatchError(ContainSubstring("networks must lie within those of the key of this request: 10.0.0.0/8, 2001:db8::/32")), what)
		}
		for _, lifetime := range []*time.Duration{nil, day} {
			_, err := ask(makerOf(parent), inside, lifetime)
			Expect(err).To(MatchError(ContainSubstring("would work longer than the key of this request")))
		}
		Expect(account.ListKeys(o.ctx, o.store, o.account.ID)).To(HaveLen(2))
		child, err := ask(makerOf(parent), inside, minute)
		Expect(err).NotTo(HaveOccurred())
		Expect(child.CreatedBy).To(HaveValue(Equal(parent.ID)))
		Expect(free.CreatedBy).To(BeNil(), "made at the command line")
		for _, by := range []account.Maker{makerOf(free), {ID: "user_1", Rights: free.Rights(), Person: true}} {
			k, err := ask(by, nil, nil)
			Expect(err).NotTo(HaveOccurred())
			Expect(k.CreatedBy).To(HaveValue(Equal(by.ID)))
		}
	})

	It("rotate no key that they could not make, and none once they were replaced", func() {
		parent, _ := o.create(account.NewKey{Networks: []string{"10.0.0.0/8"}, Lifetime: new(time.Hour)})
		rotate := func(by account.Maker, id string) (k account.Key, err error) {
			err = o.update(func(tx *store.Tx) (err error) {
				k, _, err = account.RotateOwnKey(tx, by, id, time.Hour)
				return err
			})
			return k, err
		}
		for _, other := range []account.NewKey{{Lifetime: new(time.Minute)}, {Networks: []string{"10.0.0.0/8"}}, {Networks: []string{"10.0.0.0/8"}, Lifetime: new(2 * time.Hour)}} {
			wider, _ := o.create(other)
			_, err := rotate(makerOf(parent), wider.ID)
			Expect(fault.Is(err, fault.KindRefused)).To(BeTrue())
		}
		next, err := rotate(makerOf(parent), parent.ID)
		Expect(err).NotTo(HaveOccurred())
		Expect(*next.ExpiresAt).To(BeTemporally("==", *parent.ExpiresAt))
		Expect(next.CreatedBy).To(HaveValue(Equal(parent.ID)))

		_, err = rotate(makerOf(parent), parent.ID)
		Expect(err).To(MatchError(ContainSubstring("was replaced, and makes no others")))
		Expect(o.update(func(tx *store.Tx) error {
			_, _, err := account.CreateOwnKey(tx, makerOf(parent), account.NewKey{Name: "more", Networks: []string{"10.0.0.0/8"}, Lifetime: new(time.Minute)})
			return err
		})).To(MatchError(ContainSubstring("was replaced, and makes no others")))
		_, err = rotate(makerOf(next), next.ID)
		Expect(err).NotTo(HaveOccurred())
	})

	It("make none once they have ended, and are found through the keys that made them", func() {
		first, _ := o.create(account.NewKey{})
		make := func(by account.Maker) (k account.Key, err error) {
			err = o.update(func(tx *store.Tx) (err error) {
				k, _, err = account.CreateOwnKey(tx, by, account.NewKey{Name: "next"})
				return err
			})
			return k, err
		}
		person := account.Maker{ID: "user_1", Rights: first.Rights(), Person: true}
		between, err := make(person)
		Expect(err).NotTo(HaveOccurred())
		last, err := make(makerOf(between))
		Expect(err).NotTo(HaveOccurred())
		_, err = account.RevokeKey(o.ctx, o.store, between.ID)
		Expect(err).NotTo(HaveOccurred())
		_, err = make(makerOf(between))
		Expect(err).To(MatchError(ContainSubstring("has expired or was revoked, and makes no others")))
		Expect(o.update(func(tx *store.Tx) error {
			_, _, err := account.RotateOwnKey(tx, makerOf(between), last.ID, time.Hour)
			return err
		})).To(MatchError(ContainSubstring("makes no others")))
		Expect(o.update(func(tx *store.Tx) error {
			made, err := account.KeysMadeBy(tx, person.ID)
			Expect(made).To(HaveExactElements(HaveField("ID", last.ID)), "the one between works no more")
			Expect(account.KeysMadeBy(tx, last.ID)).To(BeEmpty())
			return err
		})).To(Succeed())
	})

	It("are not another account's", func() {
		other, err := account.Create(o.ctx, o.store, account.New{Name: "Theirs", Mode: account.ModeTest})
		Expect(err).NotTo(HaveOccurred())
		theirs, _, err := account.CreateKey(o.ctx, o.store, other.ID, account.NewKey{Name: "theirs"})
		Expect(err).NotTo(HaveOccurred())
		mine, _ := o.create(account.NewKey{})
		for what, do := range map[string]func(tx *store.Tx) error{
			"find":   func(tx *store.Tx) error { _, err := account.FindOwnKey(tx, theirs.ID); return err },
			"revoke": func(tx *store.Tx) error { _, err := account.RevokeOwnKey(tx, mine.ID, theirs.ID); return err },
			"rotate": func(tx *store.Tx) error {
				_, _, err := account.RotateOwnKey(tx, makerOf(mine), theirs.ID, 0)
				return err
			},
		} {
			Expect(fault.Is(o.update(do), fault.KindMissing)).To(BeTrue(), what)
		}
		Expect(o.update(func(tx *store.Tx) error {
			keys, _, err := account.ListOwnKeys(tx, store.Page{Limit: 10})
			Expect(keys).To(HaveLen(1))
			return err
		})).To(Succeed())
		found, err := account.ListKeys(o.ctx, o.store, other.ID)
		Expect(err).NotTo(HaveOccurred())
		Expect(found).To(HaveLen(1))
		Expect(found[0].RevokedAt).To(BeNil())
	})

	It("are used by an audited command without a change of the audit log", func() {
		_, text := o.create(account.NewKey{})
		audited := audit.Begin(o.ctx, audit.Actor{Type: audit.Command, ID: "root", Name: "serve"}, "serve", nil)
		_, err := account.Authenticate(audited, o.store, text)
		Expect(err).NotTo(HaveOccurred())
	})

	It("cannot revoke themselves, but each other", func() {
		mine, _ := o.create(account.NewKey{})
		other, _ := o.create(account.NewKey{})
		Expect(o.update(func(tx *store.Tx) error {
			_, err := account.RevokeOwnKey(tx, mine.ID, mine.ID)
			return err
		})).To(MatchError(ContainSubstring("cannot revoke itself")))
		Expect(o.update(func(tx *store.Tx) error {
			_, err := account.RevokeOwnKey(tx, mine.ID, other.ID)
			return err
		})).To(Succeed())
	})
})

// makerOf is a key that asks for another.
func makerOf(k account.Key) account.Maker { return account.Maker{ID: k.ID, Rights: k.Rights()} }
