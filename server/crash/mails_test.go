package crash_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	netmail "net/mail"
	"sync"
	"time"

	"github.com/emersion/go-smtp"
	"github.com/jackc/pgx/v5"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// office is a mail server that counts what it takes by Message-ID, slowly enough for kills to meet it at work.
type office struct {
	mu    sync.Mutex
	taken map[string]int
}

func openOffice() (o *office, addr string) {
	GinkgoHelper()
	o = &office{taken: map[string]int{}}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	Expect(err).NotTo(HaveOccurred())
	server := smtp.NewServer(o)
	server.Domain = "post.test"
	go func() { _ = server.Serve(listener) }()
	DeferCleanup(server.Close)
	return o, listener.Addr().String()
}

// NewSession begins a connection.
func (o *office) NewSession(*smtp.Conn) (smtp.Session, error) { return officeSession{o}, nil }

type officeSession struct{ *office }

func (officeSession) Reset()                               {}
func (officeSession) Logout() error                        { return nil }
func (officeSession) Mail(string, *smtp.MailOptions) error { pause(); return nil }
func (officeSession) Rcpt(string, *smtp.RcptOptions) error { pause(); return nil }

func (s officeSession) Data(r io.Reader) error {
	message, err := netmail.ReadMessage(r)
	if err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, message.Body); err != nil {
		return err // the end of the message did not come
	}
	s.mu.Lock()
	s.taken[message.Header.Get("Message-ID")]++
	s.mu.Unlock()
	pause() // taken, and not yet answered
	return nil
}

func pause() { <-time.After(time.Duration(rand.IntN(15)) * time.Millisecond) }

// fates are how many mails are in each state, and which ids those that are sent have.
func (m *machine) fates() (counts map[string]int, sent []string) {
	GinkgoHelper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, m.url())
	Expect(err).NotTo(HaveOccurred())
	defer func() { Expect(conn.Close(ctx)).To(Succeed()) }()
	rows, err := conn.Query(ctx, "SELECT id, status FROM mails")
	Expect(err).NotTo(HaveOccurred())
	counts = map[string]int{}
	var id, status string
	_, err = pgx.ForEachRow(rows, []any{&id, &status}, func() error {
		counts[status]++
		if status == "sent" {
			sent = append(sent, id)
		}
		return nil
	})
	Expect(err).NotTo(HaveOccurred())
	return counts, sent
}

// count is the only value of a query.
func (m *machine) count(query string) int { GinkgoHelper(); return only[int](m, query) }

func only[T any](m *machine, query string) (value T) {
	GinkgoHelper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, m.url())
	Expect(err).NotTo(HaveOccurred())
	defer func() { Expect(conn.Close(ctx)).To(Succeed()) }()
	Expect(conn.QueryRow(ctx, query).Scan(&value)).To(Succeed())
	return value
}

var _ = Describe("Kills while mails are sent", func() {
	It("leave one mail of each invoice, none sent twice, and each sent or known to be uncertain", func() {
		post, addr := openOffice()
		m := boot()
		m.killServer()
		m.settings = []string{"TOLLKEEPER_SMTP_URL=smtp://" + addr + "?tls=off", "TOLLKEEPER_PUBLIC_URL=https://bill.test"}
		m.startServer()
		c := m.client(firstKey)
		c.must(http.MethodPost, "/v1/test_clock/advance", object{"now": stamp}, "")
		account := only[string](m, "SELECT id FROM accounts LIMIT 1")
		for name, value := range map[string]string{"mail_from": "Acme <billing@acme.test>", "mail_in_test": "true", "reminder_days": "3"} {
			m.run("account", "set", account, name, value)
		}
		plan := weekly(c)
		for n := range buyers {
			buyer := c.must(http.MethodPost, "/v1/customers", object{"name": "Acme", "email": fmt.Sprintf("a%d@acme.test", n), "additional_emails": []string{fmt.Sprintf("b%d@acme.test", n)}}, "")
			c.must(http.MethodPost, "/v1/subscriptions", object{"customer_id": buyer, "plan_id": plan, "start_date": "2025-01-01", "net_terms": 0}, "")
		}
		from, err := time.Parse(time.RFC3339, stamp)
		Expect(err).NotTo(HaveOccurred())
		work, told := newCrowd(), &history{}
		work.add(func(home <-chan struct{}) { c.advance(from, told, home) })
		m.suffer(kills(), func() {})
		work.sendHome()

		By("letting what was cut off be found, and all the rest go out")
		Eventually(func() int {
			// A mail that a server died with is looked at after its lease; other failures wait for another try.
			m.execute("UPDATE mails SET claimed_until = claimed_until - interval '10 minutes' WHERE claimed_until < clock_timestamp() + interval '4 minutes 50 seconds'")
			m.execute("UPDATE mails SET next_attempt_at = clock_timestamp() WHERE status = 'pending' AND claimed_until IS NULL AND next_attempt_at > clock_timestamp()")
			return m.count("SELECT count(*) FROM mails WHERE status = 'pending'")
		}).WithTimeout(3 * time.Minute).WithPolling(time.Second).Should(BeZero())

		counts, sent := m.fates()
		Expect(sent).NotTo(BeEmpty())
		Expect(counts).To(HaveLen(1+min(1, counts["uncertain"])), "mails are sent or uncertain: %v", counts)
		Expect(counts["uncertain"]).To(BeNumerically("<=", kills()), "a kill meets one mail")
		Expect(m.count("SELECT count(*) FROM mails WHERE kind = 'invoice_issued'")).To(Equal(2*m.count("SELECT count(*) FROM invoices WHERE status <> 'draft'")), "one for each recipient of each invoice")
		Expect(m.count("SELECT count(*) FROM (SELECT FROM mails GROUP BY account_id, occasion, recipient HAVING count(*) > 1) AS twice")).To(BeZero())

		post.mu.Lock()
		defer post.mu.Unlock()
		for id, times := range post.taken {
			Expect(times).To(Equal(1), "%s is sent twice", id)
		}
		for _, id := range sent {
			Expect(post.taken).To(HaveKey("<"+id+"@acme.test>"), "it is said to be sent")
		}
		Expect(len(post.taken)).To(And(BeNumerically(">=", len(sent)), BeNumerically("<=", len(sent)+counts["uncertain"])))
		AddReportEntry("mails", fmt.Sprintf("%d kills, %d mails sent, %d uncertain, of which %d were taken", kills(), len(sent), counts["uncertain"], len(post.taken)-len(sent)), ReportEntryVisibilityAlways)
	})
})
