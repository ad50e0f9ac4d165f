package account

import (
	"fmt"
	"strings"

	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// OwnSetting is a setting that people who manage an account may change themselves.
type OwnSetting struct {
	Name    string
	About   string
	Choices []string // all values, where there are few
}

// OwnSettings lists the settings that people who manage an account may change.
func OwnSettings() (own []OwnSetting) {
	for _, s := range settings {
		if s.about != "" {
			own = append(own, OwnSetting{s.name, s.about, s.choices})
		}
	}
	return own
}

// FindOwnSetting returns the setting of that name.
func FindOwnSetting(name string) (OwnSetting, error) {
	for _, s := range OwnSettings() {
		if s.Name == name {
			return s, nil
		}
	}
	return OwnSetting{}, fault.Missing("Setting", name)
}

// Value is the value of the setting in an account.
func (s OwnSetting) Value(a Account) string {
	for _, each := range a.Settings() {
		if each.Name == s.Name {
			return each.Value
		}
	}
	return ""
}

// longestSetting is that of a value, in bytes.
const longestSetting = 2000

// SetOwn is [Set] by people of the transaction's account, for the settings that are theirs.
func SetOwn(tx *store.Tx, name, value string) error {
	if _, err := FindOwnSetting(name); err != nil {
		return err
	}
	if value = strings.TrimSpace(value); len(value) > longestSetting {
		return fault.Bad(name, "must have at most %d bytes", longestSetting)
	}
	if strings.ToValidUTF8(value, "") != value || strings.ContainsRune(value, 0) {
		return fault.Bad(name, "must be text")
	}
	changed, read, err := readSetting(name, value)
	if err != nil {
		return err
	}
	a, err := Lock(tx)
	if err != nil {
		return err
	}
	if name == "payment_gateway" && read == GatewayTest && !a.Test() {
		return errSimulated
	}
	if err := tx.Exec("UPDATE accounts SET "+changed.column+" = ? WHERE id = ?", read, tx.AccountID).Error; err != nil {
		return fmt.Errorf("set %s: %w", name, err)
	}
	return nil
}
