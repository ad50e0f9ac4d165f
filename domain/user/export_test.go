package user

import (
	"context"

	"tollkeeper/store"
)

// CheckPassword is checkPassword.
var CheckPassword = checkPassword

// Computed is how many passwords were computed.
func Computed() int64 { return computed.Load() }

// StartResetIn is [Session.StartReset] in a transaction of its own.
func (s Session) StartResetIn(st *store.Store, ctx context.Context, personID string) (token string, err error) {
	err = st.Update(s.Begin(ctx, "resetMember", ""), func(tx *store.Tx) error {
		token, err = s.StartReset(tx, personID)
		return err
	})
	return token, err
}
