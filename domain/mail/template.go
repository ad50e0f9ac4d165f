package mail

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"gorm.io/gorm/clause"

	"tollkeeper/domain/letterhead"
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
	CustomerAlert: {"account_name", "customer_name", "alert", "threshold", "value"},
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

// Translation is what an account says in its mails of a kind to customers of one language.
type Translation struct {
	Template `gorm:"embedded"`
	Language letterhead.Language
}

// TableName is the table of translations.
func (Translation) TableName() string { return "mail_translations" }

// TemplateOf returns the account's template of a kind for a language: that of the language, else the one for all
// languages, else the server's. Common is whether it is the one for all, which has a language of its own.
func TemplateOf(tx *store.Tx, k Kind, w Words) (t Template, common bool, err error) {
	var translated []Translation
	err = tx.Where("kind = ? AND language = ?", k, w.Language).Limit(1).Find(&translated).Error
	if err != nil || len(translated) > 0 {
		return append(translated, Translation{})[0].Template, false, err
	}
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

// SaveTemplate gives the account a template of a kind in place of the server's: for customers of a language, or, where
// that is "", for all customers whose language has none.
func SaveTemplate(tx *store.Tx, k Kind, language letterhead.Language, subject, body string) error {
	t := Template{Record: tx.Record("mtpl"), Kind: k, Subject: strings.TrimSpace(subject), Body: strings.ReplaceAll(body, "\r\n", "\n")}
	if err := fault.Join(t.check(), checkLanguage(k, language)); err != nil {
		return err
	}
	same := clause.OnConflict{
		Columns:   []clause.Column{{Name: "account_id"}, {Name: "kind"}},
		DoUpdates: clause.AssignmentColumns([]string{"subject", "body"}),
	}
	if language == "" {
		return tx.Clauses(same).Create(&t).Error
	}
	same.Columns = append(same.Columns, clause.Column{Name: "language"})
	return tx.Clauses(same).Create(&Translation{t, language}).Error
}

// TemplateFor returns the template that SaveTemplate changes, and what is said where there is none. Own is whether there
// is one.
func TemplateFor(tx *store.Tx, k Kind, language letterhead.Language) (t Template, own bool, err error) {
	if language == "" {
		return TemplateOf(tx, k, In(letterhead.English).without())
	}
	t, common, err := TemplateOf(tx, k, In(language))
	if err != nil || common {
		return t, false, err
	}
	translated, err := Translated(tx, k)
	return t, slices.Contains(translated, language), err
}

// without is the words as those of no language, for which there are no translations.
func (w Words) without() Words {
	w.Language = ""
	return w
}

// checkLanguage refuses a language that mails are not made in. Mails about alerts are for the account's own people,
// who have no language.
func checkLanguage(k Kind, language letterhead.Language) error {
	switch {
	case language != "" && !slices.Contains(letterhead.Languages, language):
		return fault.Bad("language", "must be one of %v", letterhead.Languages)
	case language != "" && k == Alert:
		return fault.Bad("language", "is not for mails to the account's own people")
	}
	return nil
}

// ResetTemplate goes back to what is said without the template.
func ResetTemplate(tx *store.Tx, k Kind, language letterhead.Language) error {
	if language != "" {
		return tx.Where("kind = ? AND language = ?", k, language).Delete(&Translation{}).Error
	}
	return tx.Where("kind = ?", k).Delete(&Template{}).Error
}

// Translated lists the languages for which the account has templates of a kind.
func Translated(tx *store.Tx, k Kind) (all []letterhead.Language, err error) {
	err = tx.Model(&Translation{}).Where("kind = ?", k).Order("language").Pluck("language", &all).Error
	return all, err
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
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return r == ' ' || r >= '\t' && r <= '\r' || r == '\u0085' || r == '\u2028' || r == '\u2029'
	}), " ")
}
