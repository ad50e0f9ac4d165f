// Package hosted serves the pages for customers: an invoice at /i/{token}, with its documents, and
// the portal at /portal/{token}. Who has the address sees the page: there is no login. A token names
// one invoice or one customer, and every read is limited to it.
//
// Pages run no script, load nothing from elsewhere, are in the language of the customer, and are
// kept by no cache and no search engine. Tokens are in no log: requests are logged by the pattern of
// their path.
//
// A request goes this way:
//
//	Mount     the routes; secured sets headers and counts requests, answered turns failures into pages
//	invoice   invoice.OpenPage says whether the link works, document.OfView what is shown, *.templ how
//	portal    portal.Open says whose portal it is; portal.ReadOverview and others what is shown
//	change    a form of a session: recorded in the audit log as that of the customer
//
// What is shown and who may change what is decided in domain/document and domain/portal. The rules are chapter 20 of
// domain/rules.
package hosted
