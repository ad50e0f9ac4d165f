package catalog

// PlanPrice is a price of a request, and its place there.
type PlanPrice struct {
	Price           NewPrice
	Given           *Price  // instead of Price: one that exists, or what Price.Copy returned
	ReferenceID     *string // names the price inside the request
	PhaseOrder      *int
	ReplacesPriceID string // of a replacement, which keeps the phase of what it replaces
}

// PlanAdjustment is an adjustment of a request, and its place there.
type PlanAdjustment struct {
	Adjustment           NewAdjustment
	PhaseOrder           *int
	ReplacesAdjustmentID string // of a replacement, which keeps the phase of what it replaces
}

// Removal names a price or an adjustment that is to go.
type Removal struct {
	ID         string
	PhaseOrder *int // nil, or the phase it is in
}

// Difference is how a request describes prices and adjustments by what it changes
// about those of a version.
type Difference struct {
	AddPrices          []PlanPrice
	RemovePrices       []Removal
	ReplacePrices      []PlanPrice
	AddAdjustments     []PlanAdjustment
	RemoveAdjustments  []Removal
	ReplaceAdjustments []PlanAdjustment
}
