package wire

import (
	"tollkeeper/domain/subscription"
	"tollkeeper/gen"
	"tollkeeper/store/fault"
)

// ReadQuantityChange reads a change of the quantity of a fixed fee.
func ReadQuantityChange(body gen.FixedFeeQuantityUpdate) (in subscription.NewQuantity, err error) {
	in.PriceID = body.PriceID
	var quantityErr, dateErr error
	in.Quantity, quantityErr = numberFromWire("quantity", body.Quantity)
	in.Date, dateErr = ReadOptionalDate("effective_date", body.EffectiveDate)
	if body.ChangeOption != nil {
		in.Option = subscription.QuantityOption(*body.ChangeOption)
	}
	return in, fault.Join(quantityErr, dateErr)
}
