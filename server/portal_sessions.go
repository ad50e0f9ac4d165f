package server

import (
	"context"

	"tollkeeper/domain/customer"
	"tollkeeper/domain/portal"
	"tollkeeper/gen"
	"tollkeeper/server/wire"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// CreatePortalSession serves POST /v1/customers/{customer_id}/portal_sessions. The answer is not
// kept for an Idempotency-Key, since it has the token.
func (s *Server) CreatePortalSession(ctx context.Context, req gen.CreatePortalSessionRequestObject) (gen.CreatePortalSessionResponseObject, error) {
	made, err := s.createPortalSession(ctx, *req.Body, func(tx *store.Tx) (customer.Customer, error) { return customer.Find(tx, req.CustomerID) })
	if err != nil {
		return nil, err
	}
	return gen.CreatePortalSession201JSONResponse(made), nil
}

// CreatePortalSessionByExternalID serves
// POST /v1/customers/external_customer_id/{external_customer_id}/portal_sessions.
func (s *Server) CreatePortalSessionByExternalID(ctx context.Context, req gen.CreatePortalSessionByExternalIDRequestObject) (gen.CreatePortalSessionByExternalIDResponseObject, error) {
	made, err := s.createPortalSession(ctx, *req.Body, func(tx *store.Tx) (customer.Customer, error) {
		return customer.FindByExternalID(tx, req.ExternalCustomerID)
	})
	if err != nil {
		return nil, err
	}
	return gen.CreatePortalSessionByExternalID201JSONResponse(made), nil
}

func (s *Server) createPortalSession(ctx context.Context, in gen.PortalSessionCreate, find func(tx *store.Tx) (customer.Customer, error)) (made gen.PortalSession, err error) {
	minutes, endOthers := portal.DefaultMinutes, true
	if in.ExpiresInMinutes != nil {
		minutes = *in.ExpiresInMinutes
	}
	if in.InvalidateExisting != nil {
		endOthers = *in.InvalidateExisting
	}
	err = s.store.Update(ctx, func(tx *store.Tx) error {
		c, err := find(tx)
		if err != nil {
			return err
		}
		session, err := portal.Create(tx, c, minutes, endOthers)
		made = wire.PortalSession(session)
		return err
	})
	return made, err
}

// WithdrawPortalLinks serves POST /v1/customers/{customer_id}/withdraw_portal_links.
func (s *Server) WithdrawPortalLinks(ctx context.Context, req gen.WithdrawPortalLinksRequestObject) (gen.WithdrawPortalLinksResponseObject, error) {
	body, err := once(ctx, s, func(tx *store.Tx) (gen.Customer, error) {
		c, err := portal.WithdrawLinks(tx, req.CustomerID)
		if err != nil {
			return gen.Customer{}, err
		}
		return showCustomer(tx, c)
	})
	if err != nil {
		return nil, err
	}
	return gen.WithdrawPortalLinks200JSONResponse(body), nil
}

// SyncPaymentMethods serves POST /v1/customers/{customer_id}/sync_payment_methods_from_gateway.
func (s *Server) SyncPaymentMethods(ctx context.Context, req gen.SyncPaymentMethodsRequestObject) (gen.SyncPaymentMethodsResponseObject, error) {
	err := s.syncPaymentMethods(ctx, func(tx *store.Tx) (customer.Customer, error) { return customer.Find(tx, req.CustomerID) })
	if err != nil {
		return nil, err
	}
	return gen.SyncPaymentMethods204Response{}, nil
}

// SyncPaymentMethodsByExternalID serves
// POST /v1/customers/external_customer_id/{external_customer_id}/sync_payment_methods_from_gateway.
func (s *Server) SyncPaymentMethodsByExternalID(ctx context.Context, req gen.SyncPaymentMethodsByExternalIDRequestObject) (gen.SyncPaymentMethodsByExternalIDResponseObject, error) {
	err := s.syncPaymentMethods(ctx, func(tx *store.Tx) (customer.Customer, error) {
		return customer.FindByExternalID(tx, req.ExternalCustomerID)
	})
	if err != nil {
		return nil, err
	}
	return gen.SyncPaymentMethodsByExternalID204Response{}, nil
}

// syncPaymentMethods has nothing to fetch: no account is connected to a payment provider. A customer
// without a provider has no methods, which is so already.
func (s *Server) syncPaymentMethods(ctx context.Context, find func(tx *store.Tx) (customer.Customer, error)) error {
	return s.store.Update(ctx, func(tx *store.Tx) error {
		c, err := find(tx)
		if err == nil && c.PaymentProvider != nil {
			err = fault.Unavailable("this account is connected to no payment provider")
		}
		return err
	})
}
