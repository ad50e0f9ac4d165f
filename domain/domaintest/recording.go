package domaintest

import (
	"context"
	"fmt"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/event"
	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

// Noon is the present time of accounts that [RecordingOn] makes.
var Noon = time.Date(2025, 5, 10, 12, 0, 0, 0, time.UTC)

// Recording is a test account with a recorder of events, and the customer cus_1 with the alias acme.
type Recording struct {
	Store    *store.Store
	Ctx      context.Context // transactions of the account
	Recorder *event.Recorder
}

// RecordingOn makes such an account. The customer is a row without the settings that package customer
// gives one, since specs of events and usage need none.
func RecordingOn(st *store.Store) Recording {
	GinkgoHelper()
	r := Recording{Store: st, Ctx: storetest.Account(st, "test"), Recorder: event.NewRecorder(st)}
	storetest.SetClock(st, r.Ctx, Noon)
	Expect(st.Update(r.Ctx, func(tx *store.Tx) error {
		return tx.Exec(`
			INSERT INTO customers (account_id, id, created_at, external_customer_id, name, email, timezone,
				auto_collection, email_delivery, invoice_prefix)
			VALUES (?, 'cus_1', ?, 'acme', 'Acme', 'bills@acme.test', 'UTC', true, true, 'ACMEAC')`, tx.AccountID, tx.Now).Error
	})).To(Succeed())
	return r
}

// Call is the JSON of an event of acme at Noon, unless more, which are members, say otherwise.
func Call(key string, more ...string) string {
	members := []string{fmt.Sprintf(`"idempotency_key": %q`, key)}
	all := strings.Join(more, ", ")
	for name, value := range map[string]string{
		"event_name":           `"api_call"`,
		"external_customer_id": `"acme"`,
		"timestamp":            `"2025-05-10T12:00:00Z"`,
	} {
		if !strings.Contains(all, `"`+name+`"`) && !(name == "external_customer_id" && strings.Contains(all, `"customer_id"`)) {
			members = append(members, fmt.Sprintf("%q: %s", name, value))
		}
	}
	return "{" + strings.Join(append(members, more...), ", ") + "}"
}
