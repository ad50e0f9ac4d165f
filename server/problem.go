package server

import (
	"cmp"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"tollkeeper/gen"
	"tollkeeper/server/background"
	"tollkeeper/server/contract"
	"tollkeeper/store/fault"
)

// fail answers a request that failed. It is Echo's HTTPErrorHandler.
func (s *Server) fail(err error, c echo.Context) {
	ctx := c.Request().Context()
	s.runner.ReportPanic(ctx, background.Unit{Work: "request"}, err, true, requestAttr(ctx))
	if c.Response().Committed {
		s.log.LogAttrs(ctx, slog.LevelError, "failed amid an answer", requestAttr(ctx), slog.Any("error", err))
		return
	}
	var told *fault.Fault
	if ctx.Err() != nil && !errors.As(err, &told) { // the client is gone, not merely late with its body: an answer would not be read
		c.Response().Status = statusClientGone
		return
	}
	problem, class := s.judge(err, c)
	requestOf(ctx).problem = problemLine(problem)
	var body any = problem
	if op := requestOf(ctx).operation; op != nil && op.ReadsBody && class.Status == http.StatusBadRequest {
		body = gen.IngestProblem{Problem: problem, IngestFailure: gen.IngestFailure{ValidationFailed: []gen.EventFailure{}}}
	}
	c.Response().Header().Set(echo.HeaderContentType, "application/problem+json")
	c.Response().WriteHeader(class.Status)
	_ = json.NewEncoder(c.Response()).Encode(body) // fails only when the connection does
}

// judge tells what an error is to clients, sets the headers that say so, and logs what is none of
// their doing.
func (s *Server) judge(err error, c echo.Context) (gen.Problem, contract.Class) {
	ctx := c.Request().Context()
	problem, class := contract.Problem(err, requestOf(ctx).id)
	header := c.Response().Header()
	var often contract.TooOften
	switch {
	case errors.As(err, &often): // official clients wait and send it again
		header.Set(echo.HeaderRetryAfter, often.RetryAfter())
	case class == contract.UnknownKey:
		header.Set(echo.HeaderWWWAuthenticate, "Bearer")
	case errors.Is(err, errKeyUsed):
		header.Set("X-Should-Retry", "false") // the same again would be refused again
	case class == contract.Overloaded, class == contract.NoDatabase, class == contract.NoTempFiles:
		header.Set(echo.HeaderRetryAfter, contract.OutageOf(err).RetryAfter())
		header.Set("Transient-Error", "true")
		s.outages.report(ctx, s.log, time.Now(), err)
	case class == contract.Internal:
		if contract.IsTransient(err) {
			header.Set("Transient-Error", "true")
		}
		s.log.LogAttrs(ctx, slog.LevelError, "failed", requestAttr(ctx), slog.Any("error", err))
	}
	return problem, class
}

// failPage is fail for a page of the console: it returns the status, and the page is made there.
func (s *Server) failPage(c echo.Context, err error) int {
	s.runner.ReportPanic(c.Request().Context(), background.Unit{Work: "request"}, err, true, requestAttr(c.Request().Context()))
	_, class := s.judge(err, c)
	return class.Status
}

// statusClientGone is the status in the log of a request that was given up.
const statusClientGone = 499

// problemLine is what a failed answer says, for the log of requests.
func problemLine(p gen.Problem) string {
	if len(p.ValidationErrors) > 0 {
		return strings.Join(p.ValidationErrors, "; ")
	}
	return cmp.Or(p.Detail, p.Title)
}
