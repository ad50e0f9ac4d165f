package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"

	"tollkeeper/scripts/rig"
	"tollkeeper/store"
)

const (
	longInvoices = 10
	longLines    = 1000
	manyEvents   = 200_000 // of the file that is downloaded
	blankBytes   = 64 << 20
)

// costlyKinds prepares an account and returns the kinds of requests, by the server that they are sent to.
func (s *stage) costlyKinds(ctx context.Context, worst *tables) (kinds []func(*process) costly, err error) {
	cookie, form, err := s.signedIn(ctx, worst)
	if err != nil {
		return nil, err
	}
	logo := logoBody()
	long, page, err := s.longInvoices(ctx, worst, logo)
	if err != nil {
		return nil, err
	}
	if err := worst.fill(ctx, manyEvents); err != nil {
		return nil, err
	}
	blanks := packedBlanks()
	rows := url.Values{"csrf": {form}, "rows": {"prices[199]"}}.Encode()
	return []func(*process) costly{
		func(p *process) costly {
			return costly{"forms of many rows", func(ctx context.Context, _, _ int) error {
				return p.send(ctx, http.MethodPost, "/console/do/createPlan", "application/x-www-form-urlencoded", rows, "Cookie", cookie)
			}}
		},
		func(p *process) costly {
			return costly{"lists of long invoices", func(ctx context.Context, _, _ int) error {
				return p.send(ctx, http.MethodGet, "/v1/invoices?limit=100", "", "")
			}}
		},
		func(p *process) costly {
			return costly{"a long invoice", func(ctx context.Context, _, _ int) error {
				return p.send(ctx, http.MethodGet, "/v1/invoices/"+long, "", "")
			}}
		},
		func(p *process) costly {
			return costly{"the page of a long invoice", func(ctx context.Context, _, _ int) error {
				return p.send(ctx, http.MethodGet, page, "", "")
			}}
		},
		func(p *process) costly {
			return costly{"the console's page of a long invoice", func(ctx context.Context, _, _ int) error {
				return p.send(ctx, http.MethodGet, "/console/invoices/"+long, "", "", "Cookie", cookie)
			}}
		},
		func(p *process) costly {
			return costly{"a long document that is drawn again", func(ctx context.Context, _, _ int) error {
				return p.send(ctx, http.MethodPost, "/v1/invoices/"+long+"/regenerate_invoice_pdf", "", "")
			}}
		},
		func(p *process) costly {
			return costly{"logos", func(ctx context.Context, _, _ int) error {
				return p.send(ctx, http.MethodPut, "/v1/letterhead", "application/json", logo)
			}}
		},
		func(p *process) costly {
			return costly{"unread downloads", func(ctx context.Context, _, _ int) error { return p.unread(ctx, cookie) }}
		},
		func(p *process) costly {
			return costly{"packed bodies of blanks", func(ctx context.Context, _, _ int) error {
				return p.send(ctx, http.MethodPost, "/v1/ingest", "application/json", blanks, "Content-Encoding", "gzip")
			}}
		},
		func(p *process) costly {
			form := sync.OnceValues(func() (strangersForm, error) { return p.strangersForm(ctx) })
			return costly{"sign-ins", func(ctx context.Context, client, n int) error {
				f, err := form()
				if err != nil {
					return err
				}
				return p.guess(ctx, f, client, n)
			}}
		},
	}, nil
}

// send sends a request and reads the answer. That it is refused is no failure.
func (p *process) send(ctx context.Context, method, path, kind, body string, headers ...string) error {
	header := http.Header{"Content-Type": {kind}}
	for k := 0; k < len(headers); k += 2 {
		header.Set(headers[k], headers[k+1])
	}
	to := p.Client
	if !strings.HasPrefix(path, "/v1/") {
		to.Key = ""
	}
	answer, err := to.Send(ctx, rig.Request{Method: method, Path: path, Body: []byte(body), Header: header})
	if err == nil && answer.Status >= http.StatusBadRequest && !refused(answer.Status) {
		err = fmt.Errorf("%s %s: %d %.300s", method, path, answer.Status, answer.Body)
	}
	return err
}

// unread asks for a file and leaves the answer where it is.
func (p *process) unread(ctx context.Context, cookie string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.Client.URL+"/console/exports/file?report=events&format=csv", nil)
	if err != nil {
		return err
	}
	request.Header.Set("Cookie", cookie)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if refused(answer.StatusCode) {
		return nil
	}
	if answer.StatusCode != http.StatusOK {
		return errors.New("download: " + answer.Status)
	}
	<-ctx.Done()
	return nil
}

var formToken = regexp.MustCompile(`name="csrf" value="([^"]+)"`)

// strangersForm is what the form of the sign-in has for who is not signed in.
type strangersForm struct{ cookie, token string }

func (p *process) strangersForm(ctx context.Context) (f strangersForm, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.Client.URL+"/console/login", nil)
	if err != nil {
		return f, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return f, err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return f, err
	}
	token := formToken.FindSubmatch(text)
	if token == nil || len(answer.Cookies()) == 0 {
		return f, errors.New("the form of the sign-in has no token")
	}
	cookie := answer.Cookies()[0]
	return strangersForm{cookie.Name + "=" + cookie.Value, string(token[1])}, nil
}

// guess tries a password, for an address of mail and from a network that change each time.
func (p *process) guess(ctx context.Context, f strangersForm, client, n int) error {
	form := url.Values{"csrf": {f.token}, "email": {fmt.Sprintf("person-%d-%d@bench.example", client, n)}, "password": {fmt.Sprint("a guess that is wrong ", n)}}
	return p.send(ctx, http.MethodPost, "/console/login", "application/x-www-form-urlencoded", form.Encode(),
		"Cookie", f.cookie, "X-Forwarded-For", fmt.Sprintf("2001:%x:%x::1", client+1, n&0xffff))
}

// signedIn makes a person of the account, and returns the cookie of their session and the token of its forms.
func (s *stage) signedIn(ctx context.Context, t *tables) (cookie, form string, err error) {
	if cookie, err = signIn(ctx, s.url, t.account); err != nil {
		return "", "", err
	}
	p, err := s.serve(ctx, t.key, true)
	if err != nil {
		return "", "", err
	}
	defer p.stop()
	text, _, err := p.page(ctx, "/console/do/createPlan", cookie)
	if err != nil {
		return "", "", err
	}
	token := formToken.FindSubmatch(text)
	if token == nil {
		return "", "", errors.New("the form has no token")
	}
	return cookie, string(token[1]), nil
}

// longInvoices makes invoices of many lines under a letterhead, and returns the id of one and the path of its page.
func (s *stage) longInvoices(ctx context.Context, t *tables, letterhead string) (id, page string, err error) {
	p, err := s.serve(ctx, t.key, true)
	if err != nil {
		return "", "", err
	}
	defer p.stop()
	if err := p.send(ctx, http.MethodPut, "/v1/letterhead", "application/json", letterhead); err != nil {
		return "", "", err
	}
	customer, err := p.Create(ctx, "/v1/customers", object{"name": "Long", "email": "c@example.com"})
	if err != nil {
		return "", "", err
	}
	item, err := p.Create(ctx, "/v1/items", object{"name": "Widgets"})
	if err != nil {
		return "", "", err
	}
	lines := make([]object, longLines)
	for n := range lines {
		lines[n] = object{"name": fmt.Sprint("Widget ", n), "item_id": item, "model_type": "unit", "quantity": 1,
			"unit_config": object{"unit_amount": "0.10"}, "start_date": "2026-01-01", "end_date": "2026-01-31"}
	}
	for range longInvoices {
		id, err = p.Create(ctx, "/v1/invoices", object{"customer_id": customer, "currency": "USD", "invoice_date": "2026-02-01", "line_items": lines})
		if err != nil {
			return "", "", err
		}
		if err := p.Post(ctx, "/v1/invoices/"+id+"/issue", nil, nil); err != nil {
			return "", "", err
		}
	}
	var last struct {
		Page string `json:"hosted_invoice_url"`
	}
	if err := p.Get(ctx, "/v1/invoices/"+id, &last); err != nil {
		return "", "", err
	}
	address, err := url.Parse(last.Page)
	if err != nil {
		return "", "", err
	}
	return id, address.Path, nil
}

// logoBody is a letterhead with a picture as large as one may be.
func logoBody() string {
	var picture bytes.Buffer
	_ = png.Encode(&picture, image.NewNRGBA64(image.Rect(0, 0, 2000, 2000))) // a buffer takes all
	return `{"name":"Worst","logo":"` + base64.StdEncoding.EncodeToString(picture.Bytes()) + `"}`
}

// packedBlanks is a batch of blanks, packed to about a 150th: a body that unpacks to more is refused.
func packedBlanks() string {
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, _ = zip.Write([]byte(`{"debug":"` + store.Random(blankBytes/200) + `","events":[`)) // a buffer takes all
	_, _ = zip.Write(bytes.Repeat([]byte(" "), blankBytes))
	_, _ = zip.Write([]byte(`]}`))
	_ = zip.Close()
	return packed.String()
}
