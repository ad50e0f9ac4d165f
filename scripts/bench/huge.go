package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

// wantHuge bounds the memory of a server that is sent one request of any length.
const wantHuge = 300 << 10 // kilobytes

// huge is what became of a request of very many events.
type huge struct {
	bytes, events int64
	took          time.Duration
	answer        string
	stored        int64
	memory        int // kilobytes
}

// sendHuge sends one request of so many bytes, each event made as it is sent.
func (r *report) sendHuge(ctx context.Context, t *tables, p *process, size int64) error {
	var before int64
	const count = "SELECT count(*) FROM events WHERE account_id = $1"
	if err := t.conn.QueryRow(ctx, count, t.account).Scan(&before); err != nil {
		return err
	}
	body := &endless{source: &t.source, at: time.Now(), left: size}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+p.addr+"/v1/ingest", body)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+p.key)
	request.Header.Set("Content-Type", "application/json")
	began := time.Now()
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 200))
	if err != nil {
		return err
	}
	r.huge = huge{bytes: body.sent, events: body.events, took: time.Since(began), memory: p.peakMemory(),
		answer: fmt.Sprintf("%d %s", answer.StatusCode, bytes.TrimSpace(text))}
	err = t.conn.QueryRow(ctx, count, t.account).Scan(&r.huge.stored)
	r.huge.stored -= before
	return err
}

func (h huge) print(w io.Writer) {
	_, _ = fmt.Fprintf(w, "one request of %d MB: %d events in %.0f s, %d stored, server memory at most %d MB, wanted %d; answered %s\n",
		h.bytes>>20, h.events, h.took.Seconds(), h.stored, h.memory>>10, wantHuge>>10, h.answer)
}

// verdict fails unless all was stored and the memory kept its bound.
func (h huge) verdict() error {
	switch {
	case h.memory > wantHuge:
		return fmt.Errorf("a request of %d MB takes too much memory", h.bytes>>20)
	case h.stored != h.events:
		return fmt.Errorf("of %d events in one request %d are stored", h.events, h.stored)
	}
	return nil
}

// endless is the body of a request, written while it is sent.
type endless struct {
	source       *source
	at           time.Time
	left         int64 // bytes of events that are still to come
	text         []byte
	sent, events int64
	ended        bool
}

func (e *endless) Read(p []byte) (int, error) {
	const part = 1000
	switch {
	case len(e.text) > 0:
	case e.ended:
		return 0, io.EOF
	case e.left <= 0:
		e.text, e.ended = []byte("]}"), true
	default:
		begin := byte(',')
		if e.events == 0 {
			e.text, begin = append(e.text, `{"events":`...), '['
		}
		for _, row := range e.source.take(part, e.at) {
			e.text = append(append(e.text, begin), row.json()...)
			begin = ','
		}
		e.events += part
		e.left -= int64(len(e.text))
	}
	n := copy(p, e.text)
	e.text = e.text[n:]
	e.sent += int64(n)
	return n, nil
}
