package server

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"regexp"
	"sync/atomic"
	"time"

	"github.com/labstack/echo/v4"
	"go.opentelemetry.io/otel/trace"

	"tollkeeper/domain/account"
	"tollkeeper/domain/event"
	"tollkeeper/domain/paper"
	"tollkeeper/domain/usage"
	"tollkeeper/gen"
	"tollkeeper/server/background"
	"tollkeeper/server/console"
	"tollkeeper/server/contract"
	"tollkeeper/server/download"
	"tollkeeper/server/mails"
	"tollkeeper/server/requestwriter"
	"tollkeeper/server/webhooks"
	"tollkeeper/server/worker"
	"tollkeeper/store"
	"tollkeeper/store/tempfile"
)

// requestID is what a client may choose as one.
var requestID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// Config is what a server needs from outside.
type Config struct {
	Store  *store.Store
	Logger *slog.Logger // slog.Default() when nil

	// EventsOnly reads usage from events instead of buckets, and keeps none. The answers
	// are the same.
	EventsOnly bool

	// Workers is how many units of due work of one account run at once; 1 when 0.
	Workers int

	// TrustedProxies may name the address of a client in X-Forwarded-For. Without them it is
	// that of the connection.
	TrustedProxies []netip.Prefix

	// StrangersPerSecond is how many requests without a good key an address may send; 50 when 0,
	// any number when negative.
	StrangersPerSecond int

	// WebhookNetworks may be called by webhooks, beside public addresses.
	WebhookNetworks []netip.Prefix

	// SMTP is the mail server; nil: mails wait.
	SMTP *mails.SMTP

	// StalledBody is how long a client may send nothing in the middle of a body; 30 seconds
	// when 0.
	StalledBody time.Duration

	// ProbesEvery is how often at most what /readyz and /metrics show is computed, however many
	// ask; a second when 0.
	ProbesEvery time.Duration

	// AdminApart leaves /metrics and /readyz?deep to AdminHandler.
	AdminApart bool

	// Tracing makes spans of requests; nil for none.
	Tracing trace.TracerProvider

	// PublicURL is where people reach the server, such as https://billing.example. Links begin with
	// it. Without it they begin with LocalURL, which works on this machine, and mails have none.
	PublicURL string
	LocalURL  string

	// Temp is the place for temporary files; the system's when nil.
	Temp *tempfile.Place

	// Downloads bounds the files that are made while clients take them; as usual where it is 0.
	Downloads download.Limits

	// Fonts are what documents are drawn with; those of the program when empty.
	Fonts *paper.Fonts

	// Release is the version that /openapi.yaml names; "development" when "".
	Release string
}

// Server answers every operation of the contract.
type Server struct {
	store      *store.Store
	log        *slog.Logger
	recorder   *event.Recorder
	contract   *contract.Contract
	rights     map[string]account.Right // by the scope of operations
	metrics    *metrics
	runner     *background.Runner
	worker     *worker.Worker
	ledgers    *keyedLock // by customer, for new entries of the credit ledger
	outages    outages    // of requests, for the log
	requestLog *requestwriter.Log
	temp       *tempfile.Place
	limits     *rateLimits
	fonts      paper.Fonts
	resets     *resets

	downloads download.Limits

	stopping   atomic.Bool    // see BeginShutdown
	answers    *cached[error] // whether the database does
	exposition *cached[exposition]

	adminApart bool // the probes have an address of their own
	eventsOnly bool
	networks   []netip.Prefix // that webhooks may call
	smtp       *mails.SMTP
	stalled    time.Duration // that a client may send nothing in the middle of a body
	release    string        // the version of the program
	tracing    trace.TracerProvider
	proxies    []netip.Prefix // that may name the address of a client
	strange    strangeProxies // which may not
}

var _ gen.StrictServerInterface = (*Server)(nil)

// New makes a server on a migrated database.
func New(cfg Config) *Server {
	if cfg.Logger == nil {
		cfg.Logger = slog.Default()
	}
	if cfg.Temp == nil {
		cfg.Temp = tempfile.New("", 0)
	}
	cfg.Store.BeforeCommit(beforeCommit)
	if at := cmp.Or(cfg.PublicURL, cfg.LocalURL); at != "" {
		cfg.Store.PublishAt(at, cfg.PublicURL != "")
	}
	recorder := event.NewRecorder(cfg.Store)
	metrics := newMetrics(recorder)
	runner := background.NewRunner(cfg.Logger, metrics.panicked)
	recorder.ReportPanics(func(accountID string, err error) {
		runner.ReportPanic(context.Background(), background.Unit{Work: "store events", Of: accountID}, err, true)
	})
	loaded := contract.Load()
	s := &Server{
		store:    cfg.Store,
		log:      cfg.Logger,
		recorder: recorder,
		contract: loaded,
		rights:   readRights(loaded),
		metrics:  metrics,
		runner:   runner,
		worker: worker.New(worker.Config{
			Store:      cfg.Store,
			Log:        cfg.Logger,
			Runner:     runner,
			Recorder:   recorder,
			EventsOnly: cfg.EventsOnly,
			Workers:    max(1, cfg.Workers),
			Verified:   metrics.verified,
			Failed:     metrics.dueFailed,
		}),
		temp:    cfg.Temp,
		ledgers: newKeyedLock(),
		fonts:   paper.BuiltIn,
		limits:  newRateLimits(cmp.Or(cfg.StrangersPerSecond, strangersPerSecond)),

		adminApart: cfg.AdminApart,
		eventsOnly: cfg.EventsOnly,
		networks:   cfg.WebhookNetworks,
		smtp:       cfg.SMTP,
		stalled:    cmp.Or(cfg.StalledBody, stalledBody),
		proxies:    cfg.TrustedProxies,
		tracing:    cfg.Tracing,
		release:    cmp.Or(cfg.Release, "development"),
		downloads:  cfg.Downloads.OrUsual(cfg.Store.MostAtOnce(store.Requests)),
	}
	s.resets = &resets{origin: cfg.PublicURL, smtp: cfg.SMTP, store: cfg.Store, runner: runner, log: cfg.Logger, places: make(chan struct{}, mostResets)}
	s.requestLog = requestwriter.New(cfg.Store, runner, metrics.unlogged.Inc)
	if cfg.Fonts != nil {
		s.fonts = *cfg.Fonts
	}
	every := cmp.Or(cfg.ProbesEvery, probesEvery)
	s.answers = newCached(every, s.ping)
	s.exposition = newCached(every, metrics.expose)
	metrics.registry.MustRegister(dueWork{s.worker}, queues{s}, temporaryFiles{s.temp}, &metrics.backups)
	metrics.registry.MustRegister(replicaReads(s.store)...)
	return s
}

// Worker returns the background work that belongs to the server: what clients send wakes it.
func (s *Server) Worker() *worker.Worker { return s.worker }

// Handler serves all paths.
func (s *Server) Handler() http.Handler {
	e := echo.New()
	e.HTTPErrorHandler = s.fail
	e.IPExtractor = addressReader(s.proxies)
	e.Use(s.begin, s.logRequest, writeDeadline, s.readDeadline, echoKey, s.authenticate, s.markDirty, s.limitBody, checkRequest, rememberKey)
	gen.RegisterHandlers(e, gen.NewStrictHandler(s, nil))
	s.registerPublic(e)
	console.Mount(e, console.Config{
		Store: s.store, Log: s.log, Document: s.contract.Document, API: answerPerson(e), TrustedProxies: s.proxies, Failed: s.failPage, Temp: s.temp,
		Fonts: s.fonts, MailReset: s.resets.mail, MailsResets: s.resets.can, Sessions: sessionGuesses{s.limits}, Downloads: s.downloads,
	})
	s.mountHosted(e)
	return s.traced(answerHead(e))
}

// BeginShutdown makes /readyz answer 503, while requests are served as before. Each answer from then
// on closes its connection, so clients that keep connections move to other servers too.
func (s *Server) BeginShutdown() { s.stopping.Store(true) }

// begin gives the request its id and finds its operation (semantics 14.1.5).
func (s *Server) begin(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		id := c.Request().Header.Get(echo.HeaderXRequestID)
		if !requestID.MatchString(id) {
			id = store.NewID("req")
		}
		c.Response().Header().Set(echo.HeaderXRequestID, id)
		s.protect(c)
		s.strange.note(c.Request(), s.proxies, s.log)
		if s.stopping.Load() {
			c.Response().Header().Set(echo.HeaderConnection, "close") // over HTTP/2 this sends GOAWAY
		}
		r := &request{id: id, operation: s.contract.Operation(c.Request().Method, c.Path())}
		r.pending, r.withoutChangedResources = readChangeOptions(c.Request())
		s.nameSpan(c, r)
		ctx := withRequest(s.reading(c.Request().Context()), r)
		switch {
		case readsMuch(r.operation):
			ctx = store.Costly(store.OnReplica(ctx))
		case readsLong(r.operation):
			ctx = store.Costly(ctx)
		}
		c.SetRequest(c.Request().WithContext(ctx))
		return next(c)
	}
}

// protect sets headers for browsers and caches on the way: what was reached by TLS is so from then on, and
// answers of the API are of a key, and are what they say they are.
func (s *Server) protect(c echo.Context) {
	header := c.Response().Header()
	if console.CameByTLS(c.Request(), s.proxies) {
		header.Set(echo.HeaderStrictTransportSecurity, "max-age=31536000")
	}
	if underV1(c.Request()) {
		header.Set(echo.HeaderXContentTypeOptions, "nosniff")
		header.Set(echo.HeaderCacheControl, "no-store")
	}
}

// markDirty notes accounts in which a request may have changed something.
func (s *Server) markDirty(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		err := next(c)
		if method := c.Request().Method; err == nil && method != http.MethodGet && method != http.MethodHead {
			s.worker.MarkDirty(store.AccountID(c.Request().Context()))
		}
		return err
	}
}

// Deliverer makes a deliverer of the messages that the server's accounts announced.
func (s *Server) Deliverer(options webhooks.Options) *webhooks.Deliverer {
	return webhooks.NewDeliverer(webhooks.Config{
		Store: s.store, Log: s.log, Runner: s.runner, Networks: s.networks, Options: options,
		Watch: webhooks.Watch{Attempted: s.metrics.webhookAttempted, Waiting: s.metrics.webhooksWait},
	})
}

// MailSender makes a sender of the mails that the server's accounts caused. now is real time; nil for time.Now.
func (s *Server) MailSender(now func() time.Time) *mails.Sender {
	return mails.NewSender(mails.Config{Store: s.store, Log: s.log, Runner: s.runner, SMTP: s.smtp, Now: now})
}

// reading returns a context in which usage is read as the server is configured to.
func (s *Server) reading(ctx context.Context) context.Context {
	if s.eventsOnly {
		return usage.ReadEvents(ctx)
	}
	return ctx
}
