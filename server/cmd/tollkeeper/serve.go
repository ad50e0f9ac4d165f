package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"

	"golang.org/x/net/netutil"

	"tollkeeper/domain/paper"
	"tollkeeper/domain/user"
	"tollkeeper/server"
	"tollkeeper/server/webhooks"
	"tollkeeper/store"
)

// drain is how long requests that are running may still take at the end.
const drain = 30 * time.Second

// ballast is a part of the heap that is never touched and so takes no memory. The
// collector starts when the heap has doubled, and what a server holds is so little
// that without ballast a third of its work would be collecting.
const ballast = 32 << 20 // bytes

// mostClients bounds the connections of clients. More wait until one of these is closed: those
// that are idle or stall are closed within minutes.
const mostClients = 8192

// mostWorkers is the most that TOLLKEEPER_WORKERS may be: an account may use as many connections of the background.
const mostWorkers = 5

// workers is how many units of due work are done at once for an account, which is at most as many as it may have
// connections.
func (e environment) workers() int {
	if e.Workers > 0 {
		return e.Workers
	}
	return min(runtime.NumCPU(), mostWorkers)
}

// strangers is how many requests without a good key an address may send a second; negative: any number.
func (e environment) strangers() int {
	if e.StrangersPerSecond <= 0 {
		return -1
	}
	return e.StrangersPerSecond
}

// listeners are the addresses of a server.
type listeners struct {
	public net.Listener
	admin  net.Listener // nil: none of its own
}

func (l listeners) close() {
	_ = l.public.Close()
	if l.admin != nil {
		_ = l.admin.Close()
	}
}

// listen takes the addresses.
func (e environment) listen() (l listeners, err error) {
	if err := e.checkAdminAddr(); err != nil {
		return l, err
	}
	if l.public, err = listenAt("TOLLKEEPER_ADDR", e.Addr); err != nil || e.AdminAddr == "" {
		return l, err
	}
	if l.admin, err = listenAt("TOLLKEEPER_ADMIN_ADDR", e.AdminAddr); err != nil {
		_ = l.public.Close()
	}
	return l, err
}

// listenAt takes the address of a setting.
func listenAt(setting, addr string) (net.Listener, error) {
	listener, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("something serves at %s already: stop it, or set %s to another address", addr, setting)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", setting, err)
	}
	return listener, nil
}

type serve struct{}

// Run serves until the context ends.
func (serve) Run(ctx context.Context, env environment, out io.Writer) (err error) {
	defer runtime.KeepAlive(make([]byte, ballast))
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	out = untilClosed{out, stop}
	networks, err := env.webhookNetworks()
	if err != nil {
		return err
	}
	log, err := env.logger(untilClosed{os.Stderr, stop})
	if err != nil {
		return err
	}
	secured, err := env.tlsConfig(log)
	if err != nil {
		return err
	}
	proxies, err := webhooks.ParseNetworks(env.TrustedProxies)
	if err != nil {
		return fmt.Errorf("TOLLKEEPER_TRUSTED_PROXIES: %w", err)
	}
	smtp, err := env.smtp()
	if err != nil {
		return err
	}
	temp, err := env.temporary(log)
	if err != nil {
		return err
	}
	listeners, err := env.listen()
	if err != nil {
		return err
	}
	defer listeners.close()
	origin, err := env.publicURL()
	if err != nil {
		return err
	}
	fonts, err := paper.LoadFonts(env.FontDir)
	if err != nil {
		return fmt.Errorf("TOLLKEEPER_FONT_DIR: %w", err)
	}
	db, err := reach(ctx, env, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.leave()) }()
	if err := checkDurable(ctx, db.owner); err != nil {
		return err
	}
	spans, flush, err := tracing(ctx)
	if err != nil {
		return err
	}
	defer ended(ctx, flush)
	st, err := db.open(ctx, env.migration(), store.Options{Tracer: statementTracer(spans), Connections: env.Connections})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	if err := settle(ctx, st); err != nil {
		return err
	}
	if env.ReplicaURL != "" {
		if err := st.UseReplica(env.ReplicaURL); err != nil {
			return fmt.Errorf("TOLLKEEPER_REPLICA_URL: %w", err)
		}
	}
	welcome, err := db.firstAccount(audited(ctx, "serve"), st, env.APIKey)
	if err != nil {
		return err
	}
	if welcome.setup, err = user.OpenSetup(ctx, st); err != nil {
		return err
	}
	welcome.print(out, listeners.public.Addr(), secured != nil)
	if listeners.admin != nil {
		_, _ = fmt.Fprintf(out, "/metrics and /readyz?deep are at http://%s\n", reachableAt(listeners.admin.Addr()))
	}
	s := server.New(server.Config{Store: st, Logger: log, PublicURL: origin, LocalURL: env.localURL(listeners.public.Addr()), Fonts: &fonts, Temp: temp, Release: release, Tracing: spans, EventsOnly: !env.Buckets, Workers: env.workers(), TrustedProxies: proxies, WebhookNetworks: networks, SMTP: smtp, StrangersPerSecond: env.strangers(), AdminApart: env.AdminAddr != ""})
	return answer(ctx, s, log, listeners, secured, env, db)
}

// answer serves requests, does due work, delivers webhooks, keeps buckets, makes room and keeps
// a private PostgreSQL running until the shutdown delay after the end of ctx is over, then lets what
// runs come to its end.
func answer(ctx context.Context, s *server.Server, log *slog.Logger, listeners listeners, secured *tls.Config, env environment, db database) error {
	delay, err := env.shutdownDelay()
	if err != nil {
		return err
	}
	ctx, cancel := delayShutdown(ctx, delay, func() {
		s.BeginShutdown()
		log.Info("the server is stopping; until the delay is over it serves requests, while /readyz answers 503", "delay", delay.String())
	})
	defer cancel()
	worked := make(chan error, 1)
	go func() {
		defer cancel()
		worked <- s.Worker().Run(ctx)
	}()
	supervised := make(chan error, 1)
	go func() {
		defer cancel()
		supervised <- db.supervise(ctx, s.DatabaseRestarted)
	}()
	var beside sync.WaitGroup
	beside.Go(func() { s.Worker().VerifyContinuously(ctx) })
	beside.Go(func() { s.Worker().AggregateUsage(ctx) })
	beside.Go(func() { s.Worker().SealDocuments(ctx) })
	beside.Go(func() { s.Worker().MaintainPartitions(ctx, env.KeyFilters<<20, env.KeepMonths) })
	beside.Go(func() { s.Deliverer(webhooks.Options{}).Run(ctx) })
	beside.Go(func() { s.MailSender(nil).Run(ctx) })
	beside.Go(func() { s.RequestLog().Run(ctx) })
	beside.Go(func() { s.Worker().EvaluateAlerts(ctx) })
	beside.Go(func() { watchBackups(ctx, db, env.BackupDir, log, s.ShowBackups) })
	observed := make(chan error, 1)
	go func() {
		defer cancel()
		observed <- serveAdmin(ctx, s, log, listeners.admin)
	}()
	public := server.NewHTTPServer(listeners.public.Addr().String(), s.Handler())
	public.ErrorLog = slog.NewLogLogger(log.Handler(), slog.LevelWarn)
	served := make(chan error, 1)
	go func() {
		defer cancel()
		limited := netutil.LimitListener(listeners.public, mostClients)
		if secured == nil {
			served <- public.Serve(limited)
			return
		}
		public.TLSConfig = secured
		served <- public.ServeTLS(limited, "", "")
	}()
	<-ctx.Done()
	last, done := context.WithTimeout(context.WithoutCancel(ctx), drain)
	defer done()
	err = public.Shutdown(last)
	if serving := <-served; !errors.Is(serving, http.ErrServerClosed) {
		err = errors.Join(err, serving)
	}
	beside.Wait()
	return errors.Join(err, <-worked, <-supervised, <-observed)
}
