// Package account knows the tenants, their settings and their API keys.
//
// # Choices
//
// Keys. A key is 32 random bytes; only its SHA-256 is stored, so a key that is
// lost can be replaced but not shown again. A plain digest is enough for what
// cannot be guessed, and a slow one would cost every request.
//
// Real time. Keys expire by the database's own clock, also those of an account
// whose clock is set by hand (semantics 0.2.7).
//
// A good key is remembered for a second, so that ingestion does not ask the
// database about it for each request. A revoked key may therefore work a second
// longer; a new one works at once, for a refusal is never remembered.
//
// Row-level security. A server sees the account of its transaction and the keys of that
// account. Before the account is known, a function of the database finds the key
// (find_api_key); another lists the ids of accounts for background work. What an operator does
// at the command line to any account is done as the owner of the database ([store.Store.AsOwner]).
//
// Invoice number prefixes of accounts are random letters. Two accounts may have
// the same, since no document shows both.
package account
