package rating

import "tollkeeper/domain/money"

// raise adds what the charge lacks of a minimum, as a part that belongs to no usage
// (price models 1.6).
func (c *Charge) raise(minimum money.Decimal) {
	if lack := above(minimum, c.Subtotal); lack.Sign() > 0 {
		c.add(Part{Kind: PartOther, Name: "Minimum", Amount: lack})
	}
}
