// Package user knows the people who use the console, what they may do in which account, and how
// they sign in.
//
// # Choices
//
// A person belongs to no account. A [Membership] gives them a role in one, and a role is a set of
// the scopes that API keys have ([Role.Rights]). So a request of a person and one of a key are
// decided by the same rights.
//
// Tokens. Sessions, invitations, password resets and the set-up have tokens of 32 random bytes.
// Only the SHA-256 is stored, so a reader of the database opens nothing. Passwords can be guessed,
// so they are stored as argon2id. Half of the processors compute them, and a few wait (semantics 14.8.2):
// requests of accounts go on while strangers try passwords.
//
// Secrets of second factors are stored as they are. The server has to compute with them, and has
// no key that is not beside its database.
//
// Real time. Sessions and links end by the database's own clock, also in accounts whose clock is
// set by hand (semantics 0.2.7).
//
// Sign-in does not tell whether an address is known. An unknown address takes the same statements
// and the same computation as a wrong password, and has the same counts of failures. The counts
// are in the database, so several servers share them. Waits are answered, never slept.
//
// Strangers lock out no person (semantics 14.8.3). A bound on the attempts for a person from anywhere
// would let them, so there is none for passwords: guesses are bounded by network, by the processors
// that hash, and by passwords that are not among the first ones. Codes of a second factor are few, and
// who guesses them knows the password, so they have such a bound.
//
// Row-level security. A transaction is that of a person (the setting tollkeeper.person) or of an
// account. It sees its person with all that belongs to them, or the members of its account. What
// comes before either is known is a function of the database (functions/people.sql).
//
// The audit log. What changes a membership is in the log of its account. What a person changes of
// themselves, such as the password, is in the log of each account that they belong to.
package user
