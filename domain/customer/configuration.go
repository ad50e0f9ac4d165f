package customer

import "tollkeeper/store/fault"

// AccountingSync links a customer to the books of other systems.
type AccountingSync struct {
	Excluded  bool                 `json:"excluded"`
	Providers []AccountingProvider `json:"providers"`
}

// AccountingProvider is a system with books.
type AccountingProvider struct {
	Type       string `json:"type"`        // quickbooks or netsuite
	ExternalID string `json:"external_id"` // the customer's id there
}

// Reporting is how reports treat a customer.
type Reporting struct {
	Exempt bool `json:"exempt"`
}

// Payments is how payment providers treat a customer.
type Payments struct {
	Providers []PaymentProvider `json:"providers"`
}

// PaymentProvider is one of them.
type PaymentProvider struct {
	Type            string   `json:"type"` // stripe
	SharedToken     *string  `json:"shared_token,omitempty"`
	ExcludedMethods []string `json:"excluded_methods"`
}

// Tax is how a tax provider treats a customer.
type Tax struct {
	Provider      string  `json:"provider"` // such as avalara
	Exempt        bool    `json:"exempt"`
	Automatic     *bool   `json:"automatic,omitempty"`
	ExemptionCode *string `json:"exemption_code,omitempty"` // avalara's only
}

func (t *Tax) check() error {
	if t != nil && t.ExemptionCode != nil && t.Provider != "avalara" {
		return fault.Bad("tax_configuration.tax_exemption_code", "can be given for the provider avalara only")
	}
	return nil
}
