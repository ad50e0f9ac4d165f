// Package portal owns the portal, in which customers see their account: who may open it, what it shows,
// and what a customer changes there (semantics 20.1). Every read is for one customer. It writes no words:
// the pages are in server/hosted.
//
// A portal is opened by an address. That of a session ends, and a customer changes things in it; a
// permanent one only shows.
//
//	server/portal_sessions.go, server/mails   Create        an address for a customer
//	server/hosted                             Open          whose portal a token opens
//	server/hosted                             ReadOverview  what the pages show, with Costs, Ledgers and Invoices
//	server/hosted                             EditDetails, AddAlert, RemoveAlert, End
package portal
