// Package money holds exact decimals and the currencies they are counted in.
//
// Nothing else in the program may import the decimal library underneath: used
// carelessly it rounds to sixteen digits, prints exponents and shares storage
// between copies. Here its results are immutable, carry 100 significant digits
// and have one spelling each.
//
// # Choices
//
// Precision. A wire decimal has up to 50 digits and the number of an event up to
// 38, so a sum of events, and a quantity times a rate, fit into 100 digits
// without loss. Only [Decimal.Quo] and products of three factors can lose
// anything. Multiply first and divide last.
//
// Speed. Numbers that fit into a machine word with up to 18 places are counted with
// as integers, results and texts alike to those of the library; it does the rest.
//
// JSON. A Decimal marshals as a string ("0.10" comes back as "0.1"). Where the
// wire has a JSON number, json.Number(d.String()) is one: the text of a Decimal
// never has an exponent.
//
// Zero has one form: no sign and no places, so "-0" and "0.00" both read as 0.
//
// Custom pricing units have no minor unit. They are never rounded, and shown and
// split to 20 places, as price models 1.5.4 says.
//
// Currencies are those ISO 4217 lists today. Withdrawn codes, precious metals
// and test codes are no currency in which an invoice can be paid.
package money
