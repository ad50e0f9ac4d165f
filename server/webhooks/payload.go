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

// resourcePayloads return the resource of a message, by the part of its type before the dot. That
// part is also the name of the resource in the message (semantics 13.2).
var resourcePayloads = map[string]func(tx *store.Tx, id string) (any, error){
	"backfill":        payloadBackfill,
	"billable_metric": payloadMetric,
	"credit_note":     payloadCreditNote,
	"customer":        payloadCustomer,
	"invoice":         payloadInvoice,
	"plan":            payloadPlan,
	"price":           payloadPrice,
	"subscription":    payloadSubscription,
}

// summaryPayloads return the resource for types that show less of it than the others of its kind.
var summaryPayloads = map[webhook.Type]func(tx *store.Tx, id string) (any, error){
	webhook.InvoiceDateElapsed:   payloadInvoiceTiny,
	webhook.InvoiceIssuedSummary: payloadInvoiceSummary,

	webhook.SubscriptionGroupedCostExceeded:        payloadSubscriptionLite,
	webhook.SubscriptionAlertDisabled:              payloadSubscriptionLite,
	webhook.SubscriptionInvoicingThresholdExceeded: payloadSubscriptionLite,
	webhook.SubscriptionLicenseBalanceThresholdMet: payloadSubscriptionLite,
	webhook.SubscriptionLicenseAllocationReset:     payloadSubscriptionLite,
}

// propertyPayloads return the properties of types whose properties are a record. Plain properties
// need no entry.
var propertyPayloads = map[webhook.Type]func(*store.Tx, webhook.Announcement) (any, error){
	webhook.MetricEdited:               typed(metricBefore),
	webhook.PriceEdited:                typed(priceBefore),
	webhook.CustomerEdited:             typed(customerBefore),
	webhook.CustomerBalanceTransaction: typed(payloadBalanceTransaction),
	webhook.EventUnmatched:             typed(unmatchedEvent),
	webhook.SubscriptionEdited:         typed(subscriptionBefore),

	webhook.CustomerCreditLedgerIncremented: typed(payloadCreditBlock),
	webhook.CustomerCreditBalanceDepleted:   typed(payloadBalanceDrop),
	webhook.CustomerCreditBalanceDropped:    typed(payloadBalanceDrop),
	webhook.CustomerCreditBalanceRecovered:  typed(payloadBalanceDrop),
	webhook.SubscriptionUsageExceeded:       typed(payloadCrossing),
	webhook.SubscriptionCostExceeded:        typed(payloadCrossing),
	webhook.SubscriptionSpendExceeded:       typed(payloadCrossing),
	webhook.SubscriptionGroupedCostExceeded: typed(payloadCrossing),
	webhook.SubscriptionAlertDisabled:       typed(payloadAlertDisabled),

	webhook.SubscriptionLicenseBalanceThresholdMet: typed(payloadCrossing),
	webhook.SubscriptionLicenseAllocationReset:     typed(payloadLicenseReset),

	webhook.Test: testMessage,
}

// typed adapts a payload function to announcements that are about a T. Another type is an error.
func typed[T any](tell func(tx *store.Tx, id string, it T) (any, error)) func(*store.Tx, webhook.Announcement) (any, error) {
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
	show, light := summaryPayloads[a.Type]
	if !light {
		show = resourcePayloads[noun]
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
	if tell, ok := propertyPayloads[a.Type]; ok {
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

// labelled is a member of a JSON object whose members are in an order.
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

// previousAttributes are the members that an edit changed, as they were.
func previousAttributes(before, after any) (any, error) {
	was, err := rawMembers(before)
	if err != nil {
		return nil, err
	}
	is, err := rawMembers(after)
	if err != nil {
		return nil, err
	}
	changed := map[string]json.RawMessage{}
	for name, value := range was {
		if !bytes.Equal(value, is[name]) {
			changed[name] = value
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
