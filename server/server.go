package server

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"regexp"
	"sync/atomic"

	"github.com/labstack/echo/v4"

	"tollkeeper/domain/event"
	"tollkeeper/domain/usage"
	"tollkeeper/gen"
	"tollkeeper/store"
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

	// Workers is how many units of due work are done at once for an account; one when 0.
	Workers int

	// WebhookNetworks may be called by webhooks, beside public addresses.
	WebhookNetworks []netip.Prefix
}

// Server answers every operation of the contract.
type Server struct {
	store    *store.Store
	log      *slog.Logger
	recorder *event.Recorder
	contract *contract
	metrics  *metrics
	stirred  *stirred
	entries  *turns // of customers, for entries of their ledgers
	retries  *retries

	eventsOnly bool
	workers    int            // that do due work of one account
	networks   []netip.Prefix // that webhooks may call

	books atomic.Pointer[Verification] // the last; nil before the first
}

var _ gen.StrictServerInterface = (*Server)(nil)

// New makes a server on a migrated database.
func New(cfg Config) *Server {
	if cfg.Logger == nil {
		cfg.Logger = slog.Default()
	}
	cfg.Store.BeforeCommit(announce)
	recorder := event.NewRecorder(cfg.Store)
	s := &Server{
		store:    cfg.Store,
		log:      cfg.Logger,
		recorder: recorder,
		contract: loadContract(),
		metrics:  newMetrics(recorder),
		stirred:  newStirred(),
		entries:  newTurns(),
		retries:  newRetries(),

		eventsOnly: cfg.EventsOnly,
		workers:    max(1, cfg.Workers),
		networks:   cfg.WebhookNetworks,
	}
	recorder.ReportPanics(func(accountID string, err error) {
		s.reportPanic(context.Background(), unit{"store events", accountID}, err, true)
	})
	return s
}

// Handler serves all paths.
func (s *Server) Handler() http.Handler {
	e := echo.New()
	e.HTTPErrorHandler = s.fail
	e.Use(s.begin, s.observe, deliver, echoKey, s.authenticate, s.stir, readable, s.validate, rememberKey)
	gen.RegisterHandlers(e, gen.NewStrictHandler(s, nil))
	s.registerOpen(e)
	return e
}

// begin gives the request its id and finds its operation (semantics 14.1.5).
func (s *Server) begin(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		id := c.Request().Header.Get(echo.HeaderXRequestID)
		if !requestID.MatchString(id) {
			id = store.NewID("req")
		}
		c.Response().Header().Set(echo.HeaderXRequestID, id)
		r := &request{id: id, operation: s.contract.operation(c.Request().Method, c.Path())}
		r.pending, r.bare = changesLater(c.Request())
		c.SetRequest(c.Request().WithContext(withRequest(s.reading(c.Request().Context()), r)))
		return next(c)
	}
}

// reading is a context in which usage is read as the server is told to.
func (s *Server) reading(ctx context.Context) context.Context {
	if s.eventsOnly {
		return usage.ReadEvents(ctx)
	}
	return ctx
}
