package domaintest

import (
	"sync"

	. "github.com/onsi/ginkgo/v2"

	"tollkeeper/domain/webhook"
	"tollkeeper/store"
)

// Announcements are what the transactions of an account announced since it was made to listen.
type Announcements struct {
	mu  sync.Mutex
	all []webhook.Announcement
}

// listeners are the accounts that listen, by id.
var listeners sync.Map

// Listen collects what the transactions of the account announce from now on: what is undone is
// not among it.
func (a Account) Listen() *Announcements {
	heard := &Announcements{}
	id := store.AccountID(a.Ctx)
	listeners.Store(id, heard)
	DeferCleanup(func() { listeners.Delete(id) })
	a.Store.BeforeCommit(collect)
	return heard
}

func collect(tx *store.Tx, notes []any) error {
	listener, listens := listeners.Load(tx.AccountID)
	if !listens {
		return nil
	}
	heard := listener.(*Announcements)
	heard.mu.Lock()
	defer heard.mu.Unlock()
	for _, note := range notes {
		if announced, is := note.(webhook.Announcement); is {
			heard.all = append(heard.all, announced)
		}
	}
	return nil
}

// Take returns what was announced since the last call, of those types, of all where none is
// named; what is of other types is forgotten.
func (n *Announcements) Take(types ...webhook.Type) []webhook.Announcement {
	n.mu.Lock()
	defer n.mu.Unlock()
	taken := []webhook.Announcement{}
	for _, a := range n.all {
		wanted := len(types) == 0
		for _, t := range types {
			wanted = wanted || a.Type == t
		}
		if wanted {
			taken = append(taken, a)
		}
	}
	n.all = nil
	return taken
}
