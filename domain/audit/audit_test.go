package audit_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/audit"
	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

var _ = Describe("The audit log", func() {
	var st *store.Store
	var account context.Context
	noon := time.Date(2025, 3, 31, 12, 0, 0, 0, time.UTC)
	key := audit.Actor{Type: audit.APIKey, ID: "key_1", Name: "script"}

	BeforeEach(func() {
		st = storetest.New()
		st.BeforeCommit(func(tx *store.Tx, _ []any) error { return audit.Write(tx) })
		account = storetest.Account(st, "test")
		storetest.SetClock(st, account, noon)
	})

	request := func(action string) context.Context {
		return audit.Begin(account, key, action, new("req_1"))
	}
	update := func(ctx context.Context, sql string, args ...any) error {
		return st.Update(ctx, func(tx *store.Tx) error { return tx.Exec(sql, args...).Error })
	}
	insert := func(tx *store.Tx, id string) error {
		return tx.Exec("INSERT INTO items (account_id, id, created_at, name) VALUES (?, ?, ?, ?)", tx.AccountID, id, tx.Now, "of "+id).Error
	}
	list := func(ctx context.Context, f audit.Filter) (entries []audit.Entry) {
		GinkgoHelper()
		Expect(st.View(ctx, func(tx *store.Tx) (err error) {
			entries, _, err = audit.List(tx, f, store.Page{Limit: 100})
			return err
		})).To(Succeed())
		return entries
	}

	It("has one entry for a request, with each row before and after", func() {
		Expect(st.Update(request("createItem"), func(tx *store.Tx) error {
			return errors.Join(insert(tx, "item_1"), insert(tx, "item_2"))
		})).To(Succeed())
		Expect(update(request("updateItem"), "UPDATE items SET name = 'another' WHERE id = 'item_1'")).To(Succeed())
		Expect(update(request("deleteItem"), "DELETE FROM items WHERE id = 'item_2'")).To(Succeed())

		entries := list(account, audit.Filter{})
		Expect(entries).To(HaveLen(3))
		removed, changed, added := entries[0], entries[1], entries[2]
		Expect(added.Action).To(Equal("createItem"))
		Expect(added.Actor).To(Equal(key))
		Expect(added.RequestID).To(HaveValue(Equal("req_1")))
		Expect(added.AccountTime).To(BeTemporally("==", noon))
		Expect(added.CreatedAt).To(BeTemporally("~", time.Now(), time.Hour))
		Expect(added.Changes).To(HaveLen(2))
		Expect(added.Changes[0].Before).To(BeNil())
		Expect(added.Changes[0].Resource).To(Equal("items"))
		Expect(added.Changes[0].RowID).To(HaveValue(Equal("item_1")))
		Expect(string(*added.Changes[0].After)).To(And(ContainSubstring(`"name": "of item_1"`), Not(ContainSubstring("account_id")), Not(ContainSubstring(`"seq"`))))
		Expect(changed.Changes).To(HaveLen(1))
		Expect(string(*changed.Changes[0].Before)).To(MatchJSON(`{"name": "of item_1"}`))
		Expect(string(*changed.Changes[0].After)).To(MatchJSON(`{"name": "another"}`))
		Expect(removed.Changes).To(HaveLen(1))
		Expect(removed.Changes[0].After).To(BeNil())
		Expect(string(*removed.Changes[0].Before)).To(ContainSubstring(`"name": "of item_2"`))
	})

	It("has an entry without changes for a request that changed nothing", func() {
		Expect(update(request("updateItem"), "UPDATE items SET name = name")).To(Succeed())
		Expect(list(account, audit.Filter{})).To(HaveExactElements(HaveField("Changes", BeEmpty())))
	})

	It("has one entry for the transactions of one request", func() {
		ctx := request("createItem")
		for _, id := range []string{"item_1", "item_2"} {
			Expect(st.Update(ctx, func(tx *store.Tx) error { return insert(tx, id) })).To(Succeed())
		}
		Expect(list(account, audit.Filter{})).To(HaveExactElements(HaveField("Changes", HaveLen(2))))
	})

	It("has nothing of what was undone, rehearsed, read, or done by the clock", func() {
		Expect(st.Update(request("fails"), func(tx *store.Tx) error {
			return errors.Join(insert(tx, "item_1"), errors.New("refused"))
		})).NotTo(Succeed())
		Expect(st.View(request("reads"), func(tx *store.Tx) error { return tx.Exec("SELECT 1").Error })).To(Succeed())
		Expect(st.UpdateAt(request("is due"), noon, func(tx *store.Tx) error { return insert(tx, "item_2") })).To(Succeed())
		Expect(st.Update(account, func(tx *store.Tx) error { return insert(tx, "item_3") })).To(Succeed())
		Expect(list(account, audit.Filter{})).To(BeEmpty())

		Expect(st.Update(request("previews"), func(tx *store.Tx) error {
			return tx.Rehearse(func(tx *store.Tx) error { return insert(tx, "item_4") })
		})).To(Succeed())
		Expect(list(account, audit.Filter{})).To(HaveExactElements(HaveField("Changes", BeEmpty())))
	})

	It("hides secrets, and shows that they changed", func() {
		Expect(update(request("createWebhookEndpoint"), `INSERT INTO webhook_endpoints (account_id, id, created_at, url, enabled, secret)
			VALUES (current_setting('tollkeeper.account'), 'whe_1', '2025-01-01', 'https://example.com', true, 'whsec_deep')`)).To(Succeed())
		Expect(update(request("rotateWebhookSecret"), "UPDATE webhook_endpoints SET secret = 'whsec_deeper'")).To(Succeed())
		entries := list(account, audit.Filter{})
		Expect(entries).To(HaveLen(2))
		Expect(string(*entries[0].Changes[0].After)).To(MatchJSON(`{"secret": "hidden"}`))
		Expect(string(*entries[1].Changes[0].After)).To(And(ContainSubstring(`"secret": "hidden"`), Not(ContainSubstring("whsec_deep"))))
	})

	It("keeps amounts to the last digit", func() {
		const amount = "0.123456789012345678901234567890"
		Expect(update(request("setting"), "UPDATE accounts SET smallest_charge = "+amount+" WHERE id = current_setting('tollkeeper.account')")).To(Succeed())
		change := list(account, audit.Filter{})[0].Changes[0]
		Expect(change.Resource).To(Equal("accounts"))
		Expect(string(*change.After)).To(Equal(`{"smallest_charge": ` + amount + `}`))
	})

	It("cannot be changed by the role of the server", func() {
		Expect(st.Update(request("createItem"), func(tx *store.Tx) error { return insert(tx, "item_1") })).To(Succeed())
		for _, sql := range []string{
			"UPDATE audit_entries SET actor_name = 'another'", "DELETE FROM audit_entries", "TRUNCATE audit_entries CASCADE",
			"UPDATE audit_changes SET after = '{}'", "DELETE FROM audit_changes",
			"INSERT INTO audit_changes (account_id, entry_id, resource, after) SELECT account_id, id, 'items', '{}' FROM audit_entries",
		} {
			Expect(update(account, sql)).To(MatchError(ContainSubstring("permission denied")), sql)
		}
	})

	It("is each account's own", func() {
		other := storetest.Account(st, "test")
		Expect(st.Update(request("createItem"), func(tx *store.Tx) error { return insert(tx, "item_1") })).To(Succeed())
		Expect(list(other, audit.Filter{})).To(BeEmpty())
		Expect(list(other, audit.Filter{ResourceID: "item_1"})).To(BeEmpty())
		Expect(update(other, `INSERT INTO audit_entries (account_id, id, account_time, actor_type, actor_id, actor_name, action)
			VALUES ('`+store.AccountID(account)+`', 'aud_1', '2025-01-01', 'command', 'root', 'root', 'none')`)).
			To(MatchError(ContainSubstring("row-level security")))
	})

	It("is searched by actor, action, resource and time, in pages", func() {
		for k := range 5 {
			storetest.SetClock(st, account, noon.AddDate(0, 0, k))
			actor := audit.Actor{Type: audit.Command, ID: fmt.Sprint("user", k%2), Name: "shell"}
			ctx := audit.Begin(account, actor, fmt.Sprint("action", k), nil)
			Expect(st.Update(ctx, func(tx *store.Tx) error { return insert(tx, fmt.Sprint("item_", k)) })).To(Succeed())
		}
		actions := func(f audit.Filter) (all []string) {
			for _, e := range list(account, f) {
				all = append(all, e.Action)
			}
			return all
		}
		Expect(actions(audit.Filter{ActorID: "user1"})).To(Equal([]string{"action3", "action1"}))
		Expect(actions(audit.Filter{Action: "action2"})).To(Equal([]string{"action2"}))
		Expect(actions(audit.Filter{ResourceID: "item_4"})).To(Equal([]string{"action4"}))
		between := list(account, audit.Filter{Action: "action1"})[0].CreatedAt
		Expect(actions(audit.Filter{Created: store.Range{Gt: &between}})).To(Equal([]string{"action4", "action3", "action2"}))

		var seen []string
		page := store.Page{Limit: 2}
		for {
			var entries []audit.Entry
			Expect(st.View(account, func(tx *store.Tx) (err error) {
				entries, page.Cursor, err = audit.List(tx, audit.Filter{}, page)
				return err
			})).To(Succeed())
			for _, e := range entries {
				seen = append(seen, e.Action)
			}
			if page.Cursor == "" {
				break
			}
		}
		Expect(seen).To(Equal([]string{"action4", "action3", "action2", "action1", "action0"}))
	})

	It("has the entry and the change, or neither, wherever the connection breaks", func() {
		way := storetest.NewFlakyConn(st)
		way.Store.BeforeCommit(func(tx *store.Tx, _ []any) error { return audit.Write(tx) })
		broken := 0
		for n := 1; ; n++ {
			id := fmt.Sprint("item_", n)
			way.Break(n, storetest.AtStatement)
			_ = way.Store.Update(request("createItem "+id), func(tx *store.Tx) error { return insert(tx, id) })
			var rows int
			Expect(st.View(account, func(tx *store.Tx) error {
				return tx.Raw("SELECT count(*) FROM items WHERE id = ?", id).Scan(&rows).Error
			})).To(Succeed())
			Expect(list(account, audit.Filter{ResourceID: id})).To(HaveLen(rows), id)
			Expect(list(account, audit.Filter{Action: "createItem " + id})).To(HaveLen(rows), id)
			if !way.Broke() {
				Expect(rows).To(Equal(1))
				break
			}
			broken++
		}
		Expect(broken).To(BeNumerically(">=", 4), "begin, change, entry, commit")
	})
})
