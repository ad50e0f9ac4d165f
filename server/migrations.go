package server

import (
	"context"
	"time"

	"tollkeeper/domain/migration"
	"tollkeeper/domain/period"
	"tollkeeper/gen"
	"tollkeeper/store"
)

// ListPlanMigrations serves GET /v1/plans/{plan_id}/migrations.
func (s *Server) ListPlanMigrations(ctx context.Context, req gen.ListPlanMigrationsRequestObject) (gen.ListPlanMigrationsResponseObject, error) {
	var list gen.PlanMigrationPage
	err := s.store.View(ctx, func(tx *store.Tx) error {
		all, next, err := migration.List(tx, req.PlanID, pageFromWire(req.Params.Limit, req.Params.Cursor))
		list.PaginationMetadata = pageToWire(next)
		list.Data = toWire(all, migrationToWire)
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.ListPlanMigrations200JSONResponse(list), nil
}

// FetchPlanMigration serves GET /v1/plans/{plan_id}/migrations/{migration_id}.
func (s *Server) FetchPlanMigration(ctx context.Context, req gen.FetchPlanMigrationRequestObject) (gen.FetchPlanMigrationResponseObject, error) {
	var found migration.Migration
	err := s.store.View(ctx, func(tx *store.Tx) (err error) {
		found, err = migration.Find(tx, req.PlanID, req.MigrationID)
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.FetchPlanMigration200JSONResponse(migrationToWire(found)), nil
}

// CancelPlanMigration serves POST /v1/plans/{plan_id}/migrations/{migration_id}/cancel.
func (s *Server) CancelPlanMigration(ctx context.Context, req gen.CancelPlanMigrationRequestObject) (gen.CancelPlanMigrationResponseObject, error) {
	body, err := once(ctx, s, func(tx *store.Tx) (gen.PlanMigration, error) {
		canceled, err := migration.Cancel(tx, req.PlanID, req.MigrationID)
		return migrationToWire(canceled), err
	})
	if err != nil {
		return nil, err
	}
	return gen.CancelPlanMigration200JSONResponse(body), nil
}

func migrationToWire(m migration.Migration) gen.PlanMigration {
	shown := gen.PlanMigration{ID: m.ID, PlanID: m.PlanID, EffectiveTime: m.Effective, Status: gen.PlanMigrationStatus(m.Status())}
	if m.Effective == nil {
		return shown
	}
	if _, err := period.ParseDate(*m.Effective); err == nil {
		return shown
	}
	if at, err := period.ParseInstant(*m.Effective, time.UTC); err == nil {
		text := instantToWire(at)
		shown.EffectiveTime = &text
	}
	return shown
}
