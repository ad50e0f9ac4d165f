package export

import "io"

// What specs look at.
var (
	Guard      = guard
	XLSXNumber = xlsxNumber
)

// AtOnce is how many rows are fetched at a time.
const AtOnce = atOnce

// WriteSheets writes rows of one number to a workbook with so many rows on a sheet.
func WriteSheets(to io.Writer, most int, rows ...string) error {
	w := newXLSX(to, Lines)
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
