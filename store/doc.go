// Package store reaches the database: connections, transactions, migrations and
// pages. It knows no table of ours; each domain package owns its own.
//
// # Choices
//
// Tenants. Every transaction is that of one account, named in the context. A
// statement on a record gets the account's condition from here (scope.go), and
// PostgreSQL's row-level security checks it a second time: the connections
// work as a role that owns nothing and is no superuser. Their login may own nothing
// either (login.go); what an operator does needs the owner's.
//
// Time. A transaction reads its account's clock once, when it begins
// ([Tx.Now]). Nothing else asks what time it is.
//
// Isolation. Update is READ COMMITTED: row locks and constraints carry the
// rules. View is REPEATABLE READ and read-only, so one answer shows one state.
//
// Schema. Migrations are permanent: forward only, expand before contract. Functions of the
// database are not migrations; they are applied again when their text changes. The rules are
// in migrations/README.md.
package store
