package console

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	documents "tollkeeper/domain/document"
	"tollkeeper/domain/letterhead"
	"tollkeeper/domain/paper"
	"tollkeeper/gen"
	"tollkeeper/server/page"
	"tollkeeper/server/wire"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// letterheadView is the letterhead as it is, or as it was entered.
type letterheadView struct {
	visit    *visit
	Values   map[string]string // by the names of fields
	Logo     bool              // there is one
	Problem  string
	Problems map[string]string // by the names of fields
}

// letterheadField is an input. Its name is the path of the member in the contract; a number of the seller has its kind.
type letterheadField struct {
	Name, Label, Hint string
	Most              int // characters, as the contract has it
	Long              bool
}

// letterheadGroup are inputs that belong together.
type letterheadGroup struct {
	Title  string
	Fields []letterheadField
}

// letterheadGroups are the inputs, in their order. Language, color and logo have inputs of their own kind.
var letterheadGroups = []letterheadGroup{
	{"Legal entity", []letterheadField{
		{"name", "Legal name", "Empty is the name of the account.", 255, false},
		{"address.line1", "Address", "", 500, false}, {"address.line2", "Address, second line", "", 500, false},
		{"address.postal_code", "Postal code", "", 255, false}, {"address.city", "City", "", 500, false},
		{"address.state", "State or region", "", 500, false}, {"address.country", "Country", "Two letters, such as IE.", 2, false},
	}},
	{"Numbers", []letterheadField{
		{"tax_numbers.vat", "VAT number", "With its country, such as IE9876543Z.", 100, false},
		{"tax_numbers.tax", "Tax number", "", 100, false}, {"tax_numbers.register", "Company number", "", 100, false},
	}},
	{"Questions", []letterheadField{
		{"email", "Email", "", 255, false}, {"phone", "Phone", "", 64, false}, {"website", "Website", "", 255, false},
	}},
	{"Bank", []letterheadField{
		{"bank.account_holder", "Account holder", "", 255, false}, {"bank.bank_name", "Bank", "", 255, false}, {"bank.iban", "IBAN", "", 42, false},
		{"bank.bic", "BIC", "", 11, false}, {"bank.account_number", "Account number", "Where there is no IBAN.", 64, false},
		{"bank.routing_number", "Routing number", "", 64, false},
		{"payment_instructions", "How to pay", "", 1000, true},
	}},
	{"Documents", []letterheadField{
		{"footer", "Footer", "At the foot of each page. Empty is name and address.", 500, true},
		{"link_days", "Days that links work", "After the issue of a document, and at least until 30 days after it is due.", 4, false},
	}},
}

// fetchedLetterhead is the letterhead as the API shows it. Who manages the account may see and change it here.
func (v *visit) fetchedLetterhead() (gen.Letterhead, error) {
	if err := v.manages(); err != nil {
		return gen.Letterhead{}, err
	}
	return fetch[gen.Letterhead](v, "fetchLetterhead", nil, nil)
}

// letterheadPage has a form for what documents say about the account.
func letterheadPage(v *visit) (templ.Component, error) {
	now, err := v.fetchedLetterhead()
	if err != nil {
		return nil, err
	}
	return letterheadForm(letterheadView{visit: v, Values: valuesOfLetterhead(now), Logo: now.Logo != nil}), nil
}

func valuesOfLetterhead(l gen.Letterhead) map[string]string {
	values := map[string]string{"link_days": strconv.Itoa(l.LinkDays)}
	set := func(name string, value *string) {
		if value != nil {
			values[name] = *value
		}
	}
	set("name", l.Name)
	set("email", l.Email)
	set("phone", l.Phone)
	set("website", l.Website)
	set("payment_instructions", l.PaymentInstructions)
	set("footer", l.Footer)
	set("color", l.Color)
	set("language", (*string)(l.Language))
	set("bank.account_holder", l.Bank.AccountHolder)
	set("bank.bank_name", l.Bank.BankName)
	set("bank.iban", l.Bank.Iban)
	set("bank.bic", l.Bank.Bic)
	set("bank.account_number", l.Bank.AccountNumber)
	set("bank.routing_number", l.Bank.RoutingNumber)
	if a := l.Address; a != nil {
		set("address.line1", a.Line1)
		set("address.line2", a.Line2)
		set("address.postal_code", a.PostalCode)
		set("address.city", a.City)
		set("address.state", a.State)
		set("address.country", a.Country)
	}
	for k := len(l.TaxNumbers) - 1; k >= 0; k-- { // the first of a kind
		values["tax_numbers."+string(l.TaxNumbers[k].Kind)] = l.TaxNumbers[k].Value
	}
	return values
}

// saveLetterhead makes what was entered the letterhead, through the API.
func saveLetterhead(v *visit) (templ.Component, error) {
	now, err := v.fetchedLetterhead()
	if err != nil {
		return nil, err
	}
	entered, kinds, err := v.enteredLetterhead(now)
	if err != nil {
		return v.refusedLetterhead(now, err, nil)
	}
	body, err := json.Marshal(entered)
	if err != nil {
		return nil, err
	}
	if _, err := v.ask(request{Operation: "updateLetterhead", Body: body}); err != nil {
		if statusOf(err) >= http.StatusInternalServerError {
			return nil, err
		}
		return v.refusedLetterhead(now, err, kinds)
	}
	return leadTo(link("settings", "letterhead") + "?done=saved"), nil
}

// refusedLetterhead is the form as it was entered, with what is wrong. Kinds are those of the numbers that were sent.
func (v *visit) refusedLetterhead(now gen.Letterhead, err error, kinds []string) (templ.Component, error) {
	view := letterheadView{visit: v, Values: map[string]string{}, Logo: now.Logo != nil, Problem: problemText(refusal(err)), Problems: problemsOf(err)}
	if view.Problems == nil {
		view.Problems = map[string]string{}
	}
	for _, g := range letterheadGroups {
		for _, f := range g.Fields {
			view.Values[f.Name] = v.echo.FormValue(f.Name)
		}
	}
	view.Values["color"], view.Values["language"] = v.echo.FormValue("color"), v.echo.FormValue("language")
	for _, wrong := range violationsOf(err) {
		place, text, _ := strings.Cut(wrong, ": ")
		for k, kind := range kinds {
			if place == "tax_numbers["+strconv.Itoa(k)+"].value" {
				place = "tax_numbers." + kind
			}
		}
		view.Problems[place] = raised(text)
	}
	return withStatus{letterheadForm(view), http.StatusBadRequest}, nil
}

// mostLogo bounds the file of a logo, in bytes, as the letterhead does.
const mostLogo = 256 << 10

// enteredLetterhead is what the form has. What the form does not have stays: custom fields, the logo where no other is sent,
// and further numbers. The second result has the kind of each number.
func (v *visit) enteredLetterhead(now gen.Letterhead) (entered map[string]any, kinds []string, err error) {
	entered = map[string]any{"custom_fields": now.CustomFields}
	address, bank := map[string]any{}, map[string]any{}
	numbers := []gen.LetterheadNumber{}
	for _, g := range letterheadGroups {
		for _, f := range g.Fields {
			text := strings.TrimSpace(strings.ReplaceAll(v.echo.FormValue(f.Name), "\r\n", "\n"))
			if len([]rune(text)) > f.Most {
				return nil, nil, fault.Bad(f.Name, "must have at most %d characters", f.Most)
			}
			if text == "" {
				continue
			}
			group, member, _ := strings.Cut(f.Name, ".")
			switch group {
			case "address":
				address[member] = text
			case "bank":
				bank[member] = text
			case "tax_numbers":
				numbers, kinds = append(numbers, gen.LetterheadNumber{Kind: gen.LetterheadNumberKind(member), Value: text}), append(kinds, member)
			case "link_days":
				days, err := strconv.Atoi(text)
				if err != nil {
					return nil, nil, fault.Bad(f.Name, "must be a number of days")
				}
				entered[f.Name] = days
			default:
				entered[f.Name] = text
			}
		}
	}
	seen := map[gen.LetterheadNumberKind]bool{}
	for _, n := range now.TaxNumbers {
		if seen[n.Kind] {
			numbers = append(numbers, n)
		}
		seen[n.Kind] = true
	}
	for name, group := range map[string]map[string]any{"address": address, "bank": bank} {
		if len(group) > 0 {
			entered[name] = group
		}
	}
	entered["tax_numbers"] = numbers
	for _, name := range []string{"color", "language"} {
		if text := v.echo.FormValue(name); text != "" {
			entered[name] = text
		}
	}
	if entered["color"] == "#000000" { // as without a color; an input of colors has no empty value
		delete(entered, "color")
	}
	logo, err := v.enteredLogo(now)
	if logo != "" {
		entered["logo"] = logo
	}
	return entered, kinds, err
}

// enteredLogo is the logo that was sent, in base64, else the one that there is, unless it is to go.
func (v *visit) enteredLogo(now gen.Letterhead) (string, error) {
	file, _, err := v.echo.Request().FormFile("logo")
	switch {
	case errors.Is(err, http.ErrMissingFile), errors.Is(err, http.ErrNotMultipart):
		if v.echo.FormValue("no_logo") == "" {
			return wire.Deref(now.Logo), nil
		}
		return "", nil
	case err != nil:
		return "", fault.Bad("logo", "could not be read")
	}
	defer func() { _ = file.Close() }()
	content, err := io.ReadAll(io.LimitReader(file, mostLogo+1))
	if err != nil || len(content) > mostLogo {
		return "", fault.Bad("logo", "must have at most %d bytes", mostLogo)
	}
	if len(content) == 0 {
		return wire.Deref(now.Logo), nil
	}
	return base64.StdEncoding.EncodeToString(content), nil
}

// sampleInvoice answers with a sample invoice under the letterhead, as PDF.
func (p *pages) sampleInvoice(c echo.Context) error {
	v, err := p.visit(c)
	if err != nil {
		return err
	}
	if v.manages() != nil {
		return page.Write(c, http.StatusNotFound, missingPage(v))
	}
	var head letterhead.Letterhead
	err = p.store.View(v.ctx, func(tx *store.Tx) (err error) {
		head, err = letterhead.Current(tx)
		return err
	})
	if err != nil {
		return err
	}
	free, err := p.store.Processor(v.ctx)
	if err != nil {
		return err
	}
	content, err := func() ([]byte, error) {
		defer free()
		return paper.Render(p.fonts, documents.Loader{Shows: p.fonts.ShowsWords}.Sample(head, v.account.Name))
	}()
	if err != nil {
		return err
	}
	header := c.Response().Header()
	header.Set(echo.HeaderContentSecurityPolicy, "default-src 'none'; object-src 'self'; plugin-types application/pdf; frame-ancestors 'none'")
	header.Set(echo.HeaderContentDisposition, `inline; filename="sample.pdf"`)
	return c.Blob(http.StatusOK, "application/pdf", content)
}

const logoHint = "PNG or JPEG, at most 256 KiB, and 2000 pixels wide and high."

// colorOr is the value of an input of colors, which has no empty one.
func colorOr(color string) string { return cmp.Or(color, "#000000") }

// described are the attributes by which a field names what tells more about it.
func described(name, hint, problem string) templ.Attributes {
	attributes := templ.Attributes{}
	if by := describedBy(name, hint, problem); by != "" {
		attributes["aria-describedby"] = by
	}
	if problem != "" {
		attributes["aria-invalid"] = "true"
	}
	return attributes
}
