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

// Frail is a second way to the database of a store, on which the connection breaks at
// a statement of one's choice. It stands between client and server and counts what
// goes by, so all that is a statement to the database is one here: BEGIN and COMMIT too.
type Frail struct {
	Store *store.Store

	mu    sync.Mutex
	at    Break
	left  int // of those until it breaks; 0: it does not
	broke bool

	away    atomic.Bool // the database is out of reach
	between sync.Map    // connections that are open, by themselves
}

// Break is what a connection breaks at.
type Break int

// A statement that does not arrive is not done. A COMMIT whose answer does not arrive is.
const (
	AtStatement Break = iota
	AfterCommit
)

// NewFrail opens a frail way to st's database, for as long as the calling node lasts.
func NewFrail(st *store.Store) *Frail {
	ginkgo.GinkgoHelper()
	there, err := url.Parse(URL(st))
	must("read the URL of the database", err)
	query := there.Query()
	database := filepath.Join(query.Get("host"), socket)
	dir, err := os.MkdirTemp("", "tk-frail-")
	must("make a directory for a socket", err)
	query.Set("host", dir)
	there.RawQuery = query.Encode()
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, socket), Net: "unix"})
	must("listen", err)

	f := &Frail{}
	go f.serve(listener, database)
	f.Store, err = store.Open(context.Background(), there.String())
	must("open the frail way", err)
	ginkgo.DeferCleanup(func() error {
		return errors.Join(f.Store.Close(), listener.Close(), os.RemoveAll(dir))
	})
	return f
}

// socket is what PostgreSQL calls it.
const socket = ".s.PGSQL.5432"

// Break lets a connection break at the nth of those from now on, and no other. Statements
// with which a connection begins are not counted if one is enough.
func (f *Frail) Break(n int, at Break) {
	ginkgo.GinkgoHelper()
	must("connect", f.Store.Ping(context.Background()))
	f.mu.Lock()
	defer f.mu.Unlock()
	f.at, f.left, f.broke = at, n, false
}

// Broke reports whether it came to that. If not, it will not any more.
func (f *Frail) Broke() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.left = 0
	return f.broke
}

// Away puts the database out of reach, or back: all connections break, and new ones are
// closed as soon as they are made.
func (f *Frail) Away(away bool) {
	f.away.Store(away)
	if away {
		f.between.Range(func(conn, _ any) bool {
			_ = conn.(*net.UnixConn).Close()
			return true
		})
	}
}

// breaks counts what the client sent, and tells whether the connection breaks at it.
func (f *Frail) breaks(kind byte, message []byte) (at Break, now bool) {
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
		return !bytes.HasPrefix(message[5:], []byte("--")) // a comment asks whether anybody is there
	}
	return kind == execute
}

func (f *Frail) serve(listener *net.UnixListener, database string) {
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

// carry takes messages to and fro until either side ends or the connection breaks. The
// client is told of that when the database has noticed and undone what was not committed.
func (f *Frail) carry(client, server *net.UnixConn) {
	f.between.Store(client, nil)
	defer f.between.Delete(client)
	var deaf atomic.Bool // to what the server answers
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

// receive reads a whole message, with its kind if it has one.
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
