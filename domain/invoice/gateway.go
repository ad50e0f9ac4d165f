package invoice

import (
	"strings"

	"tollkeeper/domain/account"
	"tollkeeper/domain/money"
)

// Gateway charges customers. It decides at once, from what it is given, inside the
// transaction that records the outcome; nothing is sent anywhere.
type Gateway interface {
	// Collects reports whether invoices are charged through it. Otherwise they wait
	// until they are marked paid.
	Collects() bool

	// Charge makes a payment.
	Charge(Charge) Receipt
}

// Charge is a payment that is asked for.
type Charge struct {
	Amount   money.Decimal // above 0
	Currency money.Currency
	Method   string // how the customer pays: a token of the request, else their id at the payment provider; may be ""
}

// Receipt is what became of it.
type Receipt struct {
	Succeeded  bool
	Provider   *string // nil: none but us
	ProviderID *string // of the payment there
}

// gatewayOf is the gateway that an account has chosen.
func gatewayOf(settings account.Account) Gateway {
	if settings.PaymentGateway == account.GatewayTest {
		return testGateway{}
	}
	return manualGateway{}
}

// manualGateway is for payments that happen elsewhere, such as by bank transfer.
type manualGateway struct{}

func (manualGateway) Collects() bool        { return false }
func (manualGateway) Charge(Charge) Receipt { return Receipt{} }

// testGateway pretends to be paid, unless the method says that it declines.
type testGateway struct{}

// declining begins the methods that the test gateway declines.
const declining = "decline"

func (testGateway) Collects() bool { return true }

func (testGateway) Charge(c Charge) Receipt {
	return Receipt{Succeeded: !strings.HasPrefix(c.Method, declining)}
}
