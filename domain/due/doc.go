// Package due keeps what is known of units of due work that failed.
//
// A unit of due work is found by a search of its domain package and done in a transaction of its own. One
// that fails is parked: a row says what it concerns, how often it failed, and when it is tried again. Until
// then the searches leave out the units that depend on it. These are the units of its [Lane] for the same
// subscription, for its customer, or for the whole account where it concerns neither. So what is billed to
// one subscription or customer stays in the order of time, and all other units of the account go on.
//
// When the time of the next try has come the row holds up nothing any more, and the searches find the
// same unit again, since it is the first of its subject. It fails once more, which is one attempt more, or
// succeeds. The row is deleted when nothing of it is due any more.
//
// The rows are in the database, so they hold for all servers and after a restart. Times of attempts are
// real time, also for accounts whose clock is stopped.
package due
