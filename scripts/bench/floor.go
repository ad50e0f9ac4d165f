package main

import (
	"context"
	"io"
	"net/http"
	"os"
	"time"

	"tollkeeper/scripts/rig"
)

// The floor of a way in is what the same events cost without Tollkeeper: an HTTP server of the
// standard library that reads the same requests and answers a constant, and COPY of the same rows
// into the same tables. Processor time is compared, so a floor is the same on a machine that is busy.

// serveBare is that HTTP server.
func serveBare(addr string) error {
	answer := []byte(`{"validation_failed": []}` + "\n")
	server := &http.Server{Addr: addr, ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(answer)
	})}
	return server.ListenAndServe()
}

// bare starts such a server, a process of its own.
func (s *stage) bare(ctx context.Context) (*process, error) {
	addr, err := rig.FreeAddr()
	if err != nil {
		return nil, err
	}
	own, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return s.start(ctx, "", false, &rig.Server{Binary: own, Args: []string{"-bare", addr}, Addr: addr})
}

// receive takes one round of the same requests as a way.
func (k *taken) receive(w way, t *tables, bare *process) error {
	requests, used := bare.requests(bodies(t.source.take(w.events, time.Now()), w.size)), bare.watch()
	before := used.now()
	_, _, err := load(bare.Addr, w.clients, requests)
	k.works = append(k.works, used.now().sub(before))
	return err
}

// overFloor is the processor time of a way's rounds over that of its floor, in order. Each round is
// compared with the floor of the same round.
func (w way) overFloor(result, bare, copies *taken) (ratios []float64) {
	for k, work := range result.works {
		floor := (bare.works[k].server).Seconds()/float64(w.events) + copies.works[k].database.Seconds()/copied
		ratios = append(ratios, (work.server+work.database).Seconds()/float64(w.events)/floor)
	}
	return ratios
}
