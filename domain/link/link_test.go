package link_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/domaintest"
	"tollkeeper/domain/link"
	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

func TestLink(t *testing.T) { domaintest.RunSuite(t, "link", 15) }

var _ = Describe("A link", func() {
	var keys, others link.Keys
	BeforeEach(func() {
		st := storetest.Shared()
		of := func(keys *link.Keys) {
			Expect(st.View(storetest.Account(st, "test"), func(tx *store.Tx) (err error) {
				*keys, err = link.Of(tx)
				return err
			})).To(Succeed())
		}
		of(&keys)
		of(&others)
	})

	token := func(address string) string { return address[strings.LastIndex(address, "/")+1:] }

	It("is the same each time, and opens what it names and nothing else", func() {
		one := token(keys.InvoicePage(link.Subject{ID: "inv_00000000000000000001"}, time.Time{}))
		Expect(token(keys.InvoicePage(link.Subject{ID: "inv_00000000000000000001"}, time.Time{}))).To(Equal(one))
		named, ok := link.Parse(link.Invoice, one)
		Expect(ok).To(BeTrue())
		Expect(named.ID).To(Equal("inv_00000000000000000001"))
		Expect(keys.Signed(link.Invoice, one, 0)).To(BeTrue())
		Expect(others.Signed(link.Invoice, one, 0)).To(BeFalse())
		Expect(keys.Signed(link.Portal, one, 0)).To(BeFalse())
		Expect(keys.Signed(link.Portal, "p"+one[1:], 0)).To(BeFalse())
		Expect(token(others.InvoicePage(link.Subject{ID: "inv_00000000000000000001"}, time.Time{}))).NotTo(Equal(one))
	})

	It("is not genuine once a character is another", func() {
		for _, good := range []string{
			token(keys.InvoicePage(link.Subject{ID: "inv_00000000000000000001"}, time.Time{})),
			token(keys.InvoicePage(link.Subject{ID: "inv_00000000000000000001"}, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))),
		} {
			Expect(keys.Signed(link.Invoice, good, 0)).To(BeTrue())
			for k := range good {
				for _, other := range []string{"A", "b", "0", "-", ".", "\x00", "é"} {
					changed := good[:k] + other + good[k+1:]
					if changed != good {
						Expect(keys.Signed(link.Invoice, changed, 0)).To(BeFalse(), changed)
					}
				}
			}
		}
	})

	It("has another code once the links of what it names were withdrawn, and none of before is genuine", func() {
		one := link.Subject{ID: "cus_00000000000000000001"}
		first := token(keys.PortalPage(one))
		for one.Withdrawn = 1; one.Withdrawn < 12; one.Withdrawn++ {
			Expect(keys.Signed(link.Portal, first, one.Withdrawn)).To(BeFalse())
			now := token(keys.PortalPage(one))
			for times := range 12 {
				Expect(keys.Signed(link.Portal, now, times)).To(Equal(times == one.Withdrawn))
			}
		}
	})

	It("is as before links could be withdrawn, where none was", func() {
		var secret []byte
		st := storetest.Shared()
		ctx := storetest.Account(st, "test")
		var address string
		Expect(st.View(ctx, func(tx *store.Tx) error {
			keys, err := link.Of(tx)
			if err != nil {
				return err
			}
			address = token(keys.PortalPage(link.Subject{ID: "cus_00000000000000000001"}))
			return tx.Raw("SELECT secret FROM link_secrets WHERE account_id = ?", tx.AccountID).Row().Scan(&secret)
		})).To(Succeed())
		mac := hmac.New(sha256.New, secret)
		_, err := mac.Write([]byte("portal " + address[:42]))
		Expect(err).NotTo(HaveOccurred())
		Expect(address[42:]).To(Equal(base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:20])))
	})

	It("ends when it says so", func() {
		ends := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		named, ok := link.Parse(link.Invoice, token(keys.InvoicePage(link.Subject{ID: "inv_00000000000000000001"}, ends)))
		Expect(ok).To(BeTrue())
		Expect(named.Ends).To(Equal(ends))
	})

	It("has a code of 160 bits", func() {
		one := token(keys.InvoicePage(link.Subject{ID: "inv_00000000000000000001"}, time.Time{}))
		Expect(len(one) - len("i_") - 40).To(Equal(27)) // base64 of 20 bytes
	})

	DescribeTable("is none when it is something else", func(text string) {
		_, ok := link.Parse(link.Invoice, text)
		Expect(ok).To(BeFalse())
		Expect(keys.Signed(link.Invoice, text, 0)).To(BeFalse())
	},
		Entry("nothing", ""),
		Entry("a mark", "i_"),
		Entry("too long", "i_"+strings.Repeat("a", 200)),
		Entry("an end that is none", "i_"+strings.Repeat("a", 67)+".-5"),
		Entry("an end that is empty", "i_"+strings.Repeat("a", 67)+"."),
	)
})
