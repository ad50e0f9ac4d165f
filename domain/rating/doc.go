// Package rating turns usage into charges. It is pure: no clock, no database, and no
// error once a configuration has been accepted. Charges are not rounded.
//
// A price model is one file: a type that holds the configuration, a function that
// reads it, and the formula. The registry in model.go lists them all. To add one,
// write its file, its golden table, and its line in the registry.
//
//	config JSON ── Decode ──► Model ── Rate(Usage) ──► Charge: subtotal and parts
//
// What an invoice makes of the charges, once the caller has rounded them, is here
// too: Adjust takes discounts off its lines and adds minimums, and rounds each step;
// Conversion turns what is left of a custom unit into money.
//
// # Exactness
//
// Amounts are exact. Days of a period and shares of a quantity are divisions, which
// come last in a formula. Their results are cut at the 20th digit, where a division
// that does not end has to stop anyway; cutting, unlike rounding, never changes what
// rounding to cents gives afterwards. Parts are cut so that they still sum to the
// subtotal to the last digit. Packages are counted by a quotient that is rounded up.
//
// # Choices
//
// The configuration that a client sent is kept by the caller and shown as it was.
// A Model holds numbers, and the text of an amount only where a part shows it.
//
// The line's quantity of a model that rates one number is that number as measured,
// also below zero, where all but linear models charge nothing.
//
// A matrix part whose value is missing is named "none": an invoice line called
// "eu / " looks broken, and null is no word for a customer.
//
// A part of a group whose value is missing is named "none" as well. Where a minimum
// or maximum took the place of a rate, the part has no rate, so that its rate times its
// quantity (scaled, or in packages) is the amount wherever there is a rate.
//
// Matrices that scale quantities or leave units free show the scaled quantity of every
// part, also where nothing changed it. Shares of an allocation, or of an amount over
// cells, are cut like those of proration.
//
// Coordinates of cells in groups with threshold discounts are taken without the blanks
// around them. In one dimension a comma belongs to the value; a cell whose value is
// missing cannot be named.
//
// Groups that a model shows at 0 for want of a rate are in the line's quantity, so
// that parts and line agree. Events that event_output ignores have no part and are
// not; nor are the groups that max_group_tiered_package passes over.
//
// The credit of metered_allowance has quantity 0, as the units it pays for are those
// of the row above it.
//
// A rate that an event carries is read as JSON numbers and decimal strings are; a
// plus sign, blanks or a bare point make it no number. Parts are named by their group,
// and by their rate where there are no groups.
//
// All tiers of packages begin with a package, those of max_group_tiered_package too:
// their rates are for packages.
//
// Tiers that are bounded by last_unit or maximum_units may come in any order, like
// those with a lower bound, and each must hold something: bounds strictly increase
// from above 0.
//
// # Choices about adjustments
//
// An adjustment that matches lines of several currencies works on those in the
// currency of the first, as amounts of two currencies cannot be added. It is listed
// on every line it worked on, also where it changed nothing: a minimum that was
// reached is worth showing.
//
// Lines that follow each other in one billing period, as when a price changes, share
// the adjustment of that period: the days of both count, those of an overlap once.
//
// Lines below 0 count in the sum that minimums and maximums look at and in the spend
// of a tiered discount; a percentage takes the same part off them. Where a minimum
// meets no line above 0, all lines share it evenly.
//
// A usage discount takes no units off a quantity that is below 0, and makes a bulk
// price dearer where the units that are left are: that is what they cost. Of groups
// and cells all lose units in proportion, also those that the model does not charge.
//
// The tiers of a discount may begin above 0 and end; spend outside them is paid in
// full. A filter without values is refused, as one that was meant to have some.
//
// An amount below 0 of a custom unit converts to what the same amount above 0 would
// cost, given back.
//
// Prices of other prices measure nothing: the quantity of their line is 1, and 0 where
// they charge nothing.
//
// A tier that charges something before proration has charged something: whether a
// minimum is owed does not hang on days.
package rating
