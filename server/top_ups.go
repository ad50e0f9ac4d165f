package server

import (
	"context"

	"tollkeeper/domain/billing"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/topup"
	"tollkeeper/gen"
	"tollkeeper/server/wire"
	"tollkeeper/store"
)

// CreateTopUp serves POST /v1/customers/{customer_id}/credits/top_ups.
func (s *Server) CreateTopUp(ctx context.Context, req gen.CreateTopUpRequestObject) (gen.CreateTopUpResponseObject, error) {
	created, err := s.createTopUp(ctx, customer.Find, req.CustomerID, *req.Body)
	if err != nil {
		return nil, err
	}
	return gen.CreateTopUp201JSONResponse(created), nil
}

// CreateTopUpByExternalID serves POST /v1/customers/external_customer_id/{external_customer_id}/credits/top_ups.
func (s *Server) CreateTopUpByExternalID(ctx context.Context, req gen.CreateTopUpByExternalIDRequestObject) (gen.CreateTopUpByExternalIDResponseObject, error) {
	created, err := s.createTopUp(ctx, customer.FindByExternalID, req.ExternalCustomerID, *req.Body)
	if err != nil {
		return nil, err
	}
	return gen.CreateTopUpByExternalID201JSONResponse(created), nil
}

func (s *Server) createTopUp(ctx context.Context, find findCustomer, identifier string, in gen.TopUpCreate) (gen.TopUp, error) {
	return once(ctx, s, func(tx *store.Tx) (gen.TopUp, error) {
		buyer, err := find(tx, identifier)
		if err != nil {
			return gen.TopUp{}, err
		}
		wanted, err := wire.ReadTopUp(in, buyer.Location())
		if err != nil {
			return gen.TopUp{}, err
		}
		made, err := billing.CreateTopUp(tx, buyer.ID, wanted)
		return wire.TopUp(made), err
	})
}

// ListTopUps serves GET /v1/customers/{customer_id}/credits/top_ups.
func (s *Server) ListTopUps(ctx context.Context, req gen.ListTopUpsRequestObject) (gen.ListTopUpsResponseObject, error) {
	page, err := s.listTopUps(ctx, customer.Find, req.CustomerID, wire.ReadPage(req.Params.Limit, req.Params.Cursor))
	if err != nil {
		return nil, err
	}
	return gen.ListTopUps200JSONResponse(page), nil
}

// ListTopUpsByExternalID serves GET /v1/customers/external_customer_id/{external_customer_id}/credits/top_ups.
func (s *Server) ListTopUpsByExternalID(ctx context.Context, req gen.ListTopUpsByExternalIDRequestObject) (gen.ListTopUpsByExternalIDResponseObject, error) {
	page, err := s.listTopUps(ctx, customer.FindByExternalID, req.ExternalCustomerID, wire.ReadPage(req.Params.Limit, req.Params.Cursor))
	if err != nil {
		return nil, err
	}
	return gen.ListTopUpsByExternalID200JSONResponse(page), nil
}

func (s *Server) listTopUps(ctx context.Context, find findCustomer, identifier string, page store.Page) (shown gen.TopUpPage, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		buyer, err := find(tx, identifier)
		if err != nil {
			return err
		}
		all, next, err := topup.List(tx, buyer.ID, page)
		shown = gen.TopUpPage{Data: wire.MapSlice(all, wire.TopUp), PaginationMetadata: wire.Page(next)}
		return err
	})
	return shown, err
}

// DeleteTopUp serves DELETE /v1/customers/{customer_id}/credits/top_ups/{top_up_id}.
func (s *Server) DeleteTopUp(ctx context.Context, req gen.DeleteTopUpRequestObject) (gen.DeleteTopUpResponseObject, error) {
	return gen.DeleteTopUp204Response{}, s.deleteTopUp(ctx, customer.Find, req.CustomerID, req.TopUpID)
}

// DeleteTopUpByExternalID serves DELETE /v1/customers/external_customer_id/{external_customer_id}/credits/top_ups/{top_up_id}.
func (s *Server) DeleteTopUpByExternalID(ctx context.Context, req gen.DeleteTopUpByExternalIDRequestObject) (gen.DeleteTopUpByExternalIDResponseObject, error) {
	return gen.DeleteTopUpByExternalID204Response{}, s.deleteTopUp(ctx, customer.FindByExternalID, req.ExternalCustomerID, req.TopUpID)
}

func (s *Server) deleteTopUp(ctx context.Context, find findCustomer, identifier, id string) error {
	return s.store.Update(ctx, func(tx *store.Tx) error {
		buyer, err := find(tx, identifier)
		if err != nil {
			return err
		}
		return billing.DeleteTopUp(tx, buyer.ID, id)
	})
}
