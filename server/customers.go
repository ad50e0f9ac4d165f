package server

import (
	"context"

	"tollkeeper/domain/account"
	"tollkeeper/domain/billing"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/letterhead"
	"tollkeeper/domain/money"
	"tollkeeper/gen"
	"tollkeeper/server/wire"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// CreateCustomer serves POST /v1/customers.
func (s *Server) CreateCustomer(ctx context.Context, req gen.CreateCustomerRequestObject) (gen.CreateCustomerResponseObject, error) {
	created, err := once(ctx, s, func(tx *store.Tx) (gen.Customer, error) {
		c, err := customer.Create(tx, wire.ReadCustomer(*req.Body))
		if err != nil {
			return gen.Customer{}, err
		}
		return showCustomer(tx, c)
	})
	if err != nil {
		return nil, err
	}
	return gen.CreateCustomer201JSONResponse(created), nil
}

// ListCustomers serves GET /v1/customers.
func (s *Server) ListCustomers(ctx context.Context, req gen.ListCustomersRequestObject) (gen.ListCustomersResponseObject, error) {
	p := req.Params
	created, err := wire.ReadRange("created_at", p.CreatedAtGt, p.CreatedAtGte, p.CreatedAtLt, p.CreatedAtLte)
	if err != nil {
		return nil, err
	}
	var page gen.CustomerPage
	err = s.store.View(ctx, func(tx *store.Tx) error {
		customers, next, err := customer.List(tx, created, wire.ReadPage(p.Limit, p.Cursor))
		if err != nil {
			return err
		}
		page.PaginationMetadata = wire.Page(next)
		page.Data, err = showCustomers(tx, customers...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.ListCustomers200JSONResponse(page), nil
}

// FetchCustomer serves GET /v1/customers/{customer_id}.
func (s *Server) FetchCustomer(ctx context.Context, req gen.FetchCustomerRequestObject) (gen.FetchCustomerResponseObject, error) {
	found, err := s.fetchCustomer(ctx, customer.Find, req.CustomerID)
	if err != nil {
		return nil, err
	}
	return gen.FetchCustomer200JSONResponse(found), nil
}

// FetchCustomerByExternalID serves GET /v1/customers/external_customer_id/{external_customer_id}.
func (s *Server) FetchCustomerByExternalID(ctx context.Context, req gen.FetchCustomerByExternalIDRequestObject) (gen.FetchCustomerByExternalIDResponseObject, error) {
	found, err := s.fetchCustomer(ctx, customer.FindByExternalID, req.ExternalCustomerID)
	if err != nil {
		return nil, err
	}
	return gen.FetchCustomerByExternalID200JSONResponse(found), nil
}

// UpdateCustomer serves PUT /v1/customers/{customer_id}.
func (s *Server) UpdateCustomer(ctx context.Context, req gen.UpdateCustomerRequestObject) (gen.UpdateCustomerResponseObject, error) {
	updated, err := s.updateCustomer(ctx, customer.Find, req.CustomerID, *req.Body)
	if err != nil {
		return nil, err
	}
	return gen.UpdateCustomer200JSONResponse(updated), nil
}

// UpdateCustomerByExternalID serves PUT /v1/customers/external_customer_id/{external_customer_id}.
func (s *Server) UpdateCustomerByExternalID(ctx context.Context, req gen.UpdateCustomerByExternalIDRequestObject) (gen.UpdateCustomerByExternalIDResponseObject, error) {
	updated, err := s.updateCustomer(ctx, customer.FindByExternalID, req.ExternalCustomerID, *req.Body)
	if err != nil {
		return nil, err
	}
	return gen.UpdateCustomerByExternalID200JSONResponse(updated), nil
}

// DeleteCustomer serves DELETE /v1/customers/{customer_id}.
func (s *Server) DeleteCustomer(ctx context.Context, req gen.DeleteCustomerRequestObject) (gen.DeleteCustomerResponseObject, error) {
	err := s.store.Update(ctx, func(tx *store.Tx) error {
		return billing.DeleteCustomer(tx, req.CustomerID)
	})
	if err != nil {
		return nil, err
	}
	return gen.DeleteCustomer204Response{}, nil
}

// writesCustomers is who may change customers, and so see the addresses that open their portals (semantics 8.6.1).
var writesCustomers = account.Right{Resource: "customers", Access: account.AccessWrite}

// showCustomers returns customers as the request's key may see them.
func showCustomers(tx *store.Tx, all ...customer.Customer) ([]gen.Customer, error) {
	shown, err := wire.LoadCustomers(tx, all...)
	if err != nil || !requestOf(tx.Context()).apiKey.May(writesCustomers) {
		return shown, err
	}
	return shown, wire.LinkPortals(tx, all, shown)
}

// showCustomer is showCustomers for one.
func showCustomer(tx *store.Tx, c customer.Customer) (gen.Customer, error) {
	shown, err := showCustomers(tx, c)
	if err != nil {
		return gen.Customer{}, err
	}
	return shown[0], nil
}

// findCustomer is by id or by alias.
type findCustomer func(*store.Tx, string) (customer.Customer, error)

func (s *Server) fetchCustomer(ctx context.Context, find findCustomer, identifier string) (gen.Customer, error) {
	var shown []gen.Customer
	err := s.store.View(ctx, func(tx *store.Tx) error {
		found, err := find(tx, identifier)
		if err != nil {
			return err
		}
		shown, err = showCustomers(tx, found)
		return err
	})
	if err != nil {
		return gen.Customer{}, err
	}
	return shown[0], nil
}

func (s *Server) updateCustomer(ctx context.Context, find findCustomer, identifier string, in gen.CustomerUpdate) (gen.Customer, error) {
	var shown []gen.Customer
	err := s.store.Update(ctx, func(tx *store.Tx) error {
		found, err := find(tx, identifier)
		if err != nil {
			return err
		}
		if sent(ctx, "hierarchy") {
			if _, err := billing.PlaceCustomer(tx, found.ID, wire.ReadHierarchy(in.Hierarchy)); err != nil {
				return err
			}
		}
		if in.DefaultPaymentMethodID != nil {
			return fault.Missing("PaymentMethod", *in.DefaultPaymentMethodID) // none is saved here
		}
		updated, err := billing.UpdateCustomer(tx, found.ID, func(c *customer.Customer) error {
			editCustomer(ctx, c, in)
			return editMetadata(ctx, &c.Metadata, in.Metadata)
		})
		if err != nil {
			return err
		}
		shown, err = showCustomers(tx, updated)
		return err
	})
	if err != nil {
		return gen.Customer{}, err
	}
	return shown[0], nil
}

// editCustomer changes what the body names; what it names null is cleared.
func editCustomer(ctx context.Context, c *customer.Customer, in gen.CustomerUpdate) {
	// A customer always has these: null leaves them as they are.
	keep(&c.Name, in.Name)
	keep(&c.Email, in.Email)
	keep(&c.AutoCollection, in.AutoCollection)
	keep(&c.EmailDelivery, in.EmailDelivery)
	for member, edit := range map[string]func(){
		"additional_emails":    func() { c.AdditionalEmails = append([]string{}, in.AdditionalEmails...) },
		"external_customer_id": func() { c.ExternalCustomerID = in.ExternalCustomerID },
		"currency":             func() { c.Currency = (*money.Currency)(in.Currency) },
		"auto_issuance":        func() { c.AutoIssuance = in.AutoIssuance },
		"language":             func() { c.Language = (*letterhead.Language)(in.Language) },
		"billing_address":      func() { c.BillingAddress = (*customer.Address)(in.BillingAddress) },
		"shipping_address":     func() { c.ShippingAddress = (*customer.Address)(in.ShippingAddress) },
		"payment_provider":     func() { c.PaymentProvider = (*string)(in.PaymentProvider) },
		"payment_provider_id":  func() { c.PaymentProviderID = in.PaymentProviderID },
		"tax_id":               func() { c.TaxID = wire.ReadTaxID(in.TaxID) },

		"accounting_sync_configuration": func() { c.AccountingSync = wire.ReadAccountingSync(in.AccountingSyncConfiguration) },
		"reporting_configuration":       func() { c.Reporting = (*customer.Reporting)(in.ReportingConfiguration) },
		"payment_configuration":         func() { c.Payments = wire.ReadPaymentConfiguration(in.PaymentConfiguration) },
		"tax_configuration":             func() { c.Tax = wire.ReadTaxConfiguration(in.TaxConfiguration) },
	} {
		if sent(ctx, member) {
			edit()
		}
	}
}

// keep sets a value that cannot be absent to what was sent, if that is not null.
func keep[T any](value *T, sent *T) {
	if sent != nil {
		*value = *sent
	}
}
