package user_test

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/pquerna/otp/totp"
	"gorm.io/gorm"

	"tollkeeper/domain/account"
	"tollkeeper/domain/audit"
	"tollkeeper/domain/user"
	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

// Passwords that are not guessed first.
const (
	sentence = "seven herons cross the brook"
	another  = "a brook crosses seven herons"
)

// house is a server with two accounts, of which the first has an owner.
type house struct {
	store *store.Store
	ctx   context.Context
	ours  account.Account
	their account.Account
	mira  user.Session // owner of ours
}

var here = user.Request{ID: "req_1", Address: "192.0.2.1", Browser: "Firefox"}

func newHouse() house {
	GinkgoHelper()
	h := house{store: storetest.New(), ctx: context.Background()}
	h.store.BeforeCommit(func(tx *store.Tx, _ []any) error { return audit.Write(tx) })
	h.ours = h.account("Ours")
	link, err := user.OpenSetup(h.ctx, h.store)
	Expect(err).NotTo(HaveOccurred())
	h.mira = h.open(user.SetUp(h.ctx, h.store, link, user.New{Email: "mira@ours.example", Name: "Mira", Password: sentence}, here))
	h.their = h.account("Theirs")
	return h
}

func (h house) account(name string) account.Account {
	GinkgoHelper()
	a, err := account.Create(h.ctx, h.store, account.New{Name: name, Mode: account.ModeTest})
	Expect(err).NotTo(HaveOccurred())
	return a
}

// open returns the session of a token.
func (h house) open(token string, err error) user.Session {
	GinkgoHelper()
	Expect(err).NotTo(HaveOccurred())
	s, err := user.FindSession(h.ctx, h.store, token)
	Expect(err).NotTo(HaveOccurred())
	return s
}

// in runs fn in a transaction of an account.
func (h house) in(a account.Account, fn func(tx *store.Tx) error) error {
	return h.store.Update(store.WithAccount(h.ctx, a.ID), fn)
}

// invite invites to an account, and returns the token of the link.
func (h house) invite(a account.Account, email string, role user.Role) (token string) {
	GinkgoHelper()
	Expect(h.in(a, func(tx *store.Tx) (err error) {
		_, token, err = user.Invite(tx, email, role)
		return err
	})).To(Succeed())
	return token
}

// member is a new person in an account.
func (h house) member(a account.Account, email string, role user.Role) user.Session {
	GinkgoHelper()
	return h.open(user.JoinAsNew(h.ctx, h.store, h.invite(a, email, role), user.New{Name: email, Password: sentence}, here))
}

// signIn signs in with the right password, where there is no second factor.
func (h house) signIn(email string, from user.Request) string {
	GinkgoHelper()
	token, waiting, err := user.SignIn(h.ctx, h.store, email, sentence, from)
	Expect(err).NotTo(HaveOccurred())
	Expect(waiting).To(BeFalse())
	return token
}

// exec runs a statement as the owner of the database.
func (h house) exec(sql string, args ...any) {
	GinkgoHelper()
	Expect(h.store.AsOwner(h.ctx, func(db *gorm.DB) error { return db.Exec(sql, args...).Error })).To(Succeed())
}

// pass lets time go by: everything that is kept of people happened so much earlier.
func (h house) pass(d time.Duration) {
	GinkgoHelper()
	for _, column := range []string{
		"sessions.created_at", "sessions.last_used_at", "sessions.ends_at", "people.last_seen_at", "invitations.created_at", "invitations.expires_at",
		"credentials.totp_begun_at", "password_resets.expires_at", "setup_links.expires_at", "sign_in_failures.last_at", "sign_in_failures.paused_until",
	} {
		var table, name string
		for i, r := range column {
			if r == '.' {
				table, name = column[:i], column[i+1:]
			}
		}
		h.exec("UPDATE " + table + " SET " + name + " = " + name + " - interval '" + d.String() + "'")
	}
}

// hold has whatever waits for an attempt wait 20 seconds from now: what a spec does meanwhile may take a while.
func (h house) hold() {
	GinkgoHelper()
	h.exec("UPDATE sign_in_failures SET paused_until = clock_timestamp() + interval '20 seconds' WHERE paused_until IS NOT NULL")
}

// known is what a browser keeps once a person has signed in there.
func (h house) known(personID, before string) string {
	GinkgoHelper()
	tokens, err := user.RememberBrowser(h.ctx, h.store, personID, before)
	Expect(err).NotTo(HaveOccurred())
	return tokens
}

// works tells whether a token opens a session.
func (h house) works(token string) bool {
	GinkgoHelper()
	_, err := user.FindSession(h.ctx, h.store, token)
	if err != nil {
		Expect(err).To(MatchError(user.ErrNoSession))
	}
	return err == nil
}

// secured gives a session a second factor, and returns its secret and its recovery codes.
func (h house) secured(s user.Session) (secret string, recovery []string) {
	GinkgoHelper()
	k, err := s.BeginSecondFactor(h.ctx, h.store)
	Expect(err).NotTo(HaveOccurred())
	recovery, err = s.ConfirmSecondFactor(h.ctx, h.store, sentence, code(k.Secret, 0), here)
	Expect(err).NotTo(HaveOccurred())
	return k.Secret, recovery
}

// code is what an app shows, so many steps from now.
func code(secret string, steps int) string {
	GinkgoHelper()
	c, err := totp.GenerateCode(secret, time.Now().Add(time.Duration(steps)*30*time.Second))
	Expect(err).NotTo(HaveOccurred())
	return c
}

// logged are the entries of the audit log of an account, the newest first.
func (h house) logged(a account.Account) (entries []audit.Entry) {
	GinkgoHelper()
	Expect(h.store.View(store.WithAccount(h.ctx, a.ID), func(tx *store.Tx) (err error) {
		entries, _, err = audit.List(tx, audit.Filter{}, store.Page{Limit: 100})
		return err
	})).To(Succeed())
	return entries
}

// number counts the rows of a table.
func (h house) number(table string) (n int) {
	GinkgoHelper()
	Expect(h.store.AsOwner(h.ctx, func(db *gorm.DB) error { return db.Raw("SELECT count(*) FROM " + table).Scan(&n).Error })).To(Succeed())
	return n
}
