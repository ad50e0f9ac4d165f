package account

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"gorm.io/gorm"

	"tollkeeper/domain/audit"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// setting is a setting of an account that can be changed by its name (semantics 0.1).
type setting struct {
	name   string
	column string
	kind
	show func(a Account) string

	// about tells people who manage the account what it does: they may change it themselves. Settings without it bound
	// what an account may do to the server and to other accounts, or name its sender of mail. Only the operator changes
	// those, at the command line.
	about string
}

var settings = []setting{
	{
		name: "name", column: "name", kind: kind{read: text},
		show:  func(a Account) string { return a.Name },
		about: "What people call the account.",
	},
	{
		name: "timezone", column: "timezone", kind: kind{read: zone},
		show:  func(a Account) string { return a.Timezone },
		about: "For customers and days of the account, where nothing else is said. Customers that exist keep theirs.",
	},
	{
		name: "grace_period", column: "grace_period_seconds", kind: kind{read: seconds},
		show:  func(a Account) string { return a.GracePeriod().String() },
		about: "How long events may still be sent after the instant that they name. Invoices are issued after it. A duration such as 12h.",
	},
	{
		name: "future_bound", column: "future_bound_seconds", kind: kind{read: seconds},
		show:  func(a Account) string { return a.FutureBound().String() },
		about: "How far ahead of the clock an event may be. A duration such as 10m.",
	},
	{
		name: "auto_issuance", column: "auto_issuance", kind: boolean,
		show:  func(a Account) string { return strconv.FormatBool(a.AutoIssuance) },
		about: "Whether invoices are issued by themselves. Otherwise they wait as drafts.",
	},
	{
		name: "issue_buffer", column: "issue_buffer_seconds", kind: kind{read: seconds},
		show:  func(a Account) string { return (a.IssueDelay() - a.GracePeriod()).String() },
		about: "How long after the grace period an invoice is issued. A duration such as 1h.",
	},
	{
		name: "due_date_basis", column: "due_date_basis", kind: oneOf(DueFromIssue, DueFromInvoice),
		show:  func(a Account) string { return a.DueDateBasis },
		about: "Where the net terms of an invoice begin.",
	},
	{
		name: "number_prefix_scope", column: "number_prefix_scope", kind: oneOf("customer", "account"),
		show:  func(a Account) string { return a.NumberPrefixScope },
		about: "Whether invoices are numbered for each customer, or for the account as a whole.",
	},
	{
		name: "number_prefix", column: "number_prefix", kind: kind{read: prefix},
		show:  func(a Account) string { return a.NumberPrefix },
		about: "What numbers of invoices begin with: six letters from A to Z.",
	},
	{
		name: "hide_zero_lines", column: "hide_zero_lines", kind: boolean,
		show:  func(a Account) string { return strconv.FormatBool(a.HideZeroLines) },
		about: "Whether lines without an amount are left out of documents.",
	},
	{
		name: "usage_by_day", column: "usage_by_day", kind: boolean,
		show:  func(a Account) string { return strconv.FormatBool(a.UsageByDay) },
		about: "Whether documents list the usage of each day, in an appendix.",
	},
	{
		name: "subscriptions_per_customer", column: "subscriptions_per_customer", kind: kind{read: count},
		show: func(a Account) string { return strconv.Itoa(a.SubscriptionsPerCustomer) },
	},
	{
		name: "children_per_customer", column: "children_per_customer", kind: kind{read: count},
		show: func(a Account) string { return strconv.Itoa(a.ChildrenPerCustomer) },
	},
	{
		name: "corrections_per_customer", column: "corrections_per_customer", kind: kind{read: count},
		show: func(a Account) string { return strconv.Itoa(a.CorrectionsPerCustomer) },
	},
	{
		name: "portal_links", column: "portal_links", kind: boolean,
		show:  func(a Account) string { return strconv.FormatBool(a.PortalLinks) },
		about: "Whether customers have a link to their portal.",
	},
	{
		name: "payment_gateway", column: "payment_gateway", kind: oneOf(GatewayManual, GatewayTest),
		show:  func(a Account) string { return a.PaymentGateway },
		about: "Who collects payments. Those of the test gateway are simulated; only a test account can have it.",
	},
	{
		name: "payment_retry_days", column: "payment_retry_days", kind: kind{read: retryDays},
		show:  func(a Account) string { return a.PaymentRetryDays },
		about: "On which days after the due date a failed payment is tried again, such as 1,4,9. Empty: never.",
	},
	{
		name: "smallest_charge", column: "smallest_charge", kind: kind{read: amount},
		show:  func(a Account) string { return a.SmallestCharge.String() },
		about: "Smaller amounts are carried over to the next invoice.",
	},
	{
		name: "largest_ingest_bytes", column: "largest_ingest_bytes", kind: kind{read: bound},
		show: showBound,
	},
	{
		name: "requests_per_second", column: "requests_per_second", kind: kind{read: perSecond},
		show: func(a Account) string { return showPerSecond(a.RequestsPerSecond) },
	},
	{
		name: "ingest_requests_per_second", column: "ingest_requests_per_second", kind: kind{read: perSecond},
		show: func(a Account) string { return showPerSecond(a.IngestRequestsPerSecond) },
	},
	{
		name: "webhook_retries", column: "webhook_retries", kind: kind{read: retryWaits},
		show: func(a Account) string { return a.WebhookRetries },
	},
	{
		name: "webhook_log_days", column: "webhook_log_days", kind: kind{read: count},
		show: func(a Account) string { return strconv.Itoa(a.WebhookLogDays) },
	},
	{
		name: "mail_from", column: "mail_from", kind: kind{read: mailFrom},
		show: showMailFrom,
	},
	{
		name: "mail_in_test", column: "mail_in_test", kind: boolean,
		show: func(a Account) string { return strconv.FormatBool(a.MailInTest) },
	},
	{
		name: "mail_log_days", column: "mail_log_days", kind: kind{read: count},
		show: func(a Account) string { return strconv.Itoa(a.MailLogDays) },
	},
	{
		name: "reminder_days", column: "reminder_days", kind: kind{read: reminderDays},
		show:  func(a Account) string { return a.ReminderDays },
		about: "On which days after the due date customers are reminded, such as -3,7,14. A negative one is before it. Empty: never.",
	},
	{
		name: "alert_emails", column: "alert_emails", kind: kind{read: addresses},
		show:  func(a Account) string { return a.AlertEmails },
		about: "The addresses that alerts are mailed to, with commas between them. Empty: alerts are not mailed.",
	},
	{
		name: "backfill_length", column: "backfill_length_seconds", kind: kind{read: seconds},
		show: func(a Account) string { return a.BackfillLength().String() },
	},
}

// SettingNames lists the settings that Set can change, in the order of Settings.
func SettingNames() []string {
	names := make([]string, len(settings))
	for i, s := range settings {
		names[i] = s.name
	}
	return names
}

// Setting is the name and the value of a setting, as an operator reads and writes them.
type Setting struct{ Name, Value string }

// Settings lists the settings of an account. Their values are in the form that Set takes.
func (a Account) Settings() []Setting {
	list := make([]Setting, len(settings))
	for i, s := range settings {
		list[i] = Setting{s.name, s.show(a)}
	}
	return list
}

// Set changes a setting of an account. Issued documents do not change. A duration is written
// as 12h or 90m.
func Set(ctx context.Context, st *store.Store, id, name, value string) (a Account, err error) {
	changed, read, err := readSetting(name, value)
	if err != nil {
		return a, err
	}
	err = st.AsOwner(ctx, func(db *gorm.DB) error {
		if name == "payment_gateway" && read == GatewayTest {
			if err := refuseLive(db, id); err != nil {
				return err
			}
		}
		err := db.Raw("UPDATE accounts SET "+changed.column+" = ? WHERE id = ? RETURNING *", read, id).Scan(&a).Error
		if err != nil || a.ID == "" {
			return err
		}
		return audit.WriteShared(db, id)
	})
	if err == nil && a.ID == "" {
		err = fault.Missing("Account", id)
	}
	return a, err
}

// readSetting finds a setting by its name and reads a value for it.
func readSetting(name, value string) (s setting, read any, err error) {
	i := slices.IndexFunc(settings, func(s setting) bool { return s.name == name })
	if i < 0 {
		return s, nil, fault.Bad("setting", "must be one of %s", strings.Join(SettingNames(), ", "))
	}
	if read, err = settings[i].read(value); err != nil {
		return s, nil, fault.Bad(name, "%s", err)
	}
	return settings[i], read, nil
}

var errSimulated = fault.Refused("payment gateway test simulates payments; only a test account can have it")

// refuseLive refuses the test gateway, whose payments are simulated, to a live account.
func refuseLive(db *gorm.DB, id string) error {
	var modes []Mode
	err := db.Model(&Account{}).Where("id = ?", id).Pluck("mode", &modes).Error
	if err == nil && slices.Contains(modes, ModeLive) {
		err = errSimulated
	}
	return err
}
