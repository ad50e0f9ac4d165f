package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/exaring/otelpgx"
	"github.com/jackc/pgx/v5"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/exporters/stdout/stdouttrace"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// tracing makes spans as the standard variables of OpenTelemetry say. It is off, and the
// provider nil, unless OTEL_TRACES_EXPORTER or an endpoint is set. The variables of the endpoint,
// the sampler and the batches are read by the SDK. Of the exporters there are OTLP over HTTP and
// the console: others would make the binary a third larger.
func tracing(ctx context.Context) (provider trace.TracerProvider, stop func(context.Context) error, err error) {
	exporter, err := spanExporter(ctx)
	if exporter == nil || err != nil {
		return nil, func(context.Context) error { return nil }, err
	}
	about, err := resource.New(ctx, resource.WithTelemetrySDK(),
		resource.WithAttributes(attribute.String("service.name", "tollkeeper"), attribute.String("service.version", release)),
		resource.WithFromEnv()) // OTEL_SERVICE_NAME wins
	if err != nil {
		return nil, nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	made := sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(about))
	return made, made.Shutdown, nil
}

// spanExporter returns nil where traces are off.
func spanExporter(ctx context.Context) (sdk.SpanExporter, error) {
	kind := os.Getenv("OTEL_TRACES_EXPORTER")
	if kind == "" && cmp.Or(os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"), os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT")) != "" {
		kind = "otlp"
	}
	if os.Getenv("OTEL_SDK_DISABLED") == "true" {
		kind = "none"
	}
	switch kind {
	case "", "none":
		return nil, nil
	case "console":
		return stdouttrace.New(stdouttrace.WithWriter(os.Stderr))
	case "otlp":
		const only = "http/protobuf"
		if protocol := cmp.Or(os.Getenv("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"), os.Getenv("OTEL_EXPORTER_OTLP_PROTOCOL"), only); protocol != only {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL: must be %s", only)
		}
		return otlptracehttp.New(ctx)
	}
	return nil, errors.New("OTEL_TRACES_EXPORTER: must be otlp, console or none")
}

// statementTracer makes a span of each statement of a request, without its arguments. Statements
// of background work belong to no request and have none.
func statementTracer(provider trace.TracerProvider) pgx.QueryTracer {
	if provider == nil {
		return nil
	}
	return otelpgx.NewTracer(otelpgx.WithTracerProvider(provider))
}

// flushWithin bounds the sending of the last spans.
const flushWithin = 5 * time.Second

// ended sends the last spans. What cannot be sent is lost, and no reason to fail.
func ended(ctx context.Context, flush func(context.Context) error) {
	last, done := context.WithTimeout(context.WithoutCancel(ctx), flushWithin)
	defer done()
	if err := flush(last); err != nil {
		slog.Warn("the last spans were not sent", "error", err)
	}
}
