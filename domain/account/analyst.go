package account

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"tollkeeper/domain/audit"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Analyst is a login of the database that reads the views of one account in the schema reporting, and
// nothing else (migration 0043).
type Analyst struct {
	Login     string `gorm:"primaryKey"`
	AccountID string
	CreatedAt time.Time
}

// TableName is what the table of these logins is called.
func (Analyst) TableName() string { return "reporting_logins" }

// loginNames are those that need no quotes.
var loginNames = regexp.MustCompile(`^[a-z_][a-z0-9_]{0,62}$`)

// analystPassword is how long the password of a login is that is made: 190 bits.
const analystPassword = 32

// ErrMayMakeNoRole reports that the owner of the database may not make a login.
var ErrMayMakeNoRole = errors.New("the owner of the database may make no logins")

// AddAnalyst lets a login read the reports of an account. One that does not exist is made, with a password, which is
// returned. Where the owner may make none, the error is [ErrMayMakeNoRole]. For a login that reads
// the account already, rights that are missing are granted.
func AddAnalyst(ctx context.Context, st *store.Store, accountID, login string) (password string, err error) {
	if !loginNames.MatchString(login) {
		return "", fault.Bad("login", "must begin with a lower-case letter, and have only those, digits and _, at most 63")
	}
	if _, err := Find(ctx, st, accountID); err != nil {
		return "", err
	}
	err = st.AsOwner(ctx, func(db *gorm.DB) error {
		if err := bindAnalyst(db, accountID, login); err != nil {
			return err
		}
		if password, err = makeAnalystRole(db, login); err != nil {
			return err
		}
		for _, statement := range []string{
			"GRANT USAGE ON SCHEMA reporting TO %s", "GRANT SELECT ON ALL TABLES IN SCHEMA reporting TO %s",
			"ALTER DEFAULT PRIVILEGES IN SCHEMA reporting GRANT SELECT ON TABLES TO %s", // for views to come
			"GRANT EXECUTE ON FUNCTION reporting_account() TO %s",
		} {
			if err := db.Exec(fmt.Sprintf(statement, quoted(login))).Error; err != nil {
				return err
			}
		}
		return audit.WriteShared(db, accountID)
	})
	return password, err
}

func quoted(login string) string { return pgx.Identifier{login}.Sanitize() }

// bindAnalyst notes whose rows a login reads, unless it reads those of another account.
func bindAnalyst(db *gorm.DB, accountID, login string) error {
	err := db.Exec("INSERT INTO reporting_logins (login, account_id) VALUES (?, ?) ON CONFLICT DO NOTHING", login, accountID).Error
	if err != nil {
		return err
	}
	var bound Analyst
	if err := db.Where("login = ?", login).Take(&bound).Error; err != nil {
		return err
	}
	if bound.AccountID != accountID {
		return fault.Refused("the login reads the reports of another account")
	}
	return nil
}

// makeAnalystRole makes a login unless there is one, which must have no rights of the server or its owner.
func makeAnalystRole(db *gorm.DB, login string) (password string, err error) {
	var exists, trusted bool
	err = db.Raw(`SELECT r.oid IS NOT NULL, coalesce(r.rolsuper OR r.rolbypassrls OR r.rolcreaterole OR r.rolreplication
				OR EXISTS (SELECT FROM pg_auth_members AS m WHERE m.member = r.oid)
				OR EXISTS (SELECT FROM pg_shdepend WHERE refclassid = 'pg_authid'::regclass AND refobjid = r.oid AND deptype = 'o'), false)
			FROM (SELECT) AS one LEFT JOIN pg_roles AS r ON r.rolname = ?`, login).Row().Scan(&exists, &trusted)
	switch {
	case err != nil:
		return "", err
	case trusted:
		return "", fault.Refused("the login has other rights: it is a superuser, makes roles, belongs to a group, or owns something; take another")
	case exists:
		return "", nil
	}
	password = store.Random(analystPassword)
	// The limits are not walls, since a session can change them. They keep a mistake from costing others.
	for _, statement := range []string{
		"CREATE ROLE %s LOGIN NOINHERIT CONNECTION LIMIT 5 PASSWORD '" + password + "'",
		"ALTER ROLE %s SET default_transaction_read_only = on", "ALTER ROLE %s SET statement_timeout = '5min'",
		"ALTER ROLE %s SET idle_in_transaction_session_timeout = '1min'", "ALTER ROLE %s SET search_path = reporting", "ALTER ROLE %s SET timezone = 'UTC'",
	} {
		err := db.Exec(fmt.Sprintf(statement, quoted(login))).Error
		if store.Raised(err, "42501") {
			return "", ErrMayMakeNoRole
		}
		if err != nil {
			return "", err
		}
	}
	return password, nil
}

// Analysts returns the logins that read reports, of all accounts.
func Analysts(ctx context.Context, st *store.Store) (all []Analyst, err error) {
	err = st.AsOwner(ctx, func(db *gorm.DB) error { return db.Order("login").Find(&all).Error })
	return all, err
}

// RemoveAnalyst takes the rights of a login. The login itself stays, as it may be in use elsewhere in the cluster.
func RemoveAnalyst(ctx context.Context, st *store.Store, login string) error {
	return st.AsOwner(ctx, func(db *gorm.DB) error {
		var bound []Analyst
		if err := db.Raw("DELETE FROM reporting_logins WHERE login = ? RETURNING *", login).Scan(&bound).Error; err != nil {
			return err
		}
		if len(bound) == 0 {
			return fault.Missing("Analyst", login)
		}
		var exists bool
		if err := db.Raw("SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = ?)", login).Scan(&exists).Error; err != nil {
			return err
		}
		if exists {
			for _, statement := range []string{
				"ALTER DEFAULT PRIVILEGES IN SCHEMA reporting REVOKE SELECT ON TABLES FROM %s", "REVOKE ALL ON ALL TABLES IN SCHEMA reporting FROM %s",
				"REVOKE ALL ON SCHEMA reporting FROM %s", "REVOKE ALL ON FUNCTION reporting_account() FROM %s",
			} {
				if err := db.Exec(fmt.Sprintf(statement, quoted(login))).Error; err != nil {
					return err
				}
			}
		}
		return audit.WriteShared(db, bound[0].AccountID)
	})
}
