package main

import (
	"context"
	"strings"

	"tollkeeper/store"
)

// examineLogin tells what a statement could do that is slipped into a connection of the server.
func examineLogin(ctx context.Context, db database, findings []finding) (store.Login, []finding) {
	const subject = "login"
	login, err := store.ReadLogin(ctx, db.url)
	switch {
	case err != nil:
		return login, append(findings, wrong(subject, "%v", err))
	case db.owner != db.url && login.Owner, !login.Owner && len(login.Excess) > 0:
		rights := login.Excess
		if login.Owner {
			rights = append([]string{"has the rights of the owner of the database"}, rights...)
		}
		return login, append(findings, wrong(subject, "%s %s, which the login of a server must not: "+
			"give TOLLKEEPER_DATABASE_URL one of its own, as tollkeeper migrate --print-roles tells", login.Name, strings.Join(rights, ", ")))
	case login.Owner:
		return login, append(findings, good(subject, "%s owns the database, so a statement that is slipped into a connection of the server can RESET ROLE and do everything; "+
			"to keep them apart, set TOLLKEEPER_MIGRATE_URL to this login and TOLLKEEPER_DATABASE_URL to one that owns nothing", login.Name))
	}
	return login, append(findings, good(subject, "%s owns nothing; RESET ROLE gains nothing", login.Name))
}

// examineRoles tells whether the roles are complete.
func examineRoles(ctx context.Context, db database) finding {
	missing, err := store.MissingRoles(ctx, db.owner, db.url)
	switch {
	case err != nil:
		return wrong("roles", "%v", err)
	case len(missing) > 0:
		return wrong("roles", "missing; `tollkeeper migrate` makes them, or prints how with --print-roles")
	}
	return good("roles", "complete")
}
