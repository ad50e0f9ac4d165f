package storetest

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/onsi/ginkgo/v2"

	"tollkeeper/store"
)

// FlakyConn is a proxy between a client and the database of a store. It can break a connection at a
// chosen statement. It counts the statements that pass, BEGIN and COMMIT included.
type FlakyConn struct {
	Store *store.Store
	URL   string // of the database through the proxy

	passed atomic.Int64

	mu    sync.Mutex
	at    Break
	left  int // statements until it breaks the connection; 0: it does not
	broke bool

	away    atomic.Bool // the database is out of reach
	between sync.Map    // the open connections of clients
}

// Break is the event at which a connection breaks.
type Break int

// At AtStatement the statement does not reach the database. At AfterCommit the COMMIT takes effect, but
// its answer does not reach the client.
const (
	AtStatement Break = iota
	AfterCommit
)

// NewFlakyConn opens a proxy to the database of st. It is closed when the calling spec ends.
func NewFlakyConn(st *store.Store) *FlakyConn {
	ginkgo.GinkgoHelper()
	there, err := url.Parse(URL(st))
	must("read the URL of the database", err)
	query := there.Query()
	database := filepath.Join(query.Get("host"), socket)
	dir, err := os.MkdirTemp("", "tk-flaky-")
	must("make a directory for a socket", err)
	query.Set("host", dir)
	there.RawQuery = query.Encode()
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, socket), Net: "unix"})
	must("listen", err)

	f := &FlakyConn{URL: there.String()}
	go f.serve(listener, database)
	f.Store, err = store.Open(context.Background(), f.URL)
	must("open the store through the proxy", err)
	ginkgo.DeferCleanup(func() error {
		return errors.Join(f.Store.Close(), listener.Close(), os.RemoveAll(dir))
	})
	return f
}

// socket is the name of the socket of PostgreSQL.
const socket = ".s.PGSQL.5432"

// Break breaks a connection at the nth statement or COMMIT from now on, once. It opens a connection
// first, so that the statements of opening one are not counted.
func (f *FlakyConn) Break(n int, at Break) {
	ginkgo.GinkgoHelper()
	must("connect", f.Store.Ping(context.Background()))
	f.mu.Lock()
	defer f.mu.Unlock()
	f.at, f.left, f.broke = at, n, false
}

// Broke reports whether the connection was broken, and cancels the break if not.
func (f *FlakyConn) Broke() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.left = 0
	return f.broke
}

// Away makes the database unreachable, or reachable again. While it is unreachable, all connections
// break and new ones are closed at once.
func (f *FlakyConn) Away(away bool) {
	f.away.Store(away)
	if away {
		f.between.Range(func(conn, _ any) bool {
			_ = conn.(*net.UnixConn).Close()
			return true
		})
	}
}

// Passed returns how many statements have passed, BEGIN and COMMIT included.
func (f *FlakyConn) Passed() int { return int(f.passed.Load()) }

// breaks counts a message of the client, and reports whether the connection breaks at it.
func (f *FlakyConn) breaks(kind byte, message []byte) (at Break, now bool) {
	if AtStatement.counts(kind, message) {
		f.passed.Add(1)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.left > 0 && f.at.counts(kind, message) {
		f.left--
		now = f.left == 0
	}
	f.broke = f.broke || now
	return f.at, now
}

func (b Break) counts(kind byte, message []byte) bool {
	switch {
	case b == AfterCommit:
		return kind == query && bytes.HasPrefix(message[5:], []byte("commit"))
	case kind == query:
		return !bytes.HasPrefix(message[5:], []byte("--")) // a comment is the ping of a connection
	}
	return kind == execute
}

func (f *FlakyConn) serve(listener *net.UnixListener, database string) {
	for {
		client, err := listener.AcceptUnix()
		if err != nil {
			return
		}
		server, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: database, Net: "unix"})
		if err != nil || f.away.Load() {
			_ = client.Close()
			continue
		}
		go f.carry(client, server)
	}
}

// carry forwards messages in both directions until a side ends or the connection breaks. The client
// sees the break after the database has rolled back the open transaction.
func (f *FlakyConn) carry(client, server *net.UnixConn) {
	f.between.Store(client, nil)
	defer f.between.Delete(client)
	var deaf atomic.Bool // set: answers of the server are dropped
	go func() {
		defer func() { _ = client.Close() }()
		for {
			kind, message, err := receive(server, true)
			switch {
			case err != nil:
				return
			case !deaf.Load():
				_, _ = client.Write(message)
			case kind == readyForQuery:
				_ = server.CloseWrite()
			}
		}
	}()
	defer func() { _ = server.CloseWrite() }()
	for begun := false; ; begun = true { // the first message has no kind
		kind, message, err := receive(client, begun)
		if err != nil {
			return
		}
		at, now := f.breaks(kind, message)
		if now && at == AtStatement {
			return
		}
		deaf.Store(deaf.Load() || now)
		if _, err := server.Write(message); err != nil {
			return
		}
	}
}

// Kinds of messages of PostgreSQL's protocol.
const (
	execute       = 'E'
	query         = 'Q'
	readyForQuery = 'Z'
)

// receive reads a whole message. All but the first message of a connection have a kind.
func receive(from io.Reader, kinded bool) (kind byte, message []byte, err error) {
	head := make([]byte, 5)
	if !kinded {
		head = head[:4]
	}
	if _, err := io.ReadFull(from, head); err != nil {
		return 0, nil, err
	}
	length := head
	if kinded {
		kind, length = head[0], head[1:]
	}
	message = append(head, make([]byte, binary.BigEndian.Uint32(length)-4)...)
	_, err = io.ReadFull(from, message[len(head):])
	return kind, message, err
}
