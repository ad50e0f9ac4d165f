package server

import (
	"net/http"

	"github.com/labstack/echo/v4"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// traced makes a span of each request of the API, in the trace that the client names, if it names
// one. Without a provider it changes nothing.
func (s *Server) traced(next http.Handler) http.Handler {
	if s.tracing == nil {
		return next
	}
	return otelhttp.NewHandler(next, "request",
		otelhttp.WithTracerProvider(s.tracing),
		otelhttp.WithPropagators(propagation.TraceContext{}),
		otelhttp.WithFilter(underV1))
}

// nameSpan calls the span of a request by its route: ids stay out of names.
func (s *Server) nameSpan(c echo.Context, r *request) {
	if s.tracing == nil {
		return
	}
	span := trace.SpanFromContext(c.Request().Context())
	span.SetName(c.Request().Method + " " + c.Path())
	span.SetAttributes(attribute.String("http.route", c.Path()), attribute.String("tollkeeper.request_id", r.id))
}
