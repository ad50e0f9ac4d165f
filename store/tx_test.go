package store_test

import (
	"context"
	"errors"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"gorm.io/gorm"

	"tollkeeper/store"
	"tollkeeper/store/fault"
	"tollkeeper/store/storetest"
)

// item is a row of a table that is scoped to accounts.
type item struct {
	store.Record
	Name     string
	Metadata store.Metadata
}

func (item) TableName() string { return "items" }

// metric is a row of another.
type metric struct{ store.Record }

func (metric) TableName() string { return "metrics" }

func create(st *store.Store, ctx context.Context, name string) (made item) {
	GinkgoHelper()
	Expect(st.Update(ctx, func(tx *store.Tx) error {
		made = item{Record: tx.Record("item"), Name: name}
		return tx.Create(&made).Error
	})).To(Succeed())
	return made
}

var _ = Describe("A transaction", func() {
	var st *store.Store
	var ours, theirs context.Context
	BeforeEach(func() {
		st = storetest.New()
		ours, theirs = storetest.Account(st, "test"), storetest.Account(st, "test")
	})

	It("goes on after a part of it that failed or was only rehearsed, of which nothing is left", func() {
		names := func(tx *store.Tx) (found []string) {
			Expect(tx.Model(&item{}).Order("name").Pluck("name", &found).Error).To(Succeed())
			return found
		}
		put := func(tx *store.Tx, name string) error {
			return tx.Create(&item{Record: tx.Record("item"), Name: name}).Error
		}
		wrong := errors.New("wrong")
		Expect(st.Update(ours, func(tx *store.Tx) error {
			Expect(put(tx, "first")).To(Succeed())
			Expect(tx.Rehearse(func(tx *store.Tx) error {
				Expect(put(tx, "rehearsed")).To(Succeed())
				Expect(names(tx)).To(Equal([]string{"first", "rehearsed"}))
				return nil
			})).To(Succeed())
			for _, part := range []func(func(*store.Tx) error) error{tx.Rehearse, tx.Try} {
				Expect(part(func(tx *store.Tx) error {
					Expect(put(tx, "failed")).To(Succeed())
					return wrong
				})).To(MatchError(wrong))
			}
			Expect(tx.Try(func(tx *store.Tx) error { return put(tx, "tried") })).To(Succeed())
			return nil
		})).To(Succeed())
		Expect(st.View(ours, func(tx *store.Tx) error {
			Expect(names(tx)).To(Equal([]string{"first", "tried"}))
			return nil
		})).To(Succeed())
	})

	It("sees the rows of its account only", func() {
		made := create(st, theirs, "theirs")
		Expect(st.View(ours, func(tx *store.Tx) error {
			var rows []item
			Expect(tx.Find(&rows).Error).To(Succeed())
			Expect(rows).To(BeEmpty())
			return store.Found(tx.Where("id = ?", made.ID).Take(&item{}).Error, "Item", made.ID)
		})).To(MatchError(fault.Missing("Item", made.ID)))
	})

	It("sees them only, even through SQL that forgets the account", func() {
		create(st, theirs, "theirs")
		create(st, ours, "ours")
		Expect(st.View(ours, func(tx *store.Tx) error {
			var names []string
			Expect(tx.Raw("SELECT name FROM items").Scan(&names).Error).To(Succeed())
			Expect(names).To(Equal([]string{"ours"}))
			return nil
		})).To(Succeed())
	})

	It("cannot write into another account, even through SQL", func() {
		other := store.AccountID(theirs)
		err := st.Update(ours, func(tx *store.Tx) error {
			return tx.Exec("INSERT INTO items (account_id, id, created_at, name) VALUES (?, 'item_x', now(), 'planted')", other).Error
		})
		Expect(err).To(MatchError(ContainSubstring("row-level security")))
		made := create(st, theirs, "theirs")
		Expect(st.Update(ours, func(tx *store.Tx) error {
			return tx.Model(&item{}).Where("id = ?", made.ID).Update("name", "changed").Error
		})).To(Succeed())
		Expect(st.View(theirs, func(tx *store.Tx) error {
			var found item
			Expect(tx.Take(&found).Error).To(Succeed())
			Expect(found.Name).To(Equal("theirs"))
			return nil
		})).To(Succeed())
	})

	It("makes rows its account's, even if they name another", func() {
		Expect(st.Update(ours, func(tx *store.Tx) error {
			made := item{Record: tx.Record("item"), Name: "ours"}
			made.AccountID = store.AccountID(theirs)
			return tx.Create(&made).Error
		})).To(Succeed())
		Expect(st.View(ours, func(tx *store.Tx) error { return tx.Take(&item{}).Error })).To(Succeed())
	})

	It("says in a statement that it wants one row, which its plan depends on", func() {
		Expect(st.View(ours, func(tx *store.Tx) error {
			wanting := func(rows int) *gorm.Statement {
				return tx.Session(&gorm.Session{DryRun: true}).Order("seq").Limit(rows).Find(&[]item{}).Statement
			}
			Expect(wanting(1).SQL.String()).To(HaveSuffix("ORDER BY seq LIMIT 1"))
			Expect(wanting(2).SQL.String()).To(HaveSuffix("ORDER BY seq LIMIT $2"))
			return nil
		})).To(Succeed())
	})

	It("is refused without an account", func() {
		Expect(st.View(context.Background(), func(*store.Tx) error { return nil })).NotTo(Succeed())
		nobody := store.WithAccount(context.Background(), "acct_nobody")
		Expect(st.View(nobody, func(*store.Tx) error { return nil })).NotTo(Succeed())
	})

	It("can be a function of the database, called with the account", func() {
		noon := time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)
		storetest.SetClock(st, ours, noon)
		var now time.Time
		Expect(st.Call(ours, "begin_account", nil, &now)).To(Succeed())
		Expect(now).To(BeTemporally("==", noon))
		Expect(st.Call(context.Background(), "begin_account", nil, &now)).NotTo(Succeed())
		Expect(st.Call(ours, "no_such_function", []any{1}, &now)).To(MatchError(ContainSubstring("does not exist")))
	})

	It("leaves nothing behind when it fails", func() {
		failure := errors.New("no")
		Expect(st.Update(ours, func(tx *store.Tx) error {
			made := item{Record: tx.Record("item"), Name: "gone"}
			Expect(tx.Create(&made).Error).To(Succeed())
			return failure
		})).To(MatchError(failure))
		Expect(st.View(ours, func(tx *store.Tx) error { return tx.Take(&item{}).Error })).To(MatchError(gorm.ErrRecordNotFound))
	})

	It("cannot write in a view", func() {
		Expect(st.View(ours, func(tx *store.Tx) error {
			return tx.Create(&item{Record: tx.Record("item"), Name: "no"}).Error
		})).To(MatchError(ContainSubstring("read-only")))
	})

	It("reads a clock that stands, and moves it with due work, forward only", func() {
		noon := time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)
		storetest.SetClock(st, ours, noon)
		now := func() (at time.Time) {
			Expect(st.View(ours, func(tx *store.Tx) error { at = tx.Now; return nil })).To(Succeed())
			return at
		}
		Expect(now()).To(Equal(noon))
		Expect(st.UpdateAt(ours, noon.Add(time.Hour), func(tx *store.Tx) error {
			Expect(tx.Now).To(Equal(noon.Add(time.Hour)))
			return nil
		})).To(Succeed())
		Expect(now()).To(Equal(noon.Add(time.Hour)))
		Expect(st.UpdateAt(ours, noon, func(*store.Tx) error { return nil })).To(Succeed())
		Expect(now()).To(Equal(noon.Add(time.Hour)))
	})

	It("has a deadline that nothing puts off", func() {
		var deadline, compiles string
		Expect(st.View(ours, func(tx *store.Tx) error {
			return tx.Raw("SELECT current_setting('statement_timeout'), current_setting('jit')").Row().Scan(&deadline, &compiles)
		})).To(Succeed())
		Expect([]string{deadline, compiles}).To(Equal([]string{"30s", "off"}))
		err := st.View(ours, func(tx *store.Tx) error {
			return tx.Exec("SET LOCAL statement_timeout = 1; SELECT pg_sleep(10)").Error
		})
		Expect(store.TimedOut(err)).To(BeTrue(), "%v", err)
		Expect(store.TimedOut(st.View(ours, func(tx *store.Tx) error { return tx.Exec("SELECT 1 / 0").Error }))).To(BeFalse())
	})

	It("is run again after a deadlock", func() {
		a, b := create(st, ours, "a"), create(st, ours, "b")
		rename := func(tx *store.Tx, id, name string) error {
			return tx.Model(&item{}).Where("id = ?", id).Update("name", name).Error
		}
		var first sync.WaitGroup // both hold one row before either asks for the other's
		first.Add(2)
		cross := func(mine, other, name string) error {
			var once sync.Once
			return st.Update(ours, func(tx *store.Tx) error {
				if err := rename(tx, mine, name); err != nil {
					return err
				}
				once.Do(func() { first.Done(); first.Wait() })
				return rename(tx, other, name)
			})
		}
		failed := make(chan error, 2)
		go func() { failed <- cross(a.ID, b.ID, "one") }()
		go func() { failed <- cross(b.ID, a.ID, "two") }()
		Eventually(failed).WithTimeout(20 * time.Second).Should(Receive(BeNil()))
		Eventually(failed).WithTimeout(20 * time.Second).Should(Receive(BeNil()))
	})

	It("is not run again when the answer to COMMIT is lost", func() {
		f := storetest.NewFlakyConn(st)
		f.Break(1, storetest.AfterCommit)
		Expect(f.Store.Update(ours, func(tx *store.Tx) error {
			return tx.Create(&item{Record: tx.Record("item"), Name: "once"}).Error
		})).NotTo(Succeed())
		var kept int64
		Expect(st.View(ours, func(tx *store.Tx) error { return tx.Model(&item{}).Count(&kept).Error })).To(Succeed())
		Expect(kept).To(BeEquivalentTo(1))
	})

	It("holds a named lock for one at a time", func() {
		release, ok, err := st.Lock(ours, "spec")
		Expect(ok, err).To(BeTrue())
		_, ok, err = st.Lock(ours, "spec")
		Expect(ok, err).To(BeFalse())
		release()
		release, ok, err = st.Lock(ours, "spec")
		Expect(ok, err).To(BeTrue())
		release()
	})
})

var _ = Describe("A list", func() {
	It("neither repeats nor skips, and shows nothing made after its first page", func() {
		st := storetest.New()
		ctx := storetest.Account(st, "test")
		storetest.SetClock(st, ctx, time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)) // all at one instant
		var want []string
		for _, name := range []string{"a", "b", "c", "d", "e"} {
			want = append([]string{create(st, ctx, name).ID}, want...)
		}
		var got []string
		page := store.Page{Limit: 2}
		for more := true; more; {
			Expect(st.View(ctx, func(tx *store.Tx) error {
				rows, next, err := store.List[item](tx.DB, page)
				for _, row := range rows {
					got = append(got, row.ID)
				}
				page.Cursor, more = next, next != ""
				return err
			})).To(Succeed())
			create(st, ctx, "late")
		}
		Expect(got).To(Equal(want))
	})

	It("ends a page of long records after so many lines, and one record at least", func() {
		st := storetest.New()
		ctx := storetest.Account(st, "test")
		for _, lines := range []string{"400", "600", "1", "2000", "7"} { // oldest first
			create(st, ctx, lines)
		}
		var pages [][]string
		page := store.Page{Limit: 3}
		for more := true; more; {
			Expect(st.View(ctx, func(tx *store.Tx) error {
				rows, next, err := store.List[item](store.Long(tx.DB, "name::bigint"), page)
				var names []string
				for _, row := range rows {
					names = append(names, row.Name)
				}
				pages = append(pages, names)
				page.Cursor, more = next, next != ""
				return err
			})).To(Succeed())
		}
		Expect(pages).To(Equal([][]string{{"7"}, {"2000"}, {"1", "600"}, {"400"}}))
	})

	It("refuses a cursor that another list returned, or it in another order", func() {
		st := storetest.New()
		ctx := storetest.Account(st, "test")
		create(st, ctx, "a")
		create(st, ctx, "b")
		Expect(st.View(ctx, func(tx *store.Tx) error {
			_, next, err := store.List[item](tx.DB, store.Page{Limit: 1})
			Expect(next, err).NotTo(BeEmpty())
			page := store.Page{Limit: 1, Cursor: next}
			_, _, err = store.List[metric](tx.DB, page)
			Expect(err).To(MatchError(ContainSubstring("cursor: ")))
			_, _, err = store.ListBy(tx.DB, page, "archived_at", func(row item) time.Time { return row.CreatedAt })
			Expect(err).To(MatchError(ContainSubstring("cursor: ")))
			_, _, err = store.List[item](tx.DB, page)
			return err
		})).To(Succeed())
	})

	DescribeTable("refuses a cursor that no list returned",
		func(cursor string) {
			st := storetest.New()
			Expect(st.View(storetest.Account(st, "test"), func(tx *store.Tx) error {
				_, _, err := store.List[item](tx.DB, store.Page{Limit: 2, Cursor: cursor})
				return err
			})).To(MatchError(ContainSubstring("cursor: ")))
		},
		Entry("text", "nope"),
		Entry("base 64 of something else", "bm9wZQ"),
		Entry("one with a tail", "MTc0MDgzMDQwMDAwMDAwMC41IHg"),
	)
})
