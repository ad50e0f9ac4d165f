package export

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/xuri/excelize/v2"

	"tollkeeper/domain/money"
	"tollkeeper/store/tempfile"
)

// Bounds of XLSX (semantics 22.2.4).
const (
	longestCell  = excelize.TotalCellChars
	mostDigits   = 15 // that Excel keeps of a number
	sheetRows    = 1_000_000
	headerHeight = 1 // rows
)

// xlsxWriter writes a workbook. Rows go to temporary files, a chunk at a time, once a sheet has more than one.
// A sheet holds a million rows; more are on further sheets.
//
// The library makes these files by itself, without a bound, and keeps everything in memory where it cannot. So
// room for a chunk is reserved before the library can have one to write.
type xlsxWriter struct {
	use     *tempfile.Use
	dir     *tempfile.Dir // of the library's files
	ahead   int           // bytes that rows may have in the file, at most, since room was reserved last
	least   int           // bytes that the rows of the sheet have at least
	files   int           // that earlier sheets have
	to      io.Writer
	report  Report
	file    *excelize.File
	sheet   *excelize.StreamWriter
	columns []column
	values  []any
	sheets  int
	rows    int // of the sheet
	most    int // rows of a sheet
}

func newXLSX(to io.Writer, of Report, temp *tempfile.Place) *xlsxWriter {
	return &xlsxWriter{to: to, report: of, most: sheetRows, use: temp.Use()}
}

func (w *xlsxWriter) begin(columns []column) error {
	w.dir = w.use.Dir()
	w.file, w.columns, w.values = excelize.NewFile(excelize.Options{TmpDir: w.dir.Path()}), columns, make([]any, len(columns))
	return w.nextSheet()
}

// nextSheet begins a sheet with the header, which stays in sight.
func (w *xlsxWriter) nextSheet() (err error) {
	if err := w.endSheet(); err != nil {
		return err
	}
	w.sheets++
	name := strings.ReplaceAll(string(w.report), "_", " ")
	if w.sheets == 1 {
		err = w.file.SetSheetName(w.file.GetSheetName(0), name)
	} else {
		name += " " + strconv.Itoa(w.sheets)
		_, err = w.file.NewSheet(name)
	}
	if err != nil {
		return err
	}
	if w.sheet, err = w.file.NewStreamWriter(name); err != nil {
		return err
	}
	w.rows, w.least, w.files = 0, 0, w.dir.Files()
	if err := w.sheet.SetPanes(&excelize.Panes{Freeze: true, YSplit: headerHeight, TopLeftCell: "A2", ActivePane: "bottomLeft"}); err != nil {
		return err
	}
	for k, c := range w.columns {
		w.values[k] = c.name
	}
	return w.sheet.SetRow("A1", w.values)
}

func (w *xlsxWriter) row(cells []cell) error {
	if w.rows == w.most {
		if err := w.nextSheet(); err != nil {
			return err
		}
	}
	for k, c := range cells {
		w.values[k] = nil
		if c == nil {
			continue
		}
		switch w.columns[k].class {
		case number:
			value, err := xlsxNumber(*c)
			if err != nil {
				return fmt.Errorf("write %s: %w", w.columns[k].name, err)
			}
			w.values[k] = value
		case boolean:
			w.values[k] = *c == "true"
		default:
			if utf8.RuneCountInString(*c) > longestCell {
				return errTooLong(w.columns[k].name, longestCell)
			}
			w.values[k] = *c
		}
	}
	if err := w.reserve(cells); err != nil {
		return err
	}
	w.rows++
	return w.dir.Failed(w.sheet.SetRow("A"+strconv.Itoa(w.rows+headerHeight), w.values))
}

// Bytes that the file has for a cell, beside its text, and for a character, at most: the tags, and an
// escaped quotation mark.
const (
	cellTags      = 80
	longestEscape = 6
)

// reserve reserves room for what the library may write to its files with the next rows: what it holds now,
// which is less than a chunk and a row, and another chunk.
func (w *xlsxWriter) reserve(cells []cell) error {
	row := cellTags
	for _, c := range cells {
		row += cellTags
		if c != nil {
			row += longestEscape * len(*c)
			w.least += len(*c)
		}
	}
	if w.ahead+row < excelize.StreamChunkSize {
		w.ahead += row
		return nil
	}
	w.ahead = 0
	if err := w.dir.Reserve(2*excelize.StreamChunkSize + 2*int64(row)); err != nil {
		return err
	}
	if w.least > 2*excelize.StreamChunkSize && w.dir.Files() == w.files {
		return w.dir.Failed(&fs.PathError{Op: "create a file in", Path: w.dir.Path(), Err: errors.New("the library could not")})
	}
	return nil
}

// xlsxNumber returns a number where it has the same value in the file, and its text otherwise.
func xlsxNumber(digits string) (any, error) {
	exact, err := money.Parse(digits)
	if err != nil {
		return nil, err
	}
	binary, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return nil, err
	}
	significant := strings.TrimLeft(strings.NewReplacer("-", "", ".", "").Replace(exact.String()), "0")
	shown, err := money.Parse(strconv.FormatFloat(binary, 'f', -1, 64)) // as it is written to the file
	if err != nil || len(significant) > mostDigits || !shown.Equal(exact) {
		return digits, nil //nolint:nilerr // no number of the file
	}
	return binary, nil
}

func (w *xlsxWriter) endSheet() error {
	if w.sheet == nil {
		return nil
	}
	return w.dir.Failed(w.sheet.Flush())
}

func (w *xlsxWriter) end() error {
	if err := w.endSheet(); err != nil {
		return err
	}
	if _, err := w.file.WriteTo(w.to); err != nil {
		return err
	}
	return w.discard()
}

// discard removes the temporary files.
func (w *xlsxWriter) discard() (err error) {
	if w.file != nil {
		err = w.file.Close()
	}
	w.use.Close()
	return err
}
