package export

import (
	"database/sql"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"tollkeeper/store"
	"tollkeeper/store/fault"
	"tollkeeper/store/tempfile"
)

// class is what the cells of a column are.
type class int

const (
	text class = iota
	number
	boolean
	object // JSON
)

// column of a file.
type column struct {
	name  string
	class class
}

// cell is a value as text; nil: none.
type cell *string

// writer writes the rows of a file.
type writer interface {
	begin(columns []column) error
	row(cells []cell) error
	end() error
	discard() error // gives up a file that was not ended (semantics 22.2.5)
}

// technical are the columns that each view begins with, and no file has: account_id, at and seq.
const technical = 3

// atOnce is how many rows are fetched at a time.
const atOnce = 500

// patience is how long the database waits for a reader of the file who takes no more rows.
const patience = 10 * time.Minute

// Write writes a report to a file, and returns how many rows that are. The transaction should be one of a
// snapshot ([store.Store.View], semantics 22.1.4). Nothing is written before the first rows are there.
func Write(tx *store.Tx, q Query, to io.Writer) (rows int64, err error) {
	if err := q.check(); err != nil {
		return 0, err
	}
	if q.Temp == nil {
		q.Temp = tempfile.New("", 0)
	}
	var file writer
	switch q.Format {
	case NDJSON:
		file = newNDJSON(to)
	case XLSX:
		file = newXLSX(to, q.Report, q.Temp)
	default:
		file = newCSV(to)
	}
	if err := q.open(tx); err != nil {
		return 0, err
	}
	ended := false
	defer func() {
		if !ended { // also after a panic
			err = errors.Join(tooLarge(err), file.discard())
		}
	}()
	for {
		n, err := q.fetch(tx, file, rows == 0)
		rows += n
		if err != nil {
			return rows, err
		}
		if q.Written != nil {
			if err := q.Written(rows); err != nil {
				return rows, err
			}
		}
		if n < atOnce {
			err := file.end()
			ended = err == nil
			return rows, err
		}
	}
}

// cursor names the cursor of a report. The statements that fetch from it are prepared by their
// texts, and different reports have different columns.
func (q Query) cursor() string { return "export_" + string(q.Report) }

// open opens the cursor.
func (q Query) open(tx *store.Tx) error {
	statement := "DECLARE " + q.cursor() + " NO SCROLL CURSOR FOR SELECT * FROM exported_" + string(q.Report) + " WHERE account_id = $1"
	args := []any{tx.AccountID}
	for _, bound := range []struct {
		sign string
		at   *time.Time
	}{{">=", q.From}, {"<", q.To}} {
		if bound.at != nil {
			args = append(args, *bound.at)
			statement += fmt.Sprintf(" AND at %s $%d", bound.sign, len(args))
		}
	}
	if _, err := tx.Conn().ExecContext(tx.Context(), fmt.Sprintf("SET LOCAL idle_in_transaction_session_timeout = %d", patience.Milliseconds())); err != nil {
		return err
	}
	if _, err := tx.Conn().ExecContext(tx.Context(), statement+" ORDER BY at, seq", args...); err != nil {
		return fmt.Errorf("begin to read %s: %w", q.Report, err)
	}
	return nil
}

// fetch writes the next rows of the cursor, after the columns if they are the first, and returns how many
// those are.
func (q Query) fetch(tx *store.Tx, file writer, first bool) (n int64, err error) {
	rows, err := tx.Conn().QueryContext(tx.Context(), fmt.Sprintf("FETCH %d FROM %s", atOnce, q.cursor()))
	if err != nil {
		return 0, fmt.Errorf("read %s: %w", q.Report, err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	types, err := rows.ColumnTypes()
	if err != nil {
		return 0, err
	}
	columns := make([]column, len(types)-technical)
	for k, t := range types[technical:] {
		columns[k] = column{t.Name(), classOf(t)}
	}
	if first {
		if err := file.begin(columns); err != nil {
			return 0, err
		}
	}
	values, into := make([]any, len(types)), make([]any, len(types))
	for k := range values {
		into[k] = &values[k]
	}
	cells := make([]cell, len(columns))
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return n, fmt.Errorf("read %s: %w", q.Report, err)
		}
		for k, value := range values[technical:] {
			if cells[k], err = cellOf(value, types[k+technical]); err != nil {
				return n, fmt.Errorf("read %s of %s: %w", columns[k].name, q.Report, err)
			}
		}
		if err := file.row(cells); err != nil {
			return n, err
		}
		n++
	}
	return n, rows.Err()
}

func classOf(t *sql.ColumnType) class {
	switch t.DatabaseTypeName() {
	case "NUMERIC", "INT2", "INT4", "INT8":
		return number
	case "BOOL":
		return boolean
	case "JSON", "JSONB":
		return object
	}
	return text
}

// cellOf is a value as the driver reads it, as text.
func cellOf(value any, of *sql.ColumnType) (cell, error) {
	var shown string
	switch v := value.(type) {
	case nil:
		return nil, nil //nolint:nilnil // an empty cell
	case string:
		shown = v
	case []byte:
		shown = string(v)
	case int64:
		shown = strconv.FormatInt(v, 10)
	case bool:
		shown = strconv.FormatBool(v)
	case time.Time:
		form := time.RFC3339Nano
		if of.DatabaseTypeName() == "DATE" {
			form = time.DateOnly
		}
		shown = v.UTC().Format(form)
	default:
		return nil, fmt.Errorf("%T of %s", value, of.DatabaseTypeName())
	}
	return &shown, nil
}

// errTooLong is that of a text that a format cannot hold.
func errTooLong(name string, most int) error {
	return fault.Refused("a text in %s has more than %d characters, which is the most in a cell of XLSX; export as csv or ndjson", name, most)
}

// tooLarge says what to do where a workbook is larger than the place for temporary files. Other errors stay.
func tooLarge(err error) error {
	var room *tempfile.Refusal
	if errors.As(err, &room) && room.Reason == tempfile.TooLarge {
		return fault.Refused("the workbook needs more than the %d MB that there are for temporary files; export as csv or ndjson, which need none, or fewer rows", room.Bound>>20)
	}
	return err
}

// FileName is what a file is called that is downloaded on a day.
func (q Query) FileName(day time.Time) string {
	return strings.ReplaceAll(string(q.Report), "_", "-") + "-" + day.Format(time.DateOnly) + "." + string(q.Format)
}
