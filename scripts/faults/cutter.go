package main

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"sync/atomic"
)

// cutter is a proxy before PostgreSQL that cuts connections. Another proxy would not know where a
// statement begins, so it could not tell before a COMMIT from after it.
type cutter struct {
	listener net.Listener
	socket   string
	next     atomic.Pointer[cut] // the one that is armed
	done     atomic.Int64        // how many were made
}

// cut is a connection that will be cut.
type cut struct {
	commit bool // at a COMMIT; otherwise after so many statements
	after  atomic.Int64
	answer bool // PostgreSQL gets the statement, and the server not its answer
}

func newCutter(socket string) (*cutter, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	c := &cutter{listener: listener, socket: socket}
	go c.accept()
	return c, nil
}

func (c *cutter) addr() string { return c.listener.Addr().String() }

func (c *cutter) close() { _ = c.listener.Close() }

func (c *cutter) accept() {
	for {
		client, err := c.listener.Accept()
		if err != nil {
			return
		}
		go c.serve(client)
	}
}

// serve passes one connection on, message by message on the way to PostgreSQL.
func (c *cutter) serve(client net.Conn) {
	defer func() { _ = client.Close() }()
	database, err := net.Dial("unix", c.socket)
	if err != nil {
		return
	}
	defer func() { _ = database.Close() }()
	var swallow atomic.Bool // the answer to what was sent last
	go func() {
		defer func() { _ = client.Close() }()
		buffer := make([]byte, 32<<10)
		for {
			n, err := database.Read(buffer)
			if err != nil || swallow.Load() {
				return
			}
			if _, err := client.Write(buffer[:n]); err != nil {
				return
			}
		}
	}()
	if err := pass(client, database, false, nil); err != nil { // the start, which has no type
		return
	}
	for {
		err := pass(client, database, true, func(kind byte, text []byte) bool {
			armed := c.next.Load()
			if armed == nil || !armed.matches(kind, text) || !c.next.CompareAndSwap(armed, nil) {
				return true
			}
			c.done.Add(1)
			swallow.Store(true)
			return armed.answer
		})
		if err != nil {
			return
		}
	}
}

// matches reports whether a message is where the cut is made.
func (c *cut) matches(kind byte, text []byte) bool {
	if c.commit {
		return kind == 'Q' && bytes.HasPrefix(bytes.ToLower(text), []byte("commit"))
	}
	return (kind == 'Q' || kind == 'E') && c.after.Add(-1) <= 0
}

// pass passes one message on, unless seen says no.
func pass(from io.Reader, to io.Writer, typed bool, seen func(kind byte, text []byte) bool) error {
	head := make([]byte, 4, 5)
	if typed {
		head = head[:5]
	}
	if _, err := io.ReadFull(from, head); err != nil {
		return err
	}
	length := binary.BigEndian.Uint32(head[len(head)-4:])
	if length < 4 || length > 1<<30 {
		return io.ErrUnexpectedEOF
	}
	text := make([]byte, length-4)
	if _, err := io.ReadFull(from, text); err != nil {
		return err
	}
	if typed && !seen(head[0], text) {
		return io.EOF
	}
	_, err := to.Write(append(head, text...))
	return err
}
