package account

import (
	"fmt"
	"strings"

	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// OwnSetting is a setting that people who manage an account may change themselves. Others bound what an
// account may do to the server and to other accounts, or name its sender of mail. Only the operator
// changes those, at the command line.
type OwnSetting struct {
	Name    string
	About   string
	Choices []string // all values, where there are few
}

var ownSettings = []OwnSetting{
	{"name", "What people call the account.", nil},
	{"timezone", "For customers and days of the account, where nothing else is said. Customers that exist keep theirs.", nil},
	{"grace_period", "How long events may still be sent after the instant that they name. Invoices are issued after it. A duration such as 12h.", nil},
	{"future_bound", "How far ahead of the clock an event may be. A duration such as 10m.", nil},
	{"auto_issuance", "Whether invoices are issued by themselves. Otherwise they wait as drafts.", yesOrNo},
	{"issue_buffer", "How long after the grace period an invoice is issued. A duration such as 1h.", nil},
	{"due_date_basis", "Where the net terms of an invoice begin.", []string{DueFromIssue, DueFromInvoice}},
	{"number_prefix_scope", "Whether invoices are numbered for each customer, or for the account as a whole.", []string{"customer", "account"}},
	{"number_prefix", "What numbers of invoices begin with: six letters from A to Z.", nil},
	{"hide_zero_lines", "Whether lines without an amount are left out of documents.", yesOrNo},
	{"usage_by_day", "Whether documents list the usage of each day, in an appendix.", yesOrNo},
	{"portal_links", "Whether customers have a link to their portal.", yesOrNo},
	{"payment_gateway", "Who collects payments. Those of the test gateway are simulated; only a test account can have it.", []string{GatewayManual, GatewayTest}},
	{"payment_retry_days", "On which days after the due date a failed payment is tried again, such as 1,4,9. Empty: never.", nil},
	{"smallest_charge", "Smaller amounts are carried over to the next invoice.", nil},
	{"reminder_days", "On which days after the due date customers are reminded, such as -3,7,14. A negative one is before it. Empty: never.", nil},
	{"alert_emails", "Who is told of alerts: addresses with commas between them. Empty: no one.", nil},
}

var yesOrNo = []string{"true", "false"}

// OwnSettings lists the settings that people who manage an account may change.
func OwnSettings() []OwnSetting { return ownSettings }

// FindOwnSetting returns the setting of that name.
func FindOwnSetting(name string) (OwnSetting, error) {
	for _, s := range ownSettings {
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
