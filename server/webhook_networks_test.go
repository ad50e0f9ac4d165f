package server_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"golang.org/x/net/dns/dnsmessage"

	"tollkeeper/domain/webhook"
	"tollkeeper/server"
	"tollkeeper/server/webhooks"
	"tollkeeper/store"
)

// names is a resolver that says what a spec wants: a name's answers, one for each time it
// is looked up, the last for ever. A name that it does not know is on loopback.
type names struct {
	mu      sync.Mutex
	answers map[string][]string
	asked   map[string]int
}

func (n *names) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go n.serve(server)
		return client, nil
	}}
}

// serve answers questions as they come over a stream: each after its length.
func (n *names) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	for {
		var length [2]byte
		if _, err := io.ReadFull(conn, length[:]); err != nil {
			return
		}
		asked := make([]byte, binary.BigEndian.Uint16(length[:]))
		if _, err := io.ReadFull(conn, asked); err != nil {
			return
		}
		var m dnsmessage.Message
		if m.Unpack(asked) != nil || len(m.Questions) != 1 {
			return
		}
		n.answer(&m)
		answer, err := m.AppendPack([]byte{0, 0})
		if err != nil {
			return
		}
		binary.BigEndian.PutUint16(answer, uint16(len(answer)-2))
		if _, err := conn.Write(answer); err != nil {
			return
		}
	}
}

func (n *names) answer(m *dnsmessage.Message) {
	m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
	q := m.Questions[0]
	address := n.lookUp(strings.TrimSuffix(q.Name.String(), "."), q.Type)
	header := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 0}
	switch {
	case q.Type == dnsmessage.TypeA && address.Is4():
		m.Answers = []dnsmessage.Resource{{Header: header, Body: &dnsmessage.AResource{A: address.As4()}}}
	case q.Type == dnsmessage.TypeAAAA && address.Is6():
		m.Answers = []dnsmessage.Resource{{Header: header, Body: &dnsmessage.AAAAResource{AAAA: address.As16()}}}
	}
}

// lookUp counts look-ups by the kind of address asked for: both are asked for each time.
func (n *names) lookUp(name string, kind dnsmessage.Type) netip.Addr {
	n.mu.Lock()
	defer n.mu.Unlock()
	answers := n.answers[name]
	if answers == nil {
		return netip.MustParseAddr("127.0.0.1")
	}
	k := fmt.Sprint(name, kind)
	at := min(n.asked[k], len(answers)-1)
	n.asked[k]++
	return netip.MustParseAddr(answers[at])
}

// trickyHosts are those behind which lies something that is not public.
func trickyHosts() (hosts []string, answers map[string][]string) {
	hosts = []string{
		// loopback, as it can be written
		"127.0.0.1", "127.0.0.2", "127.255.255.254", "127.1", "127.0.1", "0177.0.0.1", "0x7f.0.0.1", "0x7f.1", "2130706433", "0x7f000001",
		"017700000001", "127.0.0.01", "127.000.000.001", "127.0.0.1.", "①②⑦.⓪.⓪.①", "127。0。0。1", "0.0.0.0", "0", "0x0",
		"localhost", "LOCALHOST", "localhost.", "lOcAlHoSt.localdomain",
		"[::1]", "[0:0:0:0:0:0:0:1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[::1%25lo]", "[::ffff:0:127.0.0.1]",
		// addresses that carry others
		"[64:ff9b::127.0.0.1]", "[64:ff9b:1::7f00:1]", "[2002:7f00:1::]", "[2001:0:7f00:1::]",
		// networks of houses, providers and tests
		"10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1", "169.254.169.254", "169.254.0.1", "100.64.0.1",
		"100.100.100.200", "168.63.129.16", "192.0.0.1", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "192.88.99.1",
		"224.0.0.1", "240.0.0.1", "255.255.255.255",
		"[fc00::1]", "[fd00:ec2::254]", "[fe80::1%25lo]", "[fec0::1]", "[ff02::1]", "[2001:db8::1]", "[3fff::1]", "[100::1]",
		// names that nobody would think of
		"hooks.acme.test", "xn--hooks-acme.test", "127.0.0.1.nip.test", "a.b.c.d.e.f.test",
	}
	answers = map[string][]string{}
	for k, address := range []string{
		"127.0.0.1", "::1", "10.1.2.3", "169.254.169.254", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "fe80::1", "fd00::1", "0.0.0.0", "::",
	} {
		name := fmt.Sprintf("private-%d.test", k)
		hosts, answers[name] = append(hosts, name), []string{address}
		// At first it is a public address, to which there is no way.
		name = fmt.Sprintf("later-%d.test", k)
		hosts, answers[name] = append(hosts, name), []string{"3ffe::1", address}
	}
	return hosts, answers
}

// trickyURLs are all ways to name those hosts.
func trickyURLs(port string) (urls []string, answers map[string][]string) {
	hosts, answers := trickyHosts()
	for _, host := range hosts {
		for _, scheme := range []string{"http", "https"} {
			for _, form := range []string{"%s://%s:%s/hook", "%s://1.1.1.1@%s:%s/", "%s://%s:%s/?to=https://1.1.1.1/#1.1.1.1"} {
				urls = append(urls, fmt.Sprintf(form, scheme, host, port))
			}
		}
	}
	return urls, answers
}

// visitors counts the connections to a port on loopback.
func visitors() (port string, count *atomic.Int64) {
	GinkgoHelper()
	count = new(atomic.Int64)
	listen := func(address string) net.Listener {
		listener, err := net.Listen("tcp", address)
		if err != nil {
			return nil // no such protocol here
		}
		DeferCleanup(listener.Close)
		go func() {
			for {
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				count.Add(1)
				_ = conn.Close()
			}
		}()
		return listener
	}
	first := listen("127.0.0.1:0")
	Expect(first).NotTo(BeNil())
	_, port, _ = net.SplitHostPort(first.Addr().String())
	listen("[::1]:" + port)
	return port, count
}

// triedLess counts the deliveries that were tried less often than that.
func (p *webhookFixture) triedLess(times int) (n int) {
	GinkgoHelper()
	p.tx(func(tx *store.Tx) error {
		var all []webhook.Delivery
		err := tx.Find(&all).Error
		Expect(all).NotTo(BeEmpty())
		for _, d := range all {
			if len(d.Attempts) < times {
				n++
			}
		}
		return err
	})
	return n
}

var _ = Describe("What webhooks reach", func() {
	// called has endpoints with all tricky URLs, whatever is said when they are made, and
	// lets each be tried twice.
	called := func(networks ...netip.Prefix) (urls []string, connections int64) {
		GinkgoHelper()
		p := newWebhookFixture()
		port, count := visitors()
		urls, answers := trickyURLs(port)
		resolver := (&names{answers: answers, asked: map[string]int{}}).resolver()
		s := server.New(server.Config{Store: p.store, Logger: slog.New(slog.NewTextHandler(GinkgoWriter, nil)), WebhookNetworks: networks})
		p.deliveries = s.Deliverer(webhooks.Options{Now: p.now, Resolver: resolver})
		p.setting("webhook_retries", "1s")
		p.tx(func(tx *store.Tx) error {
			for _, url := range urls {
				if _, err := webhook.CreateEndpoint(tx, webhook.NewEndpoint{URL: url}); err != nil {
					return err
				}
			}
			return nil
		})
		p.happens(1)
		for tries := range 2 {
			p.pass(time.Duration(tries) * 2 * time.Second)
			for again := 0; again < 20 && p.triedLess(tries+1) > 0; again++ {
				p.pass(0) // on a busy machine one pass leaves some: they waited too long for a connection
			}
		}
		Expect(p.triedLess(3)).To(Equal(len(urls)), "there is one delivery of each")
		Expect(p.triedLess(2)).To(BeZero(), "each is tried twice")
		return urls, count.Load()
	}

	It("is nothing on loopback or in a private network, however it is named", func() {
		urls, connections := called()
		Expect(len(urls)).To(BeNumerically(">=", 500))
		Expect(connections).To(BeZero())
	})

	It("is what the operator lists, so that the spec above would see a connection", func() {
		_, connections := called(append(loopback, netip.MustParsePrefix("::1/128"))...)
		Expect(connections).To(BeNumerically(">", 200))
	})
})
