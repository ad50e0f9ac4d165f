package mail

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"gorm.io/gorm/clause"

	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Template is what an account says in its mails of a kind. Values are in it as {{name}}.
type Template struct {
	store.Record
	Kind    Kind
	Subject string
	Body    string // paragraphs, which empty lines part
}

// TableName has no noun of its own.
func (Template) TableName() string { return "mail_templates" }

// values of each kind, by the names that templates use.
var values = map[Kind][]string{
	InvoiceIssued: {"account_name", "customer_name", "invoice_number", "invoice_date", "due_date", "total", "amount_due", "payment_note"},
	Receipt:       {"account_name", "customer_name", "invoice_number", "invoice_date", "amount_paid", "paid_on"},
	ReminderMail:  {"account_name", "customer_name", "invoice_number", "invoice_date", "due_date", "amount_due", "when_due"},
	CreditNote:    {"account_name", "customer_name", "credit_note_number", "invoice_number", "credit_note_date", "total"},
	PortalLink:    {"account_name", "customer_name", "minutes"},
	Alert:         {"account_name", "customer_name", "alert", "threshold", "value"},
}

// Values are the names of the values that templates of a kind may use.
func Values(k Kind) []string { return slices.Clone(values[k]) }

// alertText is what the server says of alerts. It is for the account's own people, who have the console, which is English.
var alertText = Text{Subject: "{{customer_name}}: {{alert}}", Body: "{{customer_name}}: {{alert}} ({{value}}). The threshold is {{threshold}}."}

// Default is the template that the server has for a kind, in the language of words.
func Default(k Kind, w Words) Template {
	text := w.Texts[k]
	if k == Alert {
		text = alertText
	}
	return Template{Kind: k, Subject: text.Subject, Body: text.Body}
}

// TemplateOf returns the account's template of a kind, else the server's. Own is whether it is the account's: that is for
// customers of all languages.
func TemplateOf(tx *store.Tx, k Kind, w Words) (t Template, own bool, err error) {
	var rows []Template
	err = tx.Where("kind = ?", k).Limit(1).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return Default(k, w), false, err
	}
	return rows[0], true, nil
}

// placeholder is a value in a template.
var placeholder = regexp.MustCompile(`\{\{\s*([a-z_]*)\s*\}\}`)

// Bounds of a template, in characters.
const (
	longestSubject = 300
	longestBody    = 10_000
)

func (t Template) check() error {
	if !slices.Contains(Kinds(), t.Kind) {
		return fault.Missing("Mail template", string(t.Kind))
	}
	var errs []error
	for _, part := range []struct {
		field, text string
		longest     int
	}{{"subject", t.Subject, longestSubject}, {"body", t.Body, longestBody}} {
		switch {
		case strings.TrimSpace(part.text) == "":
			errs = append(errs, fault.Bad(part.field, "must not be empty"))
		case len([]rune(part.text)) > part.longest:
			errs = append(errs, fault.Bad(part.field, "must have at most %d characters", part.longest))
		case strings.ContainsFunc(part.text, func(r rune) bool { return r < ' ' && r != '\n' && (r != '\r' || part.field == "subject") && r != '\t' }) ||
			part.field == "subject" && strings.ContainsAny(part.text, "\n\t"):
			errs = append(errs, fault.Bad(part.field, "must have no control characters"))
		}
		for _, found := range placeholder.FindAllStringSubmatch(part.text, -1) {
			if !slices.Contains(values[t.Kind], found[1]) {
				errs = append(errs, fault.Bad(part.field, "may use the values %s", strings.Join(values[t.Kind], ", ")))
				break
			}
		}
	}
	return fault.Join(errs...)
}

// SaveTemplate gives the account a template of a kind in place of the server's.
func SaveTemplate(tx *store.Tx, k Kind, subject, body string) error {
	t := Template{Record: tx.Record("mtpl"), Kind: k, Subject: strings.TrimSpace(subject), Body: strings.ReplaceAll(body, "\r\n", "\n")}
	if err := t.check(); err != nil {
		return err
	}
	return tx.Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "account_id"}, {Name: "kind"}},
		DoUpdates: clause.AssignmentColumns([]string{"subject", "body"}),
	}).Create(&t).Error
}

// ResetTemplate goes back to the server's template.
func ResetTemplate(tx *store.Tx, k Kind) error {
	return tx.Where("kind = ?", k).Delete(&Template{}).Error
}

// Fill puts values into a template: the subject, and the paragraphs of the body. Line breaks of a value become blanks.
func (t Template) Fill(with map[string]string) (subject string, paragraphs []string) {
	plain := maps.Clone(with)
	for name, value := range plain {
		plain[name] = oneLine(value)
	}
	fill := func(text string) string {
		return placeholder.ReplaceAllStringFunc(text, func(found string) string { return plain[placeholder.FindStringSubmatch(found)[1]] })
	}
	for paragraph := range strings.SplitSeq(t.Body, "\n\n") {
		if paragraph = strings.TrimSpace(paragraph); paragraph != "" {
			paragraphs = append(paragraphs, fill(paragraph))
		}
	}
	return oneLine(fill(t.Subject)), paragraphs
}

// oneLine makes one blank of blanks and line breaks. What keeps an amount together with its currency stays.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r >= '\t' && r <= '\r' }), " ")
}
