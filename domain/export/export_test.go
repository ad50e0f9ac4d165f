package export

import (
	"errors"
	"io"

	"tollkeeper/store/tempfile"
)

// What specs look at.
var (
	Guard      = guard
	XLSXNumber = xlsxNumber
)

// AtOnce is how many rows are fetched at a time.
const AtOnce = atOnce

// WriteSheets writes rows of one number to a workbook with so many rows on a sheet.
func WriteSheets(to io.Writer, most int, rows ...string) error {
	w := newXLSX(to, Lines, tempfile.New("", 0))
	w.most = most
	if err := w.begin([]column{{"amount", number}}); err != nil {
		return err
	}
	for _, r := range rows {
		if err := w.row([]cell{&r}); err != nil {
			return err
		}
	}
	return w.end()
}

// WriteTexts writes a workbook with rows of one text, and calls look after each, as [Write] does.
func WriteTexts(to io.Writer, temp *tempfile.Place, rows int, text string, look func()) (err error) {
	w := newXLSX(to, Lines, temp)
	defer func() {
		if err != nil {
			err = errors.Join(tooLarge(err), w.discard())
		}
	}()
	if err := w.begin([]column{{"text", 0}}); err != nil {
		return err
	}
	for range rows {
		if err := w.row([]cell{&text}); err != nil {
			return err
		}
		look()
	}
	return w.end()
}
