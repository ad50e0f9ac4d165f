package console

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"tollkeeper/domain/export"
	"tollkeeper/server/download"
	"tollkeeper/server/page"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// downloadAgain is the header Retry-After where too many files are being made, in seconds.
const downloadAgain = 10

var errManyDownloads = echo.NewHTTPError(http.StatusTooManyRequests, "Other files are being made. Try again when one of them is complete.")

// download answers with a file, row by row (semantics 14.5.4), once the audit log names who asked (semantics 22.1.5).
func (p *pages) download(c echo.Context) error {
	v, err := p.visit(c)
	if err != nil {
		return err
	}
	q := export.Query{Report: export.Report(v.query("report")), Format: cmp.Or(export.Format(v.query("format")), export.CSV), Temp: p.temp.Of(v.session.AccountID)}
	if !v.mayExport(q.Report) {
		return page.Write(c, http.StatusNotFound, missingPage(v))
	}
	if download.HasNoBody(v.ctx) {
		nameFile(c.Response().Header(), q, v.now)
		return c.NoContent(http.StatusOK)
	}
	free, err := p.downloads.Take(v.ctx, v.session.AccountID, p.limits.Wait)
	if errors.Is(err, store.ErrBusy) {
		c.Response().Header().Set(echo.HeaderRetryAfter, strconv.Itoa(downloadAgain))
		return errManyDownloads
	}
	if err != nil {
		return err
	}
	defer free()
	if err := p.store.Update(v.recorded(exportAction(q.Report)), func(*store.Tx) error { return nil }); err != nil {
		return err // what is taken away is in the log, or is not taken
	}
	ctx, leave := context.WithTimeout(v.ctx, p.limits.Longest)
	defer leave()
	err = p.write(ctx, v, q)
	if err != nil && ctx.Err() != nil && v.ctx.Err() == nil && !c.Response().Committed {
		return fault.Refused("the file could not be begun within %d minutes; export fewer rows, by from and to", int(p.limits.Longest.Minutes()))
	}
	return err
}

// nameFile sets the headers of a file.
func nameFile(header http.Header, q export.Query, now time.Time) {
	header.Set(echo.HeaderContentType, q.Format.MediaType())
	header.Set(echo.HeaderContentDisposition, `attachment; filename="`+q.FileName(now)+`"`)
}

// exportAction is what the audit log calls the download of a report, such as exportCreditNotes.
func exportAction(r export.Report) string {
	action := "export"
	for _, word := range strings.Fields(exportName(r)) {
		action += strings.ToUpper(word[:1]) + word[1:]
	}
	return action
}

// write writes the file. Whatever fails after the first row cuts the connection, so that no browser takes a
// part for the whole.
func (p *pages) write(ctx context.Context, v *visit, q export.Query) error {
	answer := v.echo.Response()
	client := download.NewWriter(answer, http.NewResponseController(answer.Writer), p.limits, time.Now)
	header := answer.Header()
	err := p.store.View(ctx, func(tx *store.Tx) (err error) {
		if q.From, err = export.ParseBound(tx, "from", v.query("from")); err != nil {
			return err
		}
		if q.To, err = export.ParseBound(tx, "to", v.query("to")); err != nil {
			return err
		}
		nameFile(header, q, v.now)
		_, err = export.Write(tx, q, client)
		return err
	})
	if err != nil && answer.Committed {
		client.Cut()
	}
	if err != nil {
		header.Del(echo.HeaderContentDisposition)
	}
	return err
}
