package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"tollkeeper/domain/backfill"
	"tollkeeper/domain/event"
	"tollkeeper/gen"
	"tollkeeper/server/contract"
	"tollkeeper/server/wire"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Ingest serves POST /v1/ingest. Events that fail do not keep the others from
// being stored (semantics 2.3.4). Many of them lie on disk (semantics 14.5.5).
func (s *Server) Ingest(ctx context.Context, req gen.IngestRequestObject) (gen.IngestResponseObject, error) {
	received, err := event.Receive(req.Body, s.temp.Of(store.AccountID(ctx)))
	if err != nil {
		return nil, err
	}
	defer received.Close()
	recorder, err := s.recorderInto(ctx, req.Params.BackfillID)
	if err != nil {
		return nil, err
	}
	debugged := req.Params.Debug != nil && *req.Params.Debug
	outcome, err := recorder.RecordBody(ctx, received, debugged)
	if errors.Is(err, event.ErrBusy) {
		return nil, contract.ErrOverloaded
	}
	if err != nil {
		return nil, err
	}
	if outcome.Failed == nil && !debugged {
		return allStored{}, nil
	}
	var debug *gen.IngestDebug
	if debugged {
		debug = &gen.IngestDebug{
			Ingested:  append([]string{}, outcome.Ingested...),
			Duplicate: append([]string{}, outcome.Duplicate...),
		}
	}
	if outcome.Failed == nil {
		return gen.Ingest200JSONResponse{ValidationFailed: []gen.EventFailure{}, Debug: debug}, nil
	}
	problem, _ := contract.Problem(failuresOf(outcome), requestOf(ctx).id)
	return gen.Ingest400ApplicationProblemPlusJSONResponse{
		Problem:       problem,
		IngestFailure: gen.IngestFailure{ValidationFailed: wire.EventFailures(outcome.Failed), Debug: debug},
	}, nil
}

// allStored is the usual answer to an ingestion.
type allStored struct{}

var allStoredText, _ = json.Marshal(gen.IngestResult{ValidationFailed: []gen.EventFailure{}})

// VisitIngestResponse writes a text that is always the same.
func (allStored) VisitIngestResponse(w http.ResponseWriter) error {
	w.Header().Set(echo.HeaderContentType, echo.MIMEApplicationJSON)
	w.WriteHeader(http.StatusOK)
	_, err := w.Write(allStoredText)
	return err
}

// recorderInto is what records events into a backfill, if one is named.
func (s *Server) recorderInto(ctx context.Context, backfillID *string) (*event.Recorder, error) {
	if backfillID == nil {
		return s.recorder, nil
	}
	var into event.Backfill
	err := s.store.View(ctx, func(tx *store.Tx) (err error) {
		into, err = backfill.Open(tx, *backfillID)
		return err
	})
	return s.recorder.Into(into), err
}

// failuresOf repeats each failure as <idempotency_key>: <message>.
func failuresOf(o event.Outcome) error {
	var all []fault.Violation
	for _, f := range o.Failed {
		for _, reason := range f.Reasons {
			all = append(all, fault.Violation{Field: f.Key, Reason: reason})
		}
	}
	return fault.Invalid(all...)
}
