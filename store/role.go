package store

import "fmt"

// As runs fn as another role of the database, which may do less than the server's, and
// goes back. The role is named without the suffix of the database. It takes two round trips.
func (tx *Tx) As(role string, fn func() error) error {
	if err := tx.become(role); err != nil {
		return err
	}
	err := fn()
	if back := tx.become(appRole); err == nil {
		err = back
	}
	return err
}

func (tx *Tx) become(role string) error {
	if _, err := tx.Conn().ExecContext(tx.Context(), "SELECT set_config('role', $1 || current_setting('tollkeeper.role_suffix'), true)", role); err != nil {
		return fmt.Errorf("become %s: %w", role, err)
	}
	return nil
}
