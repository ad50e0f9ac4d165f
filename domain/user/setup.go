package user

import (
	"context"
	"time"

	"gorm.io/gorm"

	"tollkeeper/domain/account"
	"tollkeeper/domain/audit"
	"tollkeeper/store"
)

// setupLife is how long a link for setting the server up works (semantics 21.1.5). A server that starts again makes
// another.
const setupLife = 24 * time.Hour

// OpenSetup returns the token of a link by which the first person sets the server up, "" where
// there is somebody. Servers that start together make one each; one is used.
func OpenSetup(ctx context.Context, st *store.Store) (token string, err error) {
	token = newToken()
	var opened bool
	err = st.Shared(store.WithAudit(ctx, ""), func(db *gorm.DB) error {
		return db.Raw("SELECT open_setup(digest => ?, seconds => ?)", digest(token), int(setupLife.Seconds())).Row().Scan(&opened)
	})
	if err != nil || !opened {
		return "", err
	}
	return token, nil
}

// SetupOpen reports whether a link for setting the server up works.
func SetupOpen(ctx context.Context, st *store.Store, token string) (open bool, err error) {
	err = st.Shared(store.WithAudit(ctx, ""), func(db *gorm.DB) error {
		return db.Raw("SELECT setup_open(digest => ?)", digest(token)).Row().Scan(&open)
	})
	return open, err
}

// SetUp makes the first person, who owns all accounts that there are, and signs them in. The link
// works once; then, and where there is somebody, it is [ErrLinkEnded].
func SetUp(ctx context.Context, st *store.Store, token string, in New, from Request) (session string, err error) {
	open, err := SetupOpen(ctx, st, token)
	if err == nil && !open {
		err = ErrLinkEnded
	}
	if err != nil {
		return "", err
	}
	p, err := in.read(true)
	if err != nil {
		return "", err
	}
	stored, err := hashPassword(ctx, in.Password, token)
	if err != nil {
		return "", err
	}
	accounts, err := account.IDs(ctx, st)
	if err != nil {
		return "", err
	}
	err = st.Shared(p.begin(ctx, "setUp", from.ID), func(db *gorm.DB) error {
		var used bool
		if err := db.Raw("SELECT use_setup(digest => ?)", digest(token)).Row().Scan(&used); err != nil {
			return err
		}
		if !used {
			return ErrLinkEnded
		}
		if _, err := insert(db, p, stored); err != nil {
			return err
		}
		for _, id := range accounts {
			if err := within(db, id); err != nil {
				return err
			}
			if err := join(db, id, p.ID, RoleOwner); err != nil {
				return err
			}
			if err := audit.WriteShared(db, id); err != nil {
				return err
			}
		}
		session, err = startSession(db, p.ID, false, from)
		return err
	})
	return session, err
}
