package account

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"gorm.io/gorm"

	"tollkeeper/domain/audit"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// setting is a setting of an account that can be changed by its name (semantics 0.1).
type setting struct {
	name   string
	column string
	read   func(text string) (value any, err error) // err says what the text must be
	show   func(a Account) string
}

var settings = []setting{
	{"name", "name", text, func(a Account) string { return a.Name }},
	{"timezone", "timezone", zone, func(a Account) string { return a.Timezone }},
	{"grace_period", "grace_period_seconds", seconds, func(a Account) string { return a.GracePeriod().String() }},
	{"future_bound", "future_bound_seconds", seconds, func(a Account) string { return a.FutureBound().String() }},
	{"auto_issuance", "auto_issuance", boolean, func(a Account) string { return strconv.FormatBool(a.AutoIssuance) }},
	{"issue_buffer", "issue_buffer_seconds", seconds, func(a Account) string { return (a.IssueDelay() - a.GracePeriod()).String() }},
	{"due_date_basis", "due_date_basis", oneOf(DueFromIssue, DueFromInvoice), func(a Account) string { return a.DueDateBasis }},
	{"number_prefix_scope", "number_prefix_scope", oneOf("customer", "account"), func(a Account) string { return a.NumberPrefixScope }},
	{"number_prefix", "number_prefix", prefix, func(a Account) string { return a.NumberPrefix }},
	{"hide_zero_lines", "hide_zero_lines", boolean, func(a Account) string { return strconv.FormatBool(a.HideZeroLines) }},
	{"usage_by_day", "usage_by_day", boolean, func(a Account) string { return strconv.FormatBool(a.UsageByDay) }},
	{"subscriptions_per_customer", "subscriptions_per_customer", count, func(a Account) string { return strconv.Itoa(a.SubscriptionsPerCustomer) }},
	{"children_per_customer", "children_per_customer", count, func(a Account) string { return strconv.Itoa(a.ChildrenPerCustomer) }},
	{"corrections_per_customer", "corrections_per_customer", count, func(a Account) string { return strconv.Itoa(a.CorrectionsPerCustomer) }},
	{"portal_links", "portal_links", boolean, func(a Account) string { return strconv.FormatBool(a.PortalLinks) }},
	{"payment_gateway", "payment_gateway", oneOf(GatewayManual, GatewayTest), func(a Account) string { return a.PaymentGateway }},
	{"payment_retry_days", "payment_retry_days", retryDays, func(a Account) string { return a.PaymentRetryDays }},
	{"smallest_charge", "smallest_charge", amount, func(a Account) string { return a.SmallestCharge.String() }},
	{"largest_ingest_bytes", "largest_ingest_bytes", bound, showBound},
	{"requests_per_second", "requests_per_second", perSecond, func(a Account) string { return showPerSecond(a.RequestsPerSecond) }},
	{"ingest_requests_per_second", "ingest_requests_per_second", perSecond, func(a Account) string { return showPerSecond(a.IngestRequestsPerSecond) }},
	{"webhook_retries", "webhook_retries", retryWaits, func(a Account) string { return a.WebhookRetries }},
	{"webhook_log_days", "webhook_log_days", count, func(a Account) string { return strconv.Itoa(a.WebhookLogDays) }},
	{"mail_from", "mail_from", mailFrom, showMailFrom},
	{"mail_in_test", "mail_in_test", boolean, func(a Account) string { return strconv.FormatBool(a.MailInTest) }},
	{"mail_log_days", "mail_log_days", count, func(a Account) string { return strconv.Itoa(a.MailLogDays) }},
	{"reminder_days", "reminder_days", reminderDays, func(a Account) string { return a.ReminderDays }},
	{"alert_emails", "alert_emails", addresses, func(a Account) string { return a.AlertEmails }},
	{"backfill_length", "backfill_length_seconds", seconds, func(a Account) string { return a.BackfillLength().String() }},
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

func text(value string) (any, error) {
	if value = strings.TrimSpace(value); value == "" {
		return nil, errors.New("must not be empty")
	}
	return value, nil
}

func zone(value string) (any, error) {
	_, err := period.LoadZone(value)
	return value, err
}

// longest is the longest duration of a setting. It keeps an instant plus a duration in range.
const longest = 366 * 24 * time.Hour

func seconds(value string) (any, error) {
	d, err := time.ParseDuration(value)
	if err != nil || d < 0 || d > longest || d%time.Second != 0 {
		return nil, fmt.Errorf("must be a duration of whole seconds from 0s to %s, such as 12h", longest)
	}
	return int64(d / time.Second), nil
}

func boolean(value string) (any, error) {
	switch value {
	case "true", "on":
		return true, nil
	case "false", "off":
		return false, nil
	}
	return nil, errors.New("must be true or false")
}

func oneOf(values ...string) func(string) (any, error) {
	return func(value string) (any, error) {
		if !slices.Contains(values, value) {
			return nil, errors.New("must be " + strings.Join(values, " or "))
		}
		return value, nil
	}
}

var sixLetters = regexp.MustCompile(`^[A-Z]{6}$`)

func prefix(value string) (any, error) {
	if !sixLetters.MatchString(value) {
		return nil, errors.New("must be six letters from A to Z")
	}
	return value, nil
}

func count(value string) (any, error) {
	n, err := strconv.ParseInt(value, 10, 32)
	if err != nil || n < 1 {
		return nil, errors.New("must be a whole number from 1")
	}
	return n, nil
}

// A payment is tried again at most mostRetries times, at most lastRetry days after its due date.
const (
	mostRetries = 10
	lastRetry   = 365 // days
)

func retryDays(value string) (any, error) {
	wrong := fmt.Errorf("must be at most %d numbers of days up to %d, each larger than the one before, such as 1,4,9", mostRetries, lastRetry)
	if value == "" {
		return value, nil
	}
	days := strings.Split(value, ",")
	before := 0
	for _, text := range days {
		n, err := strconv.Atoi(text)
		if err != nil || n <= before || n > lastRetry || len(days) > mostRetries || text != strconv.Itoa(n) {
			return nil, wrong
		}
		before = n
	}
	return value, nil
}

// A webhook is tried again at most mostAttempts times.
const mostAttempts = 20

func retryWaits(value string) (any, error) {
	if value == "" {
		return value, nil
	}
	all := strings.Split(value, ",")
	for _, text := range all {
		d, err := time.ParseDuration(text)
		if err != nil || d < time.Second || d > longest || d%time.Second != 0 || len(all) > mostAttempts {
			return nil, fmt.Errorf("must be up to %d durations from 1s to %s, such as 1m,5m,2h", mostAttempts, longest)
		}
	}
	return value, nil
}

func amount(value string) (any, error) {
	d, err := money.Parse(value)
	if err != nil || d.Sign() < 0 {
		return nil, errors.New("must be an amount of money from 0")
	}
	return d, nil
}

// unbounded is the text of a setting without a bound.
const unbounded = "none"

func bound(value string) (any, error) {
	if value == unbounded {
		return nil, nil
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < 1 {
		return nil, errors.New("must be a whole number of bytes from 1, or " + unbounded)
	}
	return n, nil
}

// mostPerSecond is the highest rate limit.
const mostPerSecond = 1_000_000

func perSecond(value string) (any, error) {
	if value == unbounded {
		return nil, nil
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > mostPerSecond {
		return nil, fmt.Errorf("must be a whole number of requests from 1 to %d, or %s", mostPerSecond, unbounded)
	}
	return n, nil
}

func showPerSecond(n *int) string {
	if n == nil {
		return unbounded
	}
	return strconv.Itoa(*n)
}

func showBound(a Account) string {
	if a.LargestIngestBytes == nil {
		return unbounded
	}
	return strconv.FormatInt(*a.LargestIngestBytes, 10)
}
