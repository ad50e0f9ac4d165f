package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"tollkeeper/scripts/rig"
	"tollkeeper/store"
)

// patient is a proxy in front of the servers. It sends a request to one server after the other until
// one answers, as official clients do. It retries lost connections, 409, 429 and 5xx: its clients never see them.
type patient struct{ servers []*process }

// Times of a request: how long an answer is waited for, when it is sent again, and when that ends.
const (
	answerWithin = 40 * time.Second
	again        = 50 * time.Millisecond
	patience     = 4 * time.Minute
)

func (p *patient) serve() *httptest.Server { return httptest.NewServer(p) }

func (p *patient) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	if creates := r.Method == http.MethodPost || r.Method == http.MethodPatch; creates && r.Header.Get("Idempotency-Key") == "" {
		r.Header.Set("Idempotency-Key", "faults-"+store.Random(20))
	}
	why := ""
	unsure := false // whether an earlier attempt had its effect
	for began := time.Now(); time.Since(began) < patience && r.Context().Err() == nil; time.Sleep(again) {
		at := &p.servers[rand.IntN(len(p.servers))].server
		got, err := attempt(r.Context(), at.URL(), r, body)
		status, answer := got.Status, got.Body
		switch {
		case err != nil:
			unsure, why = true, err.Error()
			continue
		case status >= 500, status == http.StatusConflict, status == http.StatusTooManyRequests:
			unsure, why = true, fmt.Sprint(status, " ", string(answer))
			continue
		case slow(status, answer):
			why = string(answer)
			continue
		case parked(r, answer):
			r.Header.Set("Idempotency-Key", "faults-"+store.Random(20))
			why = "parked: " + string(answer)
			continue
		}
		// What an earlier attempt has done already is done.
		if unsure && r.Method == http.MethodDelete && status == http.StatusNotFound {
			status, answer = http.StatusNoContent, nil
		}
		if unsure && r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "/deprecate") && status == http.StatusBadRequest {
			status, answer = http.StatusOK, []byte("{}")
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write(answer) // a client that is gone needs none
		return
	}
	w.WriteHeader(http.StatusBadGateway)
	_, _ = fmt.Fprintf(w, "not answered within %s: %s", patience, why)
}

// parked reports that the clock of an account stands beyond work that failed, which is tried again.
func parked(r *http.Request, answer []byte) bool {
	var clock struct{ Parked []any }
	return r.URL.Path == "/v1/test_clock/advance" && json.Unmarshal(answer, &clock) == nil && len(clock.Parked) > 0
}

// slow reports that a question about usage was given up, as it took too long. Processes are stopped for seconds here,
// and the machine may have other work.
func slow(status int, answer []byte) bool {
	return status == http.StatusBadRequest && bytes.Contains(answer, []byte("took longer than 30 seconds"))
}

// attempt sends a request once.
func attempt(ctx context.Context, url string, r *http.Request, body []byte) (rig.Answer, error) {
	header := http.Header{}
	for _, name := range []string{"Authorization", "Content-Type", "Idempotency-Key", "Create-Pending-Subscription-Change"} {
		if value := r.Header.Get(name); value != "" {
			header.Set(name, value)
		}
	}
	to := rig.Client{URL: url, Within: answerWithin}
	return to.Send(ctx, rig.Request{Method: r.Method, Path: r.URL.RequestURI(), Body: body, Header: header})
}
