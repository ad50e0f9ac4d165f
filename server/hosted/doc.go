// Package hosted serves the pages for customers: an invoice at /i/{token}, with its documents, and
// the portal at /portal/{token}. Who has the address sees the page: there is no login. A token names
// one invoice or one customer, and every read is limited to it.
//
// Pages run no script, load nothing from elsewhere, are in the language of the customer, and are
// kept by no cache and no search engine. Tokens are in no log: requests are logged by the pattern of
// their path.
package hosted
