package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime"
	"time"

	"tollkeeper/server"
	"tollkeeper/store"
)

// drain is how long requests that are running may still take at the end.
const drain = 30 * time.Second

// ballast is a part of the heap that is never touched and so takes no memory. The
// collector starts when the heap has doubled, and what a server holds is so little
// that without ballast a third of its work would be collecting.
const ballast = 32 << 20 // bytes

type serve struct{}

// Run serves until the context ends.
func (serve) Run(ctx context.Context, env environment, out io.Writer) (err error) {
	defer runtime.KeepAlive(make([]byte, ballast))
	listener, err := net.Listen("tcp", env.Addr)
	if err != nil {
		return fmt.Errorf("TOLLKEEPER_ADDR: %w", err)
	}
	defer func() { _ = listener.Close() }()
	db, err := reach(ctx, env)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.leave()) }()
	if err := checkDurable(ctx, db.url); err != nil {
		return err
	}
	if err := db.migrate(ctx); err != nil {
		return err
	}
	st, err := store.Open(ctx, db.url)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	welcome, err := firstAccount(ctx, st, env.APIKey)
	if err != nil {
		return err
	}
	welcome.print(out, listener.Addr())
	return answer(ctx, st, listener, env)
}

// answer serves requests, keeps buckets, makes room and does due work until ctx ends, then lets what runs
// come to its end.
func answer(ctx context.Context, st *store.Store, listener net.Listener, env environment) error {
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	s := server.New(server.Config{Store: st, Logger: log, EventsOnly: !env.Buckets})
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	worked := make(chan error, 1)
	go func() {
		defer cancel()
		worked <- s.Run(ctx)
	}()
	verified := make(chan struct{})
	go func() {
		defer close(verified)
		s.VerifyNightly(ctx)
	}()
	aggregated := make(chan struct{})
	go func() {
		defer close(aggregated)
		s.Aggregate(ctx)
	}()
	kept := make(chan struct{})
	go func() {
		defer close(kept)
		s.KeepRoom(ctx, env.KeepMonths)
	}()
	public := server.NewHTTPServer(listener.Addr().String(), s.Handler())
	public.ErrorLog = slog.NewLogLogger(log.Handler(), slog.LevelWarn)
	served := make(chan error, 1)
	go func() {
		defer cancel()
		served <- public.Serve(listener)
	}()
	<-ctx.Done()
	last, done := context.WithTimeout(context.WithoutCancel(ctx), drain)
	defer done()
	err := public.Shutdown(last)
	if serving := <-served; !errors.Is(serving, http.ErrServerClosed) {
		err = errors.Join(err, serving)
	}
	<-aggregated
	<-kept
	<-verified
	return errors.Join(err, <-worked)
}
