package server_test

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"gorm.io/gorm/schema"

	"tollkeeper/domain/account"
	"tollkeeper/domain/alert"
	"tollkeeper/domain/allocation"
	"tollkeeper/domain/audit"
	"tollkeeper/domain/backfill"
	"tollkeeper/domain/billing"
	"tollkeeper/domain/catalog"
	"tollkeeper/domain/coupon"
	"tollkeeper/domain/credit"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/due"
	"tollkeeper/domain/event"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/letterhead"
	"tollkeeper/domain/license"
	"tollkeeper/domain/mail"
	"tollkeeper/domain/migration"
	"tollkeeper/domain/paper"
	"tollkeeper/domain/portal"
	"tollkeeper/domain/requestlog"
	"tollkeeper/domain/subscription"
	"tollkeeper/domain/topup"
	"tollkeeper/domain/user"
	"tollkeeper/domain/webhook"
	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

// records are all structs that are rows.
var records = []any{
	account.Account{}, account.Key{}, letterhead.Letterhead{},
	catalog.Item{}, catalog.Metric{}, catalog.Plan{}, catalog.PlanVersion{}, catalog.Phase{}, catalog.Price{}, catalog.Adjustment{},
	catalog.DimensionalPriceGroup{}, catalog.LicenseType{},
	coupon.Coupon{},
	backfill.Backfill{},
	customer.Customer{}, customer.BalanceTransaction{},
	subscription.Subscription{}, subscription.PriceInterval{}, subscription.Phase{}, subscription.AdjustmentInterval{}, subscription.Transition{}, subscription.PlanInterval{}, subscription.Change{},
	migration.Migration{}, migration.Step{},
	alert.Alert{}, alert.Exception{}, alert.Firing{},
	event.Correction{},
	license.License{}, allocation.Grant{}, allocation.Reduction{}, topup.TopUp{},
	credit.Ledger{}, credit.Block{}, credit.Entry{},
	invoice.Invoice{}, invoice.Line{}, invoice.CreditNote{}, invoice.CreditNoteLine{}, invoice.UndoneLine{},
	billing.ThresholdScan{}, invoice.ExpectedInvoice{},
	paper.File{}, portal.Session{},
	invoice.AddedLine{}, invoice.PaymentAttempt{}, invoice.ClosedDay{},
	audit.Entry{}, audit.Change{}, due.Parked{},
	webhook.Endpoint{}, webhook.Message{}, webhook.Delivery{},
	user.Person{}, user.Invitation{},
	mail.Mail{}, mail.Reminder{}, mail.Template{}, mail.Translation{},
	requestlog.Request{},
}

// unrecorded are the tables that no exported struct stands for.
var unrecorded = []string{"goose_db_version", "event_keys", "event_key_parts", "event_key_filters", "events", "dropped_event_months", "usage_progress", "usage_grains", "usage_series", "usage_buckets", "usage_buckets_6h", "usage_values", "usage_volumes", "usage_gaps", "usage_revisions", "usage_history", "alert_looks", "alert_progress", "idempotency_keys", "changed_resends", "unmatched_marks", "plan_version_prices", "plan_version_adjustments", "terms_revisions", "role_names", "applied_functions", "event_numbering", "role_rights", "unsealed_documents", "document_seals", "document_chains",
	"credentials", "recovery_codes", "exported_", "password_resets", "memberships", "sessions", "setup_links", "sign_in_failures", "browser_secret",
	"link_secrets"}

var _ = Describe("Records", func() {
	// column names to whether they may be null, by table
	var tables map[string]map[string]bool
	BeforeEach(func() {
		tables = map[string]map[string]bool{}
		st := storetest.New()
		var columns []struct {
			TableName, ColumnName string
			Nullable              bool
		}
		Expect(st.View(storetest.Account(st, "test"), func(tx *store.Tx) error {
			// a generated column need not say that it is never null
			return tx.Raw(`SELECT table_name, column_name, is_nullable = 'YES' AND is_generated = 'NEVER' AS nullable
				FROM information_schema.columns WHERE table_schema = 'public'`).Scan(&columns).Error
		})).To(Succeed())
		for _, c := range columns {
			if tables[c.TableName] == nil {
				tables[c.TableName] = map[string]bool{}
			}
			tables[c.TableName][c.ColumnName] = c.Nullable
		}
	})

	It("have the columns of their tables, null where the field is a pointer", func() {
		for _, record := range records {
			parsed, err := schema.Parse(record, &sync.Map{}, schema.NamingStrategy{})
			Expect(err).NotTo(HaveOccurred())
			fields := map[string]bool{}
			for _, name := range parsed.DBNames {
				fields[name] = parsed.FieldsByDBName[name].FieldType.Kind() == reflect.Pointer
			}
			Expect(fields).To(Equal(tables[parsed.Table]), parsed.Table)
		}
	})

	It("stand for every table", func() {
		var known []string
		for _, record := range records {
			parsed, err := schema.Parse(record, &sync.Map{}, schema.NamingStrategy{})
			Expect(err).NotTo(HaveOccurred())
			known = append(known, parsed.Table)
		}
		for table := range tables {
			partition := slices.ContainsFunc(unrecorded, func(name string) bool { return strings.HasPrefix(table, name) })
			if !partition {
				Expect(known).To(ContainElement(table))
			}
		}
	})
})
