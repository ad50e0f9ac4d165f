package store_test

import (
	"context"

	"github.com/jackc/pgx/v5"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

var _ = Describe("A named lock", func() {
	var st, other *store.Store
	BeforeEach(func() {
		st = storetest.New()
		var err error
		other, err = store.Open(context.Background(), storetest.URL(st))
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(other.Close)
	})
	taken := func(by *store.Store, name string) (release func(), ok bool) {
		GinkgoHelper()
		release, ok, err := by.Lock(context.Background(), name)
		Expect(err).NotTo(HaveOccurred())
		return release, ok
	}

	It("excludes other servers, and no other name", func() {
		release, ok := taken(st, "a")
		Expect(ok).To(BeTrue())
		_, ok = taken(other, "a")
		Expect(ok).To(BeFalse())
		releaseB, ok := taken(other, "b")
		Expect(ok).To(BeTrue())
		releaseB()
		release()
		release, ok = taken(other, "a")
		Expect(ok).To(BeTrue())
		release()
	})

	It("is taken back with the next one after its connection was lost", func(ctx SpecContext) {
		release, ok := taken(st, "a")
		Expect(ok).To(BeTrue())
		admin, err := pgx.Connect(ctx, storetest.URL(st))
		Expect(err).NotTo(HaveOccurred())
		defer func() { _ = admin.Close(ctx) }()
		_, err = admin.Exec(ctx, "SELECT pg_terminate_backend(pid, 5000) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())")
		Expect(err).NotTo(HaveOccurred())
		releaseB, ok := taken(st, "b")
		Expect(ok).To(BeTrue())
		_, ok = taken(other, "a")
		Expect(ok).To(BeFalse())
		releaseB()
		release()
		release, ok = taken(other, "a")
		Expect(ok).To(BeTrue())
		release()
	})
})
