package wire

import (
	"tollkeeper/domain/customer"
	"tollkeeper/domain/letterhead"
	"tollkeeper/domain/money"
	"tollkeeper/gen"
)

// ReadCustomer reads a new customer.
func ReadCustomer(in gen.CustomerCreate) customer.NewCustomer {
	return customer.NewCustomer{
		ExternalCustomerID: in.ExternalCustomerID,
		Name:               in.Name,
		Email:              in.Email,
		AdditionalEmails:   in.AdditionalEmails,
		Timezone:           in.Timezone,
		Currency:           (*money.Currency)(in.Currency),
		BillingAddress:     (*customer.Address)(in.BillingAddress),
		ShippingAddress:    (*customer.Address)(in.ShippingAddress),
		TaxID:              ReadTaxID(in.TaxID),
		AccountingSync:     ReadAccountingSync(in.AccountingSyncConfiguration),
		Reporting:          (*customer.Reporting)(in.ReportingConfiguration),
		Payments:           ReadPaymentConfiguration(in.PaymentConfiguration),
		Tax:                ReadTaxConfiguration(in.TaxConfiguration),
		PaymentProvider:    (*string)(in.PaymentProvider),
		PaymentProviderID:  in.PaymentProviderID,
		AutoCollection:     in.AutoCollection,
		AutoIssuance:       in.AutoIssuance,
		EmailDelivery:      in.EmailDelivery,
		Language:           (*letterhead.Language)(in.Language),
		Hierarchy:          ReadHierarchy(in.Hierarchy),
		Metadata:           ReadMetadata(in.Metadata),
	}
}

// Customer returns a customer without its parent and children, which LoadCustomers adds.
func Customer(c customer.Customer) gen.Customer {
	exempt, automatic := taxToWire(c.Tax)
	return gen.Customer{
		ID:                 c.ID,
		ExternalCustomerID: c.ExternalCustomerID,
		Name:               c.Name,
		Email:              c.Email,
		AdditionalEmails:   c.AdditionalEmails,
		Timezone:           c.Timezone,
		Currency:           (*string)(c.Currency),
		Balance:            balanceToWire(c),
		CreatedAt:          Instant(c.CreatedAt),
		AutoCollection:     c.AutoCollection,
		AutoIssuance:       c.AutoIssuance,
		EmailDelivery:      c.EmailDelivery,
		Language:           (*gen.DocumentLanguage)(c.Language),
		BillingAddress:     addressToWire(c.BillingAddress),
		ShippingAddress:    addressToWire(c.ShippingAddress),
		PaymentProvider:    (*gen.PaymentProvider)(c.PaymentProvider),
		PaymentProviderID:  c.PaymentProviderID,
		TaxID:              taxIDToWire(c.TaxID),

		AccountingSyncConfiguration: accountingSyncToWire(c.AccountingSync),
		ReportingConfiguration:      (*gen.ReportingConfiguration)(c.Reporting),
		PaymentConfiguration:        paymentsToWire(c.Payments),
		ExemptFromAutomatedTax:      exempt,
		AutomaticTaxEnabled:         automatic,

		Hierarchy: gen.CustomerHierarchy{Children: []gen.CustomerMinified{}},
		Metadata:  Metadata(c.Metadata),
	}
}

// balanceToWire formats the balance in the customer's currency. A customer without currency has the
// balance 0.00.
func balanceToWire(c customer.Customer) gen.Decimal {
	if c.Currency == nil {
		return c.Balance.StringFixed(2)
	}
	return c.Currency.Format(c.Balance)
}

func customerRefToWire(c customer.Customer) gen.CustomerMinified {
	return gen.CustomerMinified{ID: c.ID, ExternalCustomerID: c.ExternalCustomerID}
}

func addressToWire(address *customer.Address) *gen.Address { return (*gen.Address)(address) }

// ReadTaxID reads the tax ID of a customer. Nil stays nil.
func ReadTaxID(in *gen.CustomerTaxID) *customer.TaxID {
	if in == nil {
		return nil
	}
	return &customer.TaxID{Country: string(in.Country), Type: string(in.Type), Value: in.Value}
}

func taxIDToWire(tax *customer.TaxID) *gen.CustomerTaxID {
	if tax == nil {
		return nil
	}
	return &gen.CustomerTaxID{Country: gen.TaxCountry(tax.Country), Type: gen.TaxIDType(tax.Type), Value: tax.Value}
}
