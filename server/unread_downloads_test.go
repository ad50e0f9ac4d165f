package server_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/user"
	"tollkeeper/server"
	"tollkeeper/server/download"
	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

var _ = Describe("Downloads that a client does not take", func() {
	const file = "/console/exports/file?report=customers"

	// startLimited makes an account on a server with limits of downloads.
	startLimited := func(limits download.Limits) *api {
		GinkgoHelper()
		a := shared.account("test")
		s := server.New(server.Config{Store: a.store, Logger: slog.New(slog.NewTextHandler(GinkgoWriter, nil)), Downloads: limits, StrangersPerSecond: -1})
		listener := httptest.NewUnstartedServer(nil)
		listener.Config = server.NewHTTPServer("", s.Handler())
		listener.Start()
		DeferCleanup(func() {
			listener.CloseClientConnections()
			listener.Close()
		})
		a.server, a.url = s, listener.URL
		return a
	}
	// customers gives the account more of them than connections hold unread.
	customers := func(a *api) {
		GinkgoHelper()
		first := a.post("/v1/customers", object{"name": "Acme", "email": "bills@acme.example"}).expect(201).text("id")
		a.tx(func(tx *store.Tx) error {
			return tx.Exec(`INSERT INTO customers (account_id, id, created_at, name, email, timezone, auto_collection, email_delivery, invoice_prefix)
				SELECT account_id, id || g, created_at, repeat('long name ', 2000), email, timezone, auto_collection, email_delivery,
					translate(lpad(g::text, 6, '0'), '0123456789', 'ABCDEFGHIJ')
				FROM customers, generate_series(1, 1500) AS g WHERE id = ?`, first).Error
		})
	}
	// unread begins a download, reads the beginning of it, and takes no more.
	unread := func(d desk) net.Conn {
		GinkgoHelper()
		conn, err := net.Dial("tcp", strings.TrimPrefix(d.url, "http://"))
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func() { _ = conn.Close() })
		_, err = io.WriteString(conn, "GET "+file+" HTTP/1.1\r\nHost: spec\r\nCookie: "+d.cookie+"\r\n\r\n")
		Expect(err).NotTo(HaveOccurred())
		head := make([]byte, 12)
		_, err = io.ReadFull(conn, head)
		Expect(err).NotTo(HaveOccurred())
		Expect(string(head)).To(Equal("HTTP/1.1 200"))
		return conn
	}
	// open is how many transactions read a file.
	open := func(a *api) (n int) {
		GinkgoHelper()
		conn, err := pgx.Connect(context.Background(), storetest.URL(a.store))
		Expect(err).NotTo(HaveOccurred())
		defer func() { _ = conn.Close(context.Background()) }()
		Expect(conn.QueryRow(context.Background(), `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND xact_start IS NOT NULL AND query LIKE 'FETCH%'`).Scan(&n)).To(Succeed())
		return n
	}

	It("leave those of another account alone", func() {
		worst := startLimited(download.Limits{Wait: time.Millisecond})
		innocent := worst.account("test")
		customers(worst)
		d, other := worst.desk(user.RoleOwner), innocent.desk(user.RoleOwner)
		first := unread(d)
		unread(d)

		refused := d.send(http.MethodGet, file, nil)
		Expect(refused.status).To(Equal(http.StatusTooManyRequests))
		Expect(refused.header.Get("Retry-After")).To(Equal("10"))
		Expect(refused.html).To(ContainSubstring("Other files are being made"))
		Expect(other.send(http.MethodGet, file, nil).status).To(Equal(http.StatusOK))

		Expect(first.Close()).To(Succeed())
		Eventually(func() int { return d.send(http.MethodGet, "/console/exports/file?report=invoices", nil).status }, onBusyMachine).Should(Equal(http.StatusOK))
	})

	It("are cut, and give back what they hold", func() {
		worst := startLimited(download.Limits{Lag: 100 * time.Millisecond})
		innocent := worst.account("test")
		customers(worst)
		innocent.post("/v1/customers", object{"name": "Acme", "email": "bills@acme.example"}).expect(201)
		conn := unread(worst.desk(user.RoleOwner))
		Expect(innocent.desk(user.RoleOwner).send(http.MethodGet, file, nil).html).To(ContainSubstring("Acme"))
		Eventually(func() int { return open(worst) }, onBusyMachine).Should(BeZero())
		rest, err := io.ReadAll(conn)
		Expect(err == nil && strings.HasSuffix(string(rest), "0\r\n\r\n")).To(BeFalse(), "the file did not end")
	})

	It("are refused with what helps where the time is over before the first row", func() {
		a := startLimited(download.Limits{Longest: time.Nanosecond})
		page := a.desk(user.RoleOwner).send(http.MethodGet, file, nil)
		Expect(page.status).To(Equal(http.StatusBadRequest))
		Expect(page.html).To(ContainSubstring("export fewer rows"))
		Expect(page.header).NotTo(HaveKey("Content-Disposition"))
	})
})
