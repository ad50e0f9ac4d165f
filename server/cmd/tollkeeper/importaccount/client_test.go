package importaccount_test

import (
	"context"
	"net/http"
	"net/http/httptest"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/server/cmd/tollkeeper/importaccount"
)

var _ = Describe("A server from which an account is imported", func() {
	// asked asks a server that answers so for an item.
	asked := func(answer http.HandlerFunc) error {
		GinkgoHelper()
		listener := httptest.NewServer(answer)
		DeferCleanup(listener.Close)
		client, err := importaccount.NewClient(listener.URL, "tk_test_key")
		Expect(err).NotTo(HaveOccurred())
		_, err = client.Send(context.Background(), http.MethodGet, "/items/item_1", nil)
		return err
	}

	It("cannot send the import to another one", func() {
		reached := 0
		other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached++ }))
		DeferCleanup(other.Close)
		for _, status := range []int{http.StatusMovedPermanently, http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
			err := asked(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL+"/v1/items", status) })
			Expect(err).To(MatchError(ContainSubstring("GET /items/item_1: 3")))
		}
		Expect(reached).To(BeZero())
	})

	It("cannot answer without end", func() {
		sent := 0
		err := asked(func(w http.ResponseWriter, _ *http.Request) {
			spaces := make([]byte, 1<<20)
			for i := range spaces {
				spaces[i] = ' '
			}
			for sent < 1<<30 {
				n, err := w.Write(spaces)
				if sent += n; err != nil {
					return
				}
			}
		})
		Expect(err).To(MatchError(ContainSubstring("answered more than 64 MB")))
	})
})
