package user

import (
	"context"
	"net/mail"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
	"gorm.io/gorm"

	"tollkeeper/domain/audit"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Person is somebody who can sign in.
type Person struct {
	ID             string `gorm:"primaryKey"`
	Seq            int64  `gorm:"->"`
	CreatedAt      time.Time
	Email          string // as it was written
	EmailKey       string // in the form in which two addresses are compared
	Name           string
	SecondFactorAt *time.Time // since when it is on; nil: off
	LastSeenAt     *time.Time // to the minute
	LastAccountID  *string    // the account that was chosen last
}

// TableName is what the table of people is called.
func (Person) TableName() string { return "people" }

// SameEmail reports whether an address is the person's, however its letters are written.
func (p Person) SameEmail(email string) bool { return emailKey(p.Email) == emailKey(email) }

// actor is the person in the audit log.
func (p Person) actor() audit.Actor {
	return audit.Actor{Type: audit.Person, ID: p.ID, Name: p.Name}
}

// New is what a person is made of.
type New struct {
	Email    string
	Name     string
	Password string
}

// Bounds of texts, in characters.
const (
	longestEmail = 254
	longestName  = 255
)

// readEmail checks an address, and returns it with its form for comparing.
func readEmail(text string) (email, key string, err error) {
	email = norm.NFC.String(strings.TrimSpace(text))
	parsed, bad := mail.ParseAddress(email)
	if bad != nil || parsed.Address != email || len([]rune(email)) > longestEmail || strings.ContainsFunc(email, breaksLine) {
		return "", "", fault.Bad("email", "must be an email address, such as mira@example.com")
	}
	return email, emailKey(email), nil
}

// breaksLine reports a character that an address cannot have in the header of a mail.
func breaksLine(r rune) bool { return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp) }

func emailKey(text string) string {
	return norm.NFC.String(cases.Fold().String(norm.NFC.String(strings.TrimSpace(text))))
}

func readName(text string) (string, error) {
	name := norm.NFC.String(strings.TrimSpace(text))
	if n := len([]rune(name)); n == 0 || n > longestName || strings.ContainsFunc(name, unicode.IsControl) {
		return "", fault.Bad("name", "must have 1 to %d characters, without line breaks", longestName)
	}
	return name, nil
}

// read checks what a person is made of. The password is checked where there is one to be.
func (in New) read(withPassword bool) (p Person, err error) {
	var email, name, password error
	p.Email, p.EmailKey, email = readEmail(in.Email)
	p.Name, name = readName(in.Name)
	if withPassword {
		password = checkPassword(in.Password, p.Email, p.Name)
	}
	p.ID = store.NewID("person")
	return p, fault.Join(email, name, password)
}

// insert keeps a person and what is stored of their password, "" for none. The transaction becomes
// theirs.
func insert(db *gorm.DB, p Person, stored string) (Person, error) {
	if err := become(db, p.ID); err != nil {
		return p, err
	}
	err := db.Raw("INSERT INTO people (id, email, email_key, name) VALUES (?, ?, ?, ?) RETURNING *", p.ID, p.Email, p.EmailKey, p.Name).Scan(&p).Error
	if store.Unique(err, "people_email_key_key") {
		return p, fault.Taken("person", "email")
	}
	if err != nil {
		return p, err
	}
	return p, db.Exec("INSERT INTO credentials (person_id, password) VALUES (?, nullif(?, ''))", p.ID, stored).Error
}

// CreateMember makes a person who is a member of an account, and returns the token of a link by
// which they choose a password.
func CreateMember(ctx context.Context, st *store.Store, accountID string, in New, role Role) (token string, p Person, err error) {
	made, err := in.read(false)
	if err := fault.Join(err, role.check()); err != nil {
		return "", p, err
	}
	err = st.Shared(ctx, func(db *gorm.DB) error {
		if err := within(db, accountID); err != nil {
			return err
		}
		var known int
		if err := db.Raw("SELECT count(*) FROM accounts WHERE id = ?", accountID).Scan(&known).Error; err != nil {
			return err
		}
		if known == 0 {
			return fault.Missing("Account", accountID)
		}
		if p, err = insert(db, made, ""); err != nil {
			return err
		}
		if err := join(db, accountID, p.ID, role); err != nil {
			return err
		}
		if token, err = startReset(db, p.ID, resetLife); err != nil {
			return err
		}
		return audit.WriteShared(db, accountID)
	})
	return token, p, err
}

// FindByEmail returns the person with an address, however its letters are written.
func FindByEmail(ctx context.Context, st *store.Store, email string) (p Person, err error) {
	err = st.Shared(ctx, func(db *gorm.DB) error {
		var found []string
		if err := db.Raw("SELECT person FROM find_sign_in(?)", emailKey(email)).Scan(&found).Error; err != nil {
			return err
		}
		if len(found) == 0 {
			return fault.Missing("Person", strings.TrimSpace(email))
		}
		p, err = be(db, found[0])
		return err
	})
	return p, err
}

// become makes a transaction that of a person.
func become(db *gorm.DB, personID string) error {
	return db.Exec("SELECT set_config('tollkeeper.person', ?, true)", personID).Error
}

// be is become for a person who is there, and reads them.
func be(db *gorm.DB, personID string) (p Person, err error) {
	if err := become(db, personID); err != nil {
		return p, err
	}
	err = db.Where("id = ?", personID).Take(&p).Error
	return p, store.Found(err, "Person", personID)
}

// within makes a transaction also that of an account.
func within(db *gorm.DB, accountID string) error {
	return db.Exec("SELECT set_config('tollkeeper.account', ?, true)", accountID).Error
}

// writeEverywhere adds the entry of the transaction's context to the audit log of each account of
// the transaction's person.
func writeEverywhere(db *gorm.DB) error {
	var accounts []string
	if err := db.Raw("SELECT account FROM list_person_accounts()").Scan(&accounts).Error; err != nil {
		return err
	}
	for _, id := range accounts {
		if err := within(db, id); err != nil { // else the account is not seen
			return err
		}
		if err := audit.WriteShared(db, id); err != nil {
			return err
		}
	}
	return nil
}

// begin returns a context whose changes are in the audit log as those of the person.
func (p Person) begin(ctx context.Context, action, requestID string) context.Context {
	var id *string
	if requestID != "" {
		id = &requestID
	}
	return audit.Begin(ctx, p.actor(), action, id)
}
