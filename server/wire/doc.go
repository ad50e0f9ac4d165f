// Package wire turns records of the domain into the types of the contract, and bodies of
// requests into inputs of the domain. It knows gen and the domain, not who serves them.
//
//   - ReadX makes the input of the domain from the body or the query of a request. It may fail,
//     with the field's path.
//   - X returns the record as the type X of the contract. It neither fails nor reads.
//   - LoadX does so too, but first reads what the response refers to, in the caller's
//     transaction.
//
// Files have the name of what they map, in the plural, as those of package server do.
//
// Amounts and rates are decimal strings, quantities are numbers; both are exact.
package wire
