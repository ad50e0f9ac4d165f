package importevents_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tollkeeper/domain/event"
	"tollkeeper/server/cmd/tollkeeper/importevents"
	"tollkeeper/store"
	"tollkeeper/store/storetest"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var noon = time.Date(2025, 5, 10, 12, 0, 0, 0, time.UTC)

// fixture is an account without customers whose clock is set to noon, and a directory.
type fixture struct {
	store *store.Store
	ctx   context.Context
	dir   string
}

func newFixture() fixture {
	GinkgoHelper()
	d := fixture{store: storetest.Shared(), dir: GinkgoT().TempDir()}
	d.ctx = storetest.Account(d.store, "test")
	storetest.SetClock(d.store, d.ctx, noon)
	return d
}

// file writes lines to a file of that name.
func (d fixture) file(name string, lines ...string) string {
	GinkgoHelper()
	path := filepath.Join(d.dir, name)
	Expect(os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600)).To(Succeed())
	return path
}

// feed is one of a file into the account.
func (d fixture) feed(path string) importevents.Feed {
	return importevents.Feed{
		Path: path, For: store.AccountID(d.ctx), Record: event.NewRecorder(d.store).Record, Report: func(importevents.Progress) {},
	}
}

// run feeds a file to its end, and gives how many events were stored, known and rejected.
func (d fixture) run(f importevents.Feed) (stored, known, rejected int) {
	GinkgoHelper()
	did, err := f.Run(d.ctx)
	Expect(err).NotTo(HaveOccurred())
	Expect(f.Path + ".progress").NotTo(BeAnExistingFile())
	return did.Stored, did.Known, did.Rejected
}

// events are those stored, as "key subject properties", by key.
func (d fixture) events() (all []string) {
	GinkgoHelper()
	Expect(d.store.View(d.ctx, func(tx *store.Tx) error {
		return tx.Raw(`SELECT idempotency_key || ' ' || subject || ' ' || properties::text FROM events
			WHERE account_id = ? ORDER BY idempotency_key`, tx.AccountID).Scan(&all).Error
	})).To(Succeed())
	return all
}

func read(path string) []string {
	GinkgoHelper()
	text, err := os.ReadFile(path)
	Expect(err).NotTo(HaveOccurred())
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}
