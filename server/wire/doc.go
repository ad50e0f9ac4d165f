// Package wire turns records of the domain into the types of the contract, and bodies of
// requests into inputs of the domain. It knows gen and the domain, not who serves them.
//
// A function that writes has the name of what it shows: Invoices, Price, Instant. A function
// that reads is called New with the noun of the input that it makes, or Read. It may fail,
// with the field's path. Loaders such as LoadPlan also read the records that the answer
// names, in the transaction of the caller.
//
// Amounts and rates are decimal strings, quantities are numbers; both are exact.
package wire
