package store

import (
	"encoding/base64"
	"fmt"
	"reflect"
	"time"

	"gorm.io/gorm"

	"tollkeeper/store/fault"
)

// Page says which part of a list is asked for.
type Page struct {
	Limit  int    // 1 to 100 records; of [Long] ones a page may have fewer
	Cursor string // what the page before returned; "" for the first
}

// Range bounds an instant on either side; nil leaves a side open.
type Range struct{ Gt, Gte, Lt, Lte *time.Time }

// On adds the bounds on a column, which is trusted text.
func (r Range) On(db *gorm.DB, column string) *gorm.DB {
	for _, bound := range []struct {
		sign string
		at   *time.Time
	}{{">", r.Gt}, {">=", r.Gte}, {"<", r.Lt}, {"<=", r.Lte}} {
		if bound.at != nil {
			db = db.Where(column+" "+bound.sign+" ?", *bound.at)
		}
	}
	return db
}

// MostLines bounds what the records of a page have in all: lines of invoices, prices of plans. A page ends
// earlier where they have more, after one record at least.
const MostLines = 1000

const linesSetting = "tollkeeper:lines"

// Long bounds the pages of a list of records of any length by [MostLines]. The expression is trusted text of
// SQL: the lines of a record.
func Long(query *gorm.DB, lines string) *gorm.DB { return query.Set(linesSetting, lines) }

// fitting is how many records of a page have at most [MostLines] in all: asked of the database, before they are
// read.
func fitting[T any](query *gorm.DB, limit int) (records int, err error) {
	lines, long := query.Get(linesSetting)
	if !long {
		return limit, nil
	}
	var of []int64
	if err := query.Session(&gorm.Session{}).Model(new(T)).Limit(limit).Pluck("coalesce("+lines.(string)+", 1)", &of).Error; err != nil {
		return 0, err
	}
	var sum int64
	for k, n := range of {
		if sum += n; sum > MostLines {
			return max(1, k), nil
		}
	}
	return limit, nil
}

// List returns a page of records, newest first: by creation instant, then by
// the order in which they were made. Records made after the first page do not
// appear, and none is repeated or skipped. next is "" on the last page. T has
// Record embedded. An unknown cursor, or one of another list, is an invalid request.
func List[T any](query *gorm.DB, page Page) (rows []T, next string, err error) {
	return ListBy(query, page, "created_at", func(row T) time.Time { return recordOf(row).CreatedAt })
}

// ListOldest is List from the oldest to the newest.
func ListOldest[T any](query *gorm.DB, page Page) (rows []T, next string, err error) {
	return list(query, page, "created_at", oldest, func(row T) time.Time { return recordOf(row).CreatedAt })
}

// ListBy is List in the order of another instant, newest first. The column is
// trusted text, never null, and at is its value.
func ListBy[T any](query *gorm.DB, page Page, column string, at func(T) time.Time) (rows []T, next string, err error) {
	return list(query, page, column, newest, at)
}

// order is which way a list goes: the word of SQL, and how what follows a row
// compares to it.
type order struct{ way, follows string }

var (
	newest = order{"DESC", "<"}
	oldest = order{"ASC", ">"}
)

func list[T any](query *gorm.DB, page Page, column string, by order, at func(T) time.Time) (rows []T, next string, err error) {
	name, err := nameOf[T](query, column)
	if err != nil {
		return nil, "", err
	}
	if page.Cursor != "" {
		instant, seq, ok := ReadCursor(name, page.Cursor)
		if !ok {
			return nil, "", fault.Bad("cursor", "is not one that this list returned")
		}
		query = query.Where("("+column+", seq) "+by.follows+" (?, ?)", instant, seq)
	}
	query = query.Order(column + " " + by.way + ", seq " + by.way)
	if page.Limit, err = fitting[T](query, page.Limit); err != nil {
		return nil, "", err
	}
	rows = make([]T, 0, page.Limit+1)
	if err := query.Limit(page.Limit + 1).Find(&rows).Error; err != nil {
		return nil, "", err
	}
	if len(rows) <= page.Limit {
		return rows, "", nil
	}
	rows = rows[:page.Limit]
	last := rows[len(rows)-1]
	return rows, Cursor(name, at(last), recordOf(last).Seq), nil
}

// nameOf tells lists apart: by what they list, and in which order.
func nameOf[T any](query *gorm.DB, column string) (string, error) {
	parsed := &gorm.Statement{DB: query}
	err := parsed.Parse(new(T))
	return parsed.Table + "." + column, err
}

func recordOf[T any](row T) Record {
	return reflect.ValueOf(row).FieldByName("Record").Interface().(Record)
}

// Cursor is a place in the list of that name: behind the row made then.
func Cursor(list string, at time.Time, seq int64) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d.%d.%s", at.UnixMicro(), seq, list))
}

// ReadCursor reads a cursor of the list of that name. It reports false for any other text.
func ReadCursor(list, text string) (at time.Time, seq int64, ok bool) {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return at, 0, false
	}
	var micro int64
	if _, err := fmt.Sscanf(string(raw), "%d.%d", &micro, &seq); err != nil {
		return at, 0, false
	}
	at = time.UnixMicro(micro).UTC()
	known := at.Year() >= 1 && at.Year() <= 9999 // to the database too
	return at, seq, known && Cursor(list, at, seq) == text
}
