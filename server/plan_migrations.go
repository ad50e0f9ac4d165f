package server

import (
	"context"

	"tollkeeper/domain/migration"
	"tollkeeper/gen"
	"tollkeeper/server/wire"
	"tollkeeper/store"
)

// ListPlanMigrations serves GET /v1/plans/{plan_id}/migrations.
func (s *Server) ListPlanMigrations(ctx context.Context, req gen.ListPlanMigrationsRequestObject) (gen.ListPlanMigrationsResponseObject, error) {
	var list gen.PlanMigrationPage
	err := s.store.View(ctx, func(tx *store.Tx) error {
		all, next, err := migration.List(tx, req.PlanID, wire.ReadPage(req.Params.Limit, req.Params.Cursor))
		list.PaginationMetadata = wire.Page(next)
		list.Data = wire.MapSlice(all, wire.PlanMigration)
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
	return gen.FetchPlanMigration200JSONResponse(wire.PlanMigration(found)), nil
}

// CancelPlanMigration serves POST /v1/plans/{plan_id}/migrations/{migration_id}/cancel.
func (s *Server) CancelPlanMigration(ctx context.Context, req gen.CancelPlanMigrationRequestObject) (gen.CancelPlanMigrationResponseObject, error) {
	body, err := once(ctx, s, func(tx *store.Tx) (gen.PlanMigration, error) {
		canceled, err := migration.Cancel(tx, req.PlanID, req.MigrationID)
		return wire.PlanMigration(canceled), err
	})
	if err != nil {
		return nil, err
	}
	return gen.CancelPlanMigration200JSONResponse(body), nil
}
