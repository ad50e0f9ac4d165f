package webhooks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"tollkeeper/domain/money"
	"tollkeeper/domain/webhook"
	"tollkeeper/server/wire"
	"tollkeeper/store"
)

// Announce writes down what a transaction announced, before it commits.
func Announce(tx *store.Tx, notes []any) error {
	var announced []webhook.Announcement
	for _, note := range notes {
		if a, ok := note.(webhook.Announcement); ok {
			announced = append(announced, a)
		}
	}
	return webhook.Queue(tx, announced, WriteMessage)
}

// resources show what a message is about, by the part of its type before the dot, which
// is also the member it has in the message (semantics 13.2).
var resources = map[string]func(tx *store.Tx, id string) (any, error){
	"backfill":        announcedBackfill,
	"billable_metric": announcedMetric,
	"credit_note":     announcedCreditNote,
	"customer":        announcedCustomer,
	"invoice":         announcedInvoice,
	"plan":            announcedPlan,
	"price":           announcedPrice,
	"subscription":    announcedSubscription,
}

// lighter show less of the resource than the others of its kind.
var lighter = map[webhook.Type]func(tx *store.Tx, id string) (any, error){
	webhook.InvoiceDateElapsed:   announcedInvoiceTiny,
	webhook.InvoiceIssuedSummary: announcedInvoiceSummary,

	webhook.SubscriptionGroupedCostExceeded:        announcedSubscriptionLite,
	webhook.SubscriptionAlertDisabled:              announcedSubscriptionLite,
	webhook.SubscriptionInvoicingThresholdExceeded: announcedSubscriptionLite,
	webhook.SubscriptionLicenseBalanceThresholdMet: announcedSubscriptionLite,
	webhook.SubscriptionLicenseAllocationReset:     announcedSubscriptionLite,
}

// properties tell what a type says beside the resource, where that is a record. Plain
// properties need no line here.
var properties = map[webhook.Type]func(*store.Tx, webhook.Announcement) (any, error){
	webhook.MetricEdited:               about(metricBefore),
	webhook.PriceEdited:                about(priceBefore),
	webhook.CustomerEdited:             about(customerBefore),
	webhook.CustomerBalanceTransaction: about(announcedBalance),
	webhook.EventUnmatched:             about(unmatchedEvent),
	webhook.SubscriptionEdited:         about(subscriptionBefore),

	webhook.CustomerCreditLedgerIncremented: about(announcedCreditBlock),
	webhook.CustomerCreditBalanceDepleted:   about(announcedDrop),
	webhook.CustomerCreditBalanceDropped:    about(announcedDrop),
	webhook.CustomerCreditBalanceRecovered:  about(announcedDrop),
	webhook.SubscriptionUsageExceeded:       about(announcedCrossing),
	webhook.SubscriptionCostExceeded:        about(announcedCrossing),
	webhook.SubscriptionSpendExceeded:       about(announcedCrossing),
	webhook.SubscriptionGroupedCostExceeded: about(announcedCrossing),
	webhook.SubscriptionAlertDisabled:       about(announcedDisabling),

	webhook.SubscriptionLicenseBalanceThresholdMet: about(announcedCrossing),
	webhook.SubscriptionLicenseAllocationReset:     about(announcedReset),

	webhook.Test: testMessage,
}

// about reads what an announcement brings along as what its type has there.
func about[T any](tell func(tx *store.Tx, id string, it T) (any, error)) func(*store.Tx, webhook.Announcement) (any, error) {
	return func(tx *store.Tx, a webhook.Announcement) (any, error) {
		it, ok := a.About.(T)
		if !ok {
			return nil, fmt.Errorf("%s is announced with %T instead of %T", a.Type, a.About, it)
		}
		return tell(tx, a.ID, it)
	}
}

// WriteMessage makes the body of a message.
func WriteMessage(tx *store.Tx, m webhook.Message, a webhook.Announcement) (string, error) {
	entries := []labelled{{"id", m.ID}, {"created_at", wire.Instant(m.CreatedAt.Truncate(time.Second))}, {"type", m.Type}}
	noun, _, _ := strings.Cut(string(a.Type), ".")
	show, light := lighter[a.Type]
	if !light {
		show = resources[noun]
	}
	if show != nil {
		resource, err := show(tx, a.ID)
		if err != nil {
			return "", err
		}
		entries = append(entries, labelled{noun, resource})
	}
	more, err := propertiesOf(tx, a)
	if err != nil {
		return "", err
	}
	return writeObject(append(entries, labelled{"properties", more})...)
}

func propertiesOf(tx *store.Tx, a webhook.Announcement) (any, error) {
	if tell, ok := properties[a.Type]; ok {
		return tell(tx, a)
	}
	shown := map[string]any{}
	plain, _ := a.About.(webhook.Properties)
	for name, value := range plain {
		switch v := value.(type) {
		case time.Time:
			shown[name] = wire.Instant(v)
		case money.Decimal:
			shown[name] = wire.Number(v)
		default:
			shown[name] = v
		}
	}
	return shown, nil
}

func testMessage(*store.Tx, webhook.Announcement) (any, error) {
	return map[string]any{"message": "A test message of Tollkeeper."}, nil
}

// labelled is a member of a JSON object whose members stand in an order.
type labelled struct {
	name  string
	value any
}

func writeObject(entries ...labelled) (string, error) {
	var text bytes.Buffer
	for i, e := range entries {
		value, err := json.Marshal(e.value)
		if err != nil {
			return "", fmt.Errorf("write %s: %w", e.name, err)
		}
		text.WriteByte("{,"[min(i, 1)])
		fmt.Fprintf(&text, "%q:%s", e.name, value)
	}
	return text.String() + "}", nil
}

// previousAttributes are those of the named members that an edit changed, as they were.
func previousAttributes(before, after any, names ...string) (any, error) {
	was, err := rawMembers(before)
	if err != nil {
		return nil, err
	}
	is, err := rawMembers(after)
	if err != nil {
		return nil, err
	}
	changed := map[string]json.RawMessage{}
	for _, name := range names {
		if !bytes.Equal(was[name], is[name]) {
			changed[name] = was[name]
		}
	}
	return map[string]any{"previous_attributes": changed}, nil
}

func rawMembers(value any) (members map[string]json.RawMessage, err error) {
	text, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(text, &members)
	}
	return members, err
}
