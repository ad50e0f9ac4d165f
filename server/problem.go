package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"tollkeeper/domain/fault"
	"tollkeeper/gen"
	"tollkeeper/server/background"
)

// mostViolations is how many mistakes an answer lists.
const mostViolations = 100

// problemTypes precedes the name of every class of failure.
const problemTypes = "https://docs.withorb.com/reference/error-responses#"

// class is a kind of answer that is no success (semantics 14.1, gaps G). Clients
// tell classes apart by name and status together.
type class struct {
	name   string
	status int
	title  string
}

var (
	invalid     = class{"400-request-validation-errors", http.StatusBadRequest, "Validation error"}
	taken       = class{"400-duplicate-resource-creation", http.StatusBadRequest, "A resource with this identifier already exists."}
	refused     = class{"400-constraint-violation", http.StatusBadRequest, "The request is not allowed in the present state."}
	unknownKey  = class{"401-authentication-error", http.StatusUnauthorized, "Authentication failure"}
	missing     = class{"404-resource-not-found", http.StatusNotFound, "A specified resource was not found."}
	noURL       = class{"404-url-not-found", http.StatusNotFound, "The specified URL was not found."}
	unavailable = class{"404-feature-not-available", http.StatusBadRequest, "The feature is not available."}
	clash       = class{"409-resource-conflict", http.StatusConflict, "The request conflicts with another one."}
	tooLarge    = class{"413-request-too-large", http.StatusRequestEntityTooLarge, "The request is too large."}
	broke       = class{"500-internal-server-error", http.StatusInternalServerError, "Internal server error"}
	overloaded  = class{"500-internal-server-error", http.StatusServiceUnavailable, "The server is overloaded."}
	noDatabase  = class{"500-internal-server-error", http.StatusServiceUnavailable, "The database is not available."}
)

// Failures that only HTTP knows.
var (
	errNoKey      = errors.New("the request bears no API key")
	errNoURL      = errors.New("no such path")
	errTooLarge   = errors.New("the body is too large")
	errOverloaded = errors.New("the queue is full")
)

var classes = map[fault.Kind]class{
	fault.KindInvalid:     invalid,
	fault.KindRefused:     refused,
	fault.KindTaken:       taken,
	fault.KindMissing:     missing,
	fault.KindClash:       clash,
	fault.KindUnavailable: unavailable,
	fault.KindTooLarge:    tooLarge,
}

// fail answers a request that failed. It is Echo's HTTPErrorHandler.
func (s *Server) fail(err error, c echo.Context) {
	ctx := c.Request().Context()
	s.runner.ReportPanic(ctx, background.Unit{Work: "request"}, err, true, requestAttr(ctx))
	if c.Response().Committed {
		s.log.LogAttrs(ctx, slog.LevelError, "failed amid an answer", requestAttr(ctx), slog.Any("error", err))
		return
	}
	if ctx.Err() != nil { // the client is gone: nobody reads an answer
		c.Response().Status = statusClientGone
		return
	}
	problem, class := problemOf(ctx, err)
	header := c.Response().Header()
	switch {
	case class == unknownKey:
		header.Set(echo.HeaderWWWAuthenticate, "Bearer")
	case errors.Is(err, errKeyUsed):
		header.Set("X-Should-Retry", "false") // the same again would be refused again
	case class == overloaded, class == noDatabase:
		header.Set(echo.HeaderRetryAfter, outageOf(err).retryAfter())
		header.Set("Transient-Error", "true")
		s.outages.report(ctx, s.log, time.Now(), err)
	case class == broke:
		if transient(err) {
			header.Set("Transient-Error", "true")
		}
		s.log.LogAttrs(ctx, slog.LevelError, "failed", requestAttr(ctx), slog.Any("error", err))
	}
	var body any = problem
	if op := requestOf(ctx).operation; op != nil && op.readsBody && class.status == http.StatusBadRequest {
		body = gen.IngestProblem{Problem: problem, IngestFailure: gen.IngestFailure{ValidationFailed: []gen.EventFailure{}}}
	}
	header.Set(echo.HeaderContentType, "application/problem+json")
	c.Response().WriteHeader(class.status)
	_ = json.NewEncoder(c.Response()).Encode(body) // fails only when the connection does
}

// statusClientGone stands in the log for a request that was given up.
const statusClientGone = 499

// problemOf puts an error into the words of an answer: a fault's own, and of any
// other error nothing but that there was one.
func problemOf(ctx context.Context, err error) (gen.Problem, class) {
	class, detail := classOf(err)
	problem := gen.Problem{
		Type:             problemTypes + class.name,
		Status:           class.status,
		Title:            class.title,
		Detail:           detail,
		ValidationErrors: []string{},
		RequestID:        requestOf(ctx).id,
	}
	var f *fault.Fault
	if errors.As(err, &f) && f.Kind == fault.KindInvalid {
		for _, v := range f.Violations[:min(len(f.Violations), mostViolations)] {
			problem.ValidationErrors = append(problem.ValidationErrors, v.String())
		}
		if len(f.Violations) > mostViolations {
			problem.ValidationErrors = append(problem.ValidationErrors, fmt.Sprintf("body: has more mistakes; these are %d of them", mostViolations))
		}
	}
	return problem, class
}

func classOf(err error) (class class, detail string) {
	var f *fault.Fault
	var echoed *echo.HTTPError
	switch {
	case errors.As(err, &f):
		return classes[f.Kind], f.Detail
	case errors.Is(err, errNoKey):
		return unknownKey, "The request needs the header Authorization: Bearer with a valid API key"
	case errors.Is(err, errNoURL):
		return noURL, "Nothing is known by this method and path"
	case errors.Is(err, errTooLarge):
		return tooLarge, "The body is larger than this operation takes"
	case errors.As(err, &echoed):
		return echoClass(echoed.Code)
	}
	switch outageOf(err) {
	case busy:
		return overloaded, "The server is busy; send the same request again"
	case away:
		return noDatabase, "The server cannot use its database now; send the same request again"
	case noOutage:
	}
	return broke, "The server failed; its log tells more under the request id"
}

// echoClass is for what Echo and the generated code find out by themselves.
func echoClass(status int) (class, string) {
	switch status {
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return noURL, "Nothing is known by this method and path"
	case http.StatusRequestEntityTooLarge:
		return tooLarge, "The body is larger than this operation takes"
	case http.StatusBadRequest, http.StatusUnsupportedMediaType:
		return invalid, "The request does not fit what this operation takes"
	}
	return broke, "The server failed; its log tells more under the request id"
}
