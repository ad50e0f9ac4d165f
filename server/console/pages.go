package console

import (
	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"
)

// mountPages serves the pages of an account, for people who are signed in. They read and change
// through the API and have no rule of billing of their own.
func (c *Console) mountPages(g *echo.Group) {
	p := newPages(c.Config)
	for path, page := range map[string]func(*visit) (templ.Component, error){
		"":                             homePage,
		"/search":                      searchPage,
		"/customers":                   customersPage,
		"/customers/:id":               customerPage,
		"/customers/:id/subscriptions": customerSubscriptionsPage,
		"/customers/:id/invoices":      customerInvoicesPage,
		"/customers/:id/credits":       customerCreditsPage,
		"/customers/:id/alerts":        customerAlertsPage,
		"/subscriptions":               subscriptionsPage,
		"/subscriptions/:id":           subscriptionPage,
		"/subscriptions/:id/change":    planChangePage,
		"/invoices":                    invoicesPage,
		"/invoices/:id":                invoicePage,
		"/invoices/:id/credit":         creditPage,
		"/credit-notes":                creditNotesPage,
		"/credit-notes/:id":            creditNotePage,
		"/credits":                     creditsPage,
		"/plans":                       plansPage,
		"/plans/:id":                   planPage,
		"/plans/:id/simulate":          simulationPage,
		"/prices":                      pricesPage,
		"/prices/:id":                  pricePage,
		"/metrics":                     metricsPage,
		"/metrics/new":                 newMetricPage,
		"/metrics/:id":                 metricPage,
		"/coupons":                     couponsPage,
		"/coupons/:id":                 couponPage,
		"/events":                      eventsPage,
		"/backfills":                   backfillsPage,
		"/backfills/:id":               backfillPage,
		"/alerts":                      alertsPage,
		"/alerts/:id":                  alertPage,
		"/keys":                        keysPage,
		"/webhooks":                    webhooksPage,
		"/webhooks/:id":                webhookPage,
		"/deliveries/:id":              deliveryPage,
		"/requests":                    requestsPage,
		"/clock":                       clockPage,
		"/work":                        workPage,
		"/settings":                    settingsPage,
		"/settings/:setting":           settingPage,
		"/settings/team":               teamPage,
		"/settings/letterhead":         letterheadPage,
		"/audit":                       auditPage,
		"/exports":                     exportsPage,
		"/mails":                       mailsPage,
		"/mails/:id":                   mailPage,
		"/mail-templates":              templatesPage,
		"/mail-templates/:kind":        templatePage,
		"/do":                          formsPage,
		"/do/:operation":               formPage,
	} {
		g.GET(path, p.serve(page))
	}
	g.POST("/do/:operation", p.serve(submitForm))
	g.POST("/invoices/:id/credit", p.serve(submitCredit))
	g.POST("/subscriptions/:id/change", p.serve(submitPlanChange))
	g.POST("/metrics/new", p.serve(submitMetric))
	g.POST("/settings/:setting", p.serve(submitSetting))
	g.POST("/settings/team", p.serve(invite))
	g.POST("/settings/team/invitations/:id", p.serve(withdrawInvitation))
	g.POST("/settings/team/members/:id", p.serve(changeMember))
	g.POST("/settings/letterhead", p.serve(saveLetterhead))
	g.GET("/settings/letterhead/sample.pdf", p.sampleInvoice)
	g.POST("/clock", p.serve(advanceClock))
	g.POST("/work/:id", p.serve(retryWork))
	g.GET("/exports/file", p.download)
	g.GET("/mails/:id/html", p.rawMail(mailHTML))
	g.POST("/mails/:id", p.serve(resendMail))
	g.POST("/customers/:id/portal-link", p.serve(mailPortalLink))
	g.GET("/mail-templates/:kind/html", p.rawMail(exampleHTML))
	g.POST("/mail-templates/:kind", p.serve(saveTemplate))
	g.GET("/*", p.serve(unknownPage))
}
