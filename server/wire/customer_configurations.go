package wire

import (
	"tollkeeper/domain/customer"
	"tollkeeper/gen"
)

// ReadAccountingSync reads the accounting providers of a customer. Nil stays nil.
func ReadAccountingSync(in *gen.NewAccountingSyncConfiguration) *customer.AccountingSync {
	if in == nil {
		return nil
	}
	return &customer.AccountingSync{
		Excluded: in.Excluded != nil && *in.Excluded,
		Providers: MapSlice(in.AccountingProviders, func(p gen.NewAccountingProvider) customer.AccountingProvider {
			return customer.AccountingProvider{Type: string(p.ProviderType), ExternalID: p.ExternalProviderID}
		}),
	}
}

func accountingSyncToWire(sync *customer.AccountingSync) *gen.AccountingSyncConfiguration {
	if sync == nil {
		return nil
	}
	return &gen.AccountingSyncConfiguration{
		Excluded: sync.Excluded,
		AccountingProviders: MapSlice(sync.Providers, func(p customer.AccountingProvider) gen.AccountingProvider {
			return gen.AccountingProvider{ProviderType: gen.AccountingProviderType(p.Type), ExternalProviderID: &p.ExternalID}
		}),
	}
}

// ReadPaymentConfiguration reads the payment providers of a customer. Nil stays nil.
func ReadPaymentConfiguration(in *gen.NewPaymentConfiguration) *customer.Payments {
	if in == nil {
		return nil
	}
	return &customer.Payments{Providers: MapSlice(in.PaymentProviders, func(p gen.NewPaymentProviderConfiguration) customer.PaymentProvider {
		return customer.PaymentProvider{
			Type: string(p.ProviderType), SharedToken: p.DefaultSharedPaymentToken, ExcludedMethods: append([]string{}, p.ExcludedPaymentMethodTypes...),
		}
	})}
}

func paymentsToWire(payments *customer.Payments) *gen.PaymentConfiguration {
	if payments == nil {
		return nil
	}
	return &gen.PaymentConfiguration{PaymentProviders: MapSlice(payments.Providers, func(p customer.PaymentProvider) gen.PaymentProviderConfiguration {
		return gen.PaymentProviderConfiguration{
			ProviderType: gen.PaymentProviderType(p.Type), DefaultSharedPaymentToken: p.SharedToken, ExcludedPaymentMethodTypes: p.ExcludedMethods,
		}
	})}
}

// ReadTaxConfiguration reads the tax provider of a customer. Nil stays nil.
func ReadTaxConfiguration(in *gen.NewTaxConfiguration) *customer.Tax {
	if in == nil {
		return nil
	}
	return &customer.Tax{
		Provider: string(in.TaxProvider), Exempt: in.TaxExempt, Automatic: in.AutomaticTaxEnabled, ExemptionCode: in.TaxExemptionCode,
	}
}

// taxToWire returns whether the customer is exempt at its tax provider, and whether the provider
// calculates its taxes.
func taxToWire(tax *customer.Tax) (exempt, automatic *bool) {
	if tax == nil {
		return nil, nil
	}
	return &tax.Exempt, tax.Automatic
}
