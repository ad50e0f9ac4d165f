package console

import (
	"context"
	"log/slog"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"tollkeeper/domain/account"
	"tollkeeper/domain/audit"
	"tollkeeper/domain/paper"
	"tollkeeper/domain/user"
	"tollkeeper/server/download"
	"tollkeeper/store"
	"tollkeeper/store/tempfile"
)

// pages are those of an account. What they show and change goes through the API.
type pages struct {
	store      *store.Store
	log        *slog.Logger
	api        API
	operations map[string]operation // of the contract, by id
	fonts      paper.Fonts
	temp       *tempfile.Place
	downloads  *store.Shares // of the files that are made at one time
	limits     download.Limits
}

func newPages(cfg Config) *pages {
	return &pages{
		store: cfg.Store, log: cfg.Log, api: cfg.API, operations: readOperations(cfg.Document), fonts: cfg.Fonts, temp: cfg.Temp,
		downloads: store.NewShares(cfg.Downloads.AtOnce), limits: cfg.Downloads,
	}
}

// visit is a request for a page: who asks, in which account, and at what time of its clock.
type visit struct {
	pages   *pages
	echo    echo.Context
	ctx     context.Context // of the account
	session user.Session
	account account.Account
	login   account.Login
	actor   audit.Actor
	now     time.Time // by the account's clock
}

// visit begins a visit of the account that the session is in.
func (p *pages) visit(c echo.Context) (*visit, error) {
	session := FromContext(c.Request().Context())
	v := &visit{pages: p, echo: c, session: session, ctx: store.WithAccount(c.Request().Context(), session.AccountID)}
	err := p.store.View(v.ctx, func(tx *store.Tx) (err error) {
		v.now = tx.Now
		v.account, err = account.Of(tx)
		return err
	})
	var scopes []string
	for _, scope := range session.Rights() {
		scopes = append(scopes, string(scope))
	}
	v.login = account.Login{Account: v.account, Key: account.Key{Record: store.Record{ID: session.ID}, Name: session.Person.Name, ScopeList: strings.Join(scopes, " ")}}
	v.actor = audit.Actor{Type: audit.Person, ID: session.Person.ID, Name: session.Person.Name}
	return v, err
}

// may reports whether the person has the right to an operation. The API checks it again.
func (v *visit) may(operation string) bool {
	op, ok := v.pages.operations[operation]
	return ok && (!op.NeedsRight || v.login.Key.May(op.Right))
}

// param returns a parameter of the path.
func (v *visit) param(name string) string {
	value, err := url.PathUnescape(v.echo.Param(name))
	if err != nil {
		return v.echo.Param(name)
	}
	return value
}

// ask returns a parameter of the query.
func (v *visit) query(name string) string { return v.echo.QueryParam(name) }

// zone is that of the account.
func (v *visit) zone() *time.Location {
	if zone, err := time.LoadLocation(v.account.Timezone); err == nil {
		return zone
	}
	return time.UTC
}

// filters returns those parameters of the query that are given, to be sent to the API as they
// are, and the size of a page.
func (v *visit) filters(names ...string) url.Values {
	query := url.Values{"limit": {pageSize}}
	for _, name := range append(names, "cursor") {
		for _, value := range v.echo.QueryParams()[name] {
			if value != "" {
				query.Add(name, value)
			}
		}
	}
	return query
}

// filtered reports whether the query narrows the list.
func (v *visit) filtered() bool {
	return slices.ContainsFunc(slices.Collect(keysOf(v.echo.QueryParams())), func(name string) bool { return name != "cursor" && name != "done" })
}

// keysOf yields the names of parameters that have a value.
func keysOf(query url.Values) func(func(string) bool) {
	return func(yield func(string) bool) {
		for name := range query {
			if query.Get(name) != "" && !yield(name) {
				return
			}
		}
	}
}

// here returns the address of this page with one parameter of the query changed; "" removes it.
func (v *visit) here(name, value string) string {
	query := url.Values{}
	for k, values := range v.echo.QueryParams() {
		if k != "done" && k != "cursor" {
			query[k] = values
		}
	}
	query.Del(name)
	if value != "" {
		query.Set(name, value)
	}
	if len(query) == 0 {
		return v.echo.Request().URL.Path
	}
	return v.echo.Request().URL.Path + "?" + query.Encode()
}

// rowsOfPage is how many rows a list shows.
const rowsOfPage = 25

// pageSize is the same for the API.
var pageSize = strconv.Itoa(rowsOfPage)

// page is the page of a list that the address asks for, of what is read from the domain.
func (v *visit) page() store.Page { return store.Page{Limit: rowsOfPage, Cursor: v.query("cursor")} }

// requestID identifies the request in the log.
func (v *visit) requestID() string { return requestID(v.echo) }

// recorded returns the context of a change that no operation of the contract makes, for the
// audit log.
func (v *visit) recorded(action string) context.Context {
	id := v.requestID()
	return audit.Begin(v.ctx, v.actor, action, &id)
}
