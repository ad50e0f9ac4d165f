package server_test

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/server"
)

var _ = Describe("A client that stalls in the middle of a body", func() {
	const patience = 2 * time.Second
	var a api

	BeforeEach(func() {
		a = *shared.account("test")
		s := server.New(server.Config{Store: a.store, Logger: slog.New(slog.NewTextHandler(GinkgoWriter, nil)), StalledBody: patience})
		listener := httptest.NewUnstartedServer(nil)
		listener.Config = server.NewHTTPServer("", s.Handler())
		listener.Start()
		DeferCleanup(func() {
			listener.CloseClientConnections()
			listener.Close()
		})
		a.url = listener.URL
	})
	dial := func() net.Conn {
		GinkgoHelper()
		conn, err := net.Dial("tcp", strings.TrimPrefix(a.url, "http://"))
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func() { _ = conn.Close() })
		return conn
	}
	// sendPart sends the head of a request and the beginning of its body.
	sendPart := func(conn net.Conn, request, key string) {
		GinkgoHelper()
		_, err := fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: spec\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n%s\r\n{\"name\":", request, key)
		Expect(err).NotTo(HaveOccurred())
	}
	// rest is what the server sends until it closes the connection; it fails if that does not
	// happen in time.
	rest := func(conn net.Conn, within time.Duration) (string, error) {
		_ = conn.SetReadDeadline(time.Now().Add(within))
		text, err := io.ReadAll(conn)
		var timeout net.Error
		if errors.As(err, &timeout) && timeout.Timeout() {
			return string(text), errors.New("the connection is still open")
		}
		return string(text), nil
	}

	It("is gone with its connection, and others are served: 600 of them", func() {
		good := "Authorization: Bearer " + a.key + "\r\n"
		kinds := [][2]string{
			{"POST /v1/customers", ""}, {"POST /v1/customers", good}, {"POST /v1/ingest", good}, {"GET /healthz", ""}, {"GET /v1/ping", good}, {"POST /nowhere", ""},
		}
		conns := make([]net.Conn, 600)
		for k := range conns {
			conns[k] = dial()
			kind := kinds[k%len(kinds)]
			sendPart(conns[k], kind[0], kind[1])
		}
		a.get("/v1/customers").expect(http.StatusOK)
		a.post("/v1/items", object{"name": "Seat"}).expect(http.StatusCreated)
		var closing sync.WaitGroup
		for _, conn := range conns {
			closing.Go(func() {
				defer GinkgoRecover()
				_, err := rest(conn, 30*time.Second)
				Expect(err).NotTo(HaveOccurred())
			})
		}
		closing.Wait()
	})

	It("is refused at once where its body does not matter, and told that the connection closes", func() {
		conn := dial()
		sendPart(conn, "POST /v1/customers", "")
		head := make([]byte, 12)
		Expect(conn.SetReadDeadline(time.Now().Add(patience / 2))).To(Succeed())
		_, err := io.ReadFull(conn, head)
		Expect(err).NotTo(HaveOccurred(), "an answer before the body has come")
		Expect(string(head)).To(Equal("HTTP/1.1 401"))
		text, err := rest(conn, 10*time.Second)
		Expect(err).NotTo(HaveOccurred())
		Expect(text).To(ContainSubstring("Connection: close"))
	})

	It("has time as long as it sends enough, and not if it sends a byte now and then", func() {
		for pause, status := range map[time.Duration]string{0: "HTTP/1.1 201", patience / 4: "HTTP/1.1 400"} {
			conn := dial()
			sendPart(conn, "POST /v1/items", "Authorization: Bearer "+a.key+"\r\n")
			go func() {
				body := ` "Seat"` + strings.Repeat(" ", 1000-len(`{"name": "Seat"`)-1) + "}"
				for k := range body {
					if _, err := conn.Write([]byte{body[k]}); err != nil {
						return
					}
					time.Sleep(pause)
				}
			}()
			head := make([]byte, 12)
			Expect(conn.SetReadDeadline(time.Now().Add(30 * time.Second))).To(Succeed())
			_, err := io.ReadFull(conn, head)
			Expect(err).NotTo(HaveOccurred())
			Expect(string(head)).To(Equal(status))
		}
	})
})
