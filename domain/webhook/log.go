package webhook

import (
	"errors"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Filter narrows a list of deliveries. Empty fields do not.
type Filter struct {
	EndpointID string
	Type       Type
	Status     Status
	CreatedAt  store.Range
}

func (f Filter) on(query *gorm.DB) *gorm.DB {
	for column, value := range map[string]string{"endpoint_id": f.EndpointID, "type": string(f.Type), "status": string(f.Status)} {
		if value != "" {
			query = query.Where(column+" = ?", value)
		}
	}
	return f.CreatedAt.On(query, "created_at")
}

// linesOfMessage is the length of a delivery's message, in lines of an invoice.
const linesOfMessage = `(SELECT 1 + octet_length(m.body) / 2000 FROM webhook_messages m WHERE m.account_id = webhook_deliveries.account_id AND m.id = message_id)`

// ListDeliveries returns a page of deliveries, newest first.
func ListDeliveries(tx *store.Tx, filter Filter, page store.Page) (deliveries []Delivery, next string, err error) {
	return store.List[Delivery](store.Long(filter.on(tx.Model(&Delivery{})), linesOfMessage), page)
}

// FindDelivery returns the delivery with that id, or fault.Missing.
func FindDelivery(tx *store.Tx, id string) (Delivery, error) { return findDelivery(tx.DB, id) }

func findDelivery(query *gorm.DB, id string) (d Delivery, err error) {
	err = query.Where("id = ?", id).Take(&d).Error
	return d, store.Found(err, "Webhook delivery", id)
}

// Bodies returns what deliveries send, by message.
func Bodies(tx *store.Tx, deliveries []Delivery) (map[string]string, error) {
	ids := make([]string, len(deliveries))
	for i, d := range deliveries {
		ids[i] = d.MessageID
	}
	bodies := map[string]string{}
	if len(ids) == 0 {
		return bodies, nil
	}
	var messages []Message
	err := tx.Where("id IN ?", ids).Find(&messages).Error
	for _, m := range messages {
		bodies[m.ID] = m.Body
	}
	return bodies, err
}

var errDisabled = fault.Refused("the endpoint is disabled; enable it first")

// Resend sends a delivery once more at once, in any state, with the same body
// under the same id. If the endpoint does not take it, the retry schedule starts again.
func Resend(tx *store.Tx, id string) (Delivery, error) {
	d, err := findDelivery(tx.Clauses(clause.Locking{Strength: "UPDATE"}), id)
	if err != nil {
		return Delivery{}, err
	}
	endpoint, err := FindEndpoint(tx, d.EndpointID)
	if err != nil {
		return Delivery{}, err
	}
	if !endpoint.Enabled {
		return Delivery{}, errDisabled
	}
	_, err = resend(tx, Filter{}, tx.Where("id = ?", id))
	return d, errors.Join(err, tx.Where("id = ?", id).Take(&d).Error)
}

// ResendAll is Resend for all deliveries to an endpoint that a filter lets through, and
// tells how many those are.
func ResendAll(tx *store.Tx, filter Filter) (int64, error) {
	endpoint, err := FindEndpoint(tx, filter.EndpointID)
	switch {
	case err != nil:
		return 0, err
	case !endpoint.Enabled:
		return 0, errDisabled
	}
	return resend(tx, filter, tx.DB)
}

func resend(tx *store.Tx, filter Filter, query *gorm.DB) (int64, error) {
	sent := filter.on(query.Model(&Delivery{})).
		Updates(map[string]any{"status": StatusPending, "tries": 0, "next_attempt_at": gorm.Expr("clock_timestamp()")})
	return sent.RowsAffected, sent.Error
}

// SendTest sends a test message to one endpoint, even if it does not listen to the type.
// write makes the body.
func SendTest(tx *store.Tx, endpointID string, write func(*store.Tx, Message, Announcement) (string, error)) (Delivery, error) {
	endpoint, err := FindEndpoint(tx, endpointID)
	switch {
	case err != nil:
		return Delivery{}, err
	case !endpoint.Enabled:
		return Delivery{}, errDisabled
	}
	message := Message{Record: tx.Record("wh"), Type: Test}
	if message.Body, err = write(tx, message, Announcement{Type: Test}); err != nil {
		return Delivery{}, err
	}
	sent, err := message.post(tx, endpoint)
	if err != nil {
		return Delivery{}, err
	}
	return sent[0], nil
}

// Forget deletes messages that are older by real time than their accounts keep them, with
// their deliveries, some at a time. It tells whether there may be more.
func Forget(tx *gorm.DB, now time.Time) (more bool, err error) {
	const atOnce = 1000
	var gone int64
	err = tx.Raw("SELECT forget_webhooks(?, ?)", now, atOnce).Scan(&gone).Error
	return gone == atOnce, err
}
