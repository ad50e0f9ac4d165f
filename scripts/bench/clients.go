package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// requests are the bytes that clients send: they share the machine with what
// they measure, and so do little.
func (p *process) requests(bodies []string) <-chan []byte { return p.requestsTo("/v1/ingest", bodies) }

func (p *process) requestsTo(path string, bodies []string) <-chan []byte {
	queue := make(chan []byte, len(bodies))
	for _, body := range bodies {
		queue <- p.request(path, body)
	}
	close(queue)
	return queue
}

func (p *process) request(path, body string) []byte {
	return []byte("POST " + path + " HTTP/1.1\r\nHost: " + p.Addr + "\r\nAuthorization: Bearer " + p.Key +
		"\r\nContent-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body)
}

// reads are requests that only read, n times the same one.
func (p *process) reads(path string, n int) <-chan []byte {
	queue := make(chan []byte, n)
	for range n {
		queue <- []byte("GET " + path + " HTTP/1.1\r\nHost: " + p.Addr + "\r\nAuthorization: Bearer " + p.Key + "\r\n\r\n")
	}
	close(queue)
	return queue
}

// load sends requests from so many clients at once, each waiting for its answer,
// and returns how long all took and how long each did.
func load(addr string, clients int, requests <-chan []byte) (time.Duration, []time.Duration, error) {
	var wait sync.WaitGroup
	took := make([][]time.Duration, clients)
	failed := make([]error, clients)
	began := time.Now()
	for c := range clients {
		wait.Go(func() { took[c], failed[c] = client(addr, requests) })
	}
	wait.Wait()
	all := time.Since(began)
	for _, err := range failed {
		if err != nil {
			return 0, nil, err
		}
	}
	return all, slices.Concat(took...), nil
}

func client(addr string, requests <-chan []byte) (took []time.Duration, err error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }()
	reader := bufio.NewReader(conn)
	for request := range requests {
		began := time.Now()
		if _, err := conn.Write(request); err != nil {
			return nil, err
		}
		if err := readAnswer(reader); err != nil {
			return nil, err
		}
		took = append(took, time.Since(began))
	}
	return took, nil
}

// readAnswer reads an answer of known length, and fails unless it is a 200 or 201.
func readAnswer(r *bufio.Reader) error {
	status, err := r.ReadString('\n')
	if err != nil {
		return err
	}
	length := 0
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return err
		}
		if len(line) <= len("\r\n") {
			break
		}
		if value, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return err
			}
		}
	}
	if !strings.HasPrefix(status, "HTTP/1.1 20") {
		body, _ := io.ReadAll(io.LimitReader(r, int64(length)))
		return fmt.Errorf("the server answered %s%s", status, body)
	}
	_, err = r.Discard(length)
	return err
}
