package rating

// Days is the part of its billing period that a line is for, in days counted from
// the start of that period. The zero value is all of it.
type Days struct{ From, To, Of int } // To is exclusive
