package console

import (
	"net/http"
	"slices"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"tollkeeper/domain/account"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/letterhead"
	"tollkeeper/domain/mail"
	"tollkeeper/server/console/form"
	"tollkeeper/server/mails"
	"tollkeeper/server/page"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Who reads invoices reads their mails, and who may change them sends again.
var (
	mayReadMails = account.Right{Resource: "invoices", Access: account.AccessRead}
	maySendMails = account.Right{Resource: "invoices", Access: account.AccessWrite}
)

// mailsPage lists the mails of the account, the newest first.
func mailsPage(v *visit) (templ.Component, error) {
	if !v.login.Key.May(mayReadMails) {
		return nil, &failure{Status: http.StatusForbidden}
	}
	var found []mail.Mail
	var next string
	err := v.pages.store.View(v.ctx, func(tx *store.Tx) (err error) {
		found, next, err = mail.List(tx, mail.Filter{Status: mail.Status(v.query("status")), Kind: mail.Kind(v.query("kind"))}, v.page())
		return err
	})
	if err != nil {
		return nil, refusal(err)
	}
	t := table{Label: "Mails", Links: true, Columns: []column{{"Subject", ""}, {"To", "mid"}, {"Status", ""}, {"Created", "wide"}}}
	for _, m := range found {
		t.Rows = append(t.Rows, []templ.Component{rowLink(link("mails", m.ID), m.Subject, form.Words(string(m.Kind))), text(m.Recipient), stateBadge(string(m.Status)), timeOrNone(&m.CreatedAt)})
	}
	lead := "What customers were told of invoices, and your people of alerts."
	if !mail.Sends(v.account) {
		lead = "The account sends no mail: tollkeeper account set names its sender, as mail_from."
	}
	var actions []action
	if v.session.Role.ManagesAccount() {
		actions = []action{{Address: link("mail-templates"), Name: "Templates"}}
	}
	return listPage(v, listing{
		Head:    head{Title: "Mails", Lead: lead, Actions: actions},
		Filters: v.choices("status", "All", "pending", "sent", "failed", "uncertain", "held"),
		Table:   t,
		Pager:   v.pager("mails", len(found), &next),
		Narrow:  v.filtered(), All: link("mails"),
		Empty: empty{Icon: "file", Title: "No mails yet", Text: "Mails are queued as invoices are issued and paid, credit notes made, and alerts fire."},
	}), nil
}

// mail returns the mail of the address.
func (v *visit) mail() (m mail.Mail, err error) {
	if !v.login.Key.May(mayReadMails) {
		return m, &failure{Status: http.StatusForbidden}
	}
	err = v.pages.store.View(v.ctx, func(tx *store.Tx) (err error) {
		m, err = mail.Find(tx, v.param("id"))
		return err
	})
	return m, refusal(err)
}

// mailPage shows a mail, its attempts, and how to send it again.
func mailPage(v *visit) (templ.Component, error) {
	m, err := v.mail()
	if err != nil {
		return nil, err
	}
	attempts := table{Label: "Attempts", Columns: []column{{"When", ""}, {"Answer", ""}}}
	for _, a := range m.Attempts {
		answer := "taken"
		if a.Error != nil {
			answer = *a.Error
		}
		attempts.Rows = append(attempts.Rows, []templ.Component{timeOrNone(&a.At), text(answer)})
	}
	facts := []fact{{"To", text(m.Recipient)}, {"From", text(m.Sender)}, {"Created", timeOrNone(&m.CreatedAt)}, {"Next attempt", timeOrNone(m.NextAttemptAt)}}
	if m.CustomerID != nil {
		names, err := v.customers([]string{*m.CustomerID})
		if err != nil {
			return nil, err
		}
		facts = append(facts, fact{"Customer", names.link(*m.CustomerID)})
	}
	if m.InvoiceID != nil {
		facts = append(facts, fact{"Invoice", anchor(link("invoices", *m.InvoiceID), "Show the invoice")})
	}
	if v.login.Key.May(maySendMails) {
		facts = append(facts, fact{"Send again", postButton(v, link("mails", m.ID), "Send again")})
	}
	return recordPage(v, record{
		Head: head{
			Crumbs: []crumb{{link("mails"), "Mails"}}, Title: m.Subject, Badge: stateBadge(string(m.Status)), Meta: []templ.Component{text(form.Words(string(m.Kind))), copyable(m.ID)},
			Lead: mailMeaning(m.Status), Actions: []action{{Address: link("mails", m.ID, "html"), Name: "Show as sent"}},
		},
		Title: "Mail", Facts: facts, Code: []code{{"Text", m.TextBody}}, Tables: []titled{{"Attempts", attempts}},
	}), nil
}

// mailMeaning explains a status that asks for a decision.
func mailMeaning(s mail.Status) string {
	switch s {
	case mail.StatusUncertain:
		return "The attempt was cut off where the mail server may have taken the mail. It is not sent again by itself, so that no one gets it twice."
	case mail.StatusHeld:
		return "A test account sends no mail unless an operator sets mail_in_test."
	}
	return ""
}

// resendMail has a mail sent once more.
func resendMail(v *visit) (templ.Component, error) {
	if !v.login.Key.May(maySendMails) {
		return nil, &failure{Status: http.StatusForbidden}
	}
	err := v.pages.store.Update(v.recorded("resendMail"), func(tx *store.Tx) error { return mail.Resend(tx, v.param("id")) })
	if err != nil {
		return nil, refusal(err)
	}
	return leadTo(link("mails", v.param("id"))), nil
}

// mayOpenPortals is who may open sessions of the portal, and so mail links to it.
var mayOpenPortals = account.Right{Resource: "customers", Access: account.AccessWrite}

// mailPortalLink mails a customer a link to the portal.
func mailPortalLink(v *visit) (templ.Component, error) {
	if !v.login.Key.May(mayOpenPortals) {
		return nil, &failure{Status: http.StatusForbidden}
	}
	err := v.pages.store.Update(v.recorded("mailPortalLink"), func(tx *store.Tx) error {
		buyer, err := customer.Find(tx, v.param("id"))
		if err != nil {
			return err
		}
		return mails.QueuePortalLink(tx, buyer)
	})
	if err != nil {
		return nil, refusal(err)
	}
	return leadTo(link("mails") + "?kind=" + string(mail.PortalLink)), nil
}

// mailPolicy lets nothing run or load in a mail that is shown.
const mailPolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

// rawMail answers with HTML as a mail program shows it.
func (p *pages) rawMail(read func(v *visit) (html string, err error)) echo.HandlerFunc {
	return func(c echo.Context) error {
		v, err := p.visit(c)
		if err != nil {
			return err
		}
		html, err := read(v)
		if status := statusOf(err); err != nil && (status == http.StatusForbidden || status == http.StatusNotFound) {
			return page.Write(c, http.StatusNotFound, missingPage(v))
		}
		if err != nil {
			return err
		}
		c.Response().Header().Set(echo.HeaderContentSecurityPolicy, mailPolicy)
		return c.HTML(http.StatusOK, html)
	}
}

func mailHTML(v *visit) (string, error) {
	m, err := v.mail()
	return m.HTMLBody, err
}

// templateView is a template with what a person entered.
type templateView struct {
	visit    *visit
	Template mail.Template
	Own      bool                // it is the account's
	Language letterhead.Language // of the customers whom it is for; "": all whose language has none
	Problem  string
	Subject  string // of the example
	Text     string
}

// template returns the template of the address. Who manages the account may see and change it.
func (v *visit) template() (t mail.Template, own bool, err error) {
	if !v.session.Role.ManagesAccount() {
		return t, false, &failure{Status: http.StatusForbidden}
	}
	kind := mail.Kind(v.param("kind"))
	if mail.Default(kind, v.mailWords()).Subject == "" || v.templateLanguage() != "" && (kind == mail.Alert || !slices.Contains(letterhead.Languages, v.templateLanguage())) {
		return t, false, &failure{Status: http.StatusNotFound}
	}
	err = v.pages.store.View(v.ctx, func(tx *store.Tx) (err error) {
		t, own, err = mail.TemplateFor(tx, kind, v.templateLanguage())
		return err
	})
	return t, own, err
}

// templateLanguage is that of the customers whom the template of the address is for; "": all whose language has none.
func (v *visit) templateLanguage() letterhead.Language {
	return letterhead.Language(v.query("language"))
}

// mailWords are those of the examples, in the language that the address names.
func (v *visit) mailWords() mail.Words { return mail.In(v.templateLanguage()) }

// address is that of the template, or of what is below it, for a language.
func (t templateView) address(language letterhead.Language, below ...string) string {
	at := link(append([]string{"mail-templates", string(t.Template.Kind)}, below...)...)
	if language != "" {
		at += "?language=" + string(language)
	}
	return at
}

// languageNames are the languages of mails in English.
var languageNames = map[letterhead.Language]string{
	"": "All other languages", letterhead.English: "English", letterhead.German: "German", letterhead.French: "French",
	letterhead.Spanish: "Spanish", letterhead.Portuguese: "Portuguese", letterhead.Japanese: "Japanese",
}

// languages are those for which there can be a template of the kind.
func (t templateView) languages() []letterhead.Language {
	if t.Template.Kind == mail.Alert {
		return nil
	}
	return append([]letterhead.Language{""}, letterhead.Languages...)
}

// templatesPage lists the kinds of mails.
func templatesPage(v *visit) (templ.Component, error) {
	if !v.session.Role.ManagesAccount() {
		return nil, &failure{Status: http.StatusForbidden}
	}
	t := table{Label: "Templates", Links: true, Columns: []column{{"Mail", ""}, {"Subject", "mid"}, {"Text", ""}}}
	err := v.pages.store.View(v.ctx, func(tx *store.Tx) error {
		for _, kind := range mail.Kinds() {
			found, own, err := mail.TemplateFor(tx, kind, "")
			if err != nil {
				return err
			}
			translated, err := mail.Translated(tx, kind)
			if err != nil {
				return err
			}
			whose := "standard"
			if own {
				whose = "your own"
			}
			for _, language := range translated {
				whose += ", " + languageNames[language]
			}
			t.Rows = append(t.Rows, []templ.Component{rowLink(link("mail-templates", string(kind)), form.Words(string(kind)), ""), text(found.Subject), text(whose)})
		}
		return nil
	})
	return listPage(v, listing{Head: head{Crumbs: []crumb{{link("mails"), "Mails"}}, Title: "Mail templates", Lead: "What mails say. Standard texts are in the language of the customer. A text of your own is for customers of one language, or for all whose language has none. The frame around the text, with the facts, stays."}, Table: t}), err
}

func templatePage(v *visit) (templ.Component, error) {
	t, own, err := v.template()
	if err != nil {
		return nil, err
	}
	return v.templateShown(t, own, "")
}

// templateShown is the page of a template with an example.
func (v *visit) templateShown(t mail.Template, own bool, problem string) (templ.Component, error) {
	view := templateView{visit: v, Template: t, Own: own, Language: v.templateLanguage(), Problem: problem}
	var err error
	view.Subject, view.Text, _, err = mails.Example(v.account.Name, t, v.mailWords())
	return templateForm(view), err
}

// exampleHTML is the template of the address with made-up values.
func exampleHTML(v *visit) (string, error) {
	t, _, err := v.template()
	if err != nil {
		return "", err
	}
	_, _, html, err := mails.Example(v.account.Name, t, v.mailWords())
	return html, err
}

// saveTemplate changes a template, or goes back to the standard one.
func saveTemplate(v *visit) (templ.Component, error) {
	t, own, err := v.template()
	if err != nil {
		return nil, err
	}
	reset := v.echo.FormValue("reset") != ""
	t.Subject, t.Body = v.echo.FormValue("subject"), v.echo.FormValue("body")
	err = v.pages.store.Update(v.recorded("changeMailTemplate"), func(tx *store.Tx) error {
		if reset {
			return mail.ResetTemplate(tx, t.Kind, v.templateLanguage())
		}
		return mail.SaveTemplate(tx, t.Kind, v.templateLanguage(), t.Subject, t.Body)
	})
	if fault.Is(err, fault.KindInvalid) {
		page, shown := v.templateShown(t, own, err.Error())
		return withStatus{page, http.StatusBadRequest}, shown
	}
	if err != nil {
		return nil, err
	}
	return leadTo(templateView{Template: t}.address(v.templateLanguage())), nil
}

// valuesOf lists what a template may use.
func valuesOf(k mail.Kind) string {
	return "{{" + strings.Join(mail.Values(k), "}}, {{") + "}}"
}
