package store_test

import (
	"context"
	"errors"
	"fmt"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"gorm.io/gorm"

	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

var _ = Describe("A migration by a newer version, beside a server whose connections prepared statements before", func() {
	var st *store.Store
	var ctx context.Context
	read := func(tx *store.Tx) error {
		var rows []map[string]any
		return tx.Table("items").Find(&rows).Error
	}
	ways := map[string]func() error{
		"Update": func() error { return st.Update(ctx, read) },
		"View":   func() error { return st.View(ctx, read) },
		"Shared": func() error {
			return st.Shared(ctx, func(db *gorm.DB) error {
				var rows []map[string]any
				return db.Raw("SELECT * FROM items").Find(&rows).Error
			})
		},
	}

	const connections = 6

	// warm has so many connections prepare the statements.
	warm := func() {
		GinkgoHelper()
		var all, here sync.WaitGroup
		here.Add(connections)
		for range connections {
			all.Go(func() {
				defer GinkgoRecover()
				arrive := sync.OnceFunc(here.Done) // a View whose statement is of before the migration is done again
				Expect(st.View(ctx, func(tx *store.Tx) error {
					arrive()
					here.Wait()
					var rows []map[string]any
					return errors.Join(read(tx), tx.Raw("SELECT * FROM items").Find(&rows).Error)
				})).To(Succeed())
			})
		}
		all.Wait()
	}

	for name, do := range ways {
		It("fails no "+name, func() {
			st = storetest.New()
			ctx = storetest.Account(st, "test")
			for round := range 3 {
				warm()
				Expect(st.AsOwner(context.Background(), func(db *gorm.DB) error {
					return db.Exec(fmt.Sprintf("ALTER TABLE items ADD COLUMN later_%d text", round)).Error
				})).To(Succeed())
				var all sync.WaitGroup
				for range connections {
					all.Go(func() {
						defer GinkgoRecover()
						Expect(do()).To(Succeed())
						Expect(do()).To(Succeed())
					})
				}
				all.Wait()
			}
		})
	}
})
