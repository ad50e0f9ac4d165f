package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

// wantHuge bounds the memory, in megabytes, of a server that is sent one request of any
// length.
const wantHuge = 300

// sendHuge sends one request of so many bytes, each event made as it is sent.
func (r *report) sendHuge(ctx context.Context, t *tables, p *process, size int64) error {
	const count = "SELECT count(*) FROM events WHERE account_id = $1"
	var before, after int64
	if err := t.conn.QueryRow(ctx, count, t.account).Scan(&before); err != nil {
		return err
	}
	body := &endless{source: &t.source, at: time.Now(), left: size}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+p.Addr+"/v1/ingest", body)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+p.Key)
	request.Header.Set("Content-Type", "application/json")
	used, began := p.watch(), time.Now()
	idle := used.now()
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 200))
	if err != nil {
		return err
	}
	took, work := time.Since(began), used.now().sub(idle)
	if err := t.conn.QueryRow(ctx, count, t.account).Scan(&after); err != nil {
		return err
	}
	r.add(figure{
		what: fmt.Sprintf("one request of %d MB, memory", body.sent>>20), value: p.peakMemory(), unit: "MB", most: wantHuge,
		work: work, units: int(body.events), note: fmt.Sprintf("%d events in %.0f s, answered %d %s", body.events, took.Seconds(), answer.StatusCode, bytes.TrimSpace(text)),
	})
	if after-before != body.events {
		r.fail("of %d events in one request %d are stored", body.events, after-before)
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
