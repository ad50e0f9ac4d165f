// Package form makes forms of the contract, and JSON of the contract of what people write into them. It is pure: it knows no
// request and no page.
//
//   - [Build] makes the fields of a schema, with the values that a form was sent with. Rows of lists have the numbers that
//     [NumberRows] gives them; a form with more than it may have is a [Refusal].
//   - [Fill] gives a form the values of what is there, as the API shows it.
//   - [Field.Encode] writes what the fields have as JSON, and [Changed] leaves of an update what differs.
package form
