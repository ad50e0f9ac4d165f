package store

import (
	"fmt"
	"strings"
)

// Finding is a contradiction in an account's rows.
type Finding struct {
	Document string // id of the row, or what else names it
	Wrong    string
}

// mostFindings bounds what one check of one part returns: where a whole table is lost, the
// first findings say so.
const mostFindings = 100

// reference is a foreign key between two tables of accounts.
type reference struct {
	Name           string
	Table, Target  string
	Columns, Known string // joined by commas, in the order of the key
}

// references lists the foreign keys of all tables that have an account.
const references = `
	SELECT c.conname, c.conrelid::regclass::text, c.confrelid::regclass::text,
		(SELECT string_agg(quote_ident(attname), ',' ORDER BY place) FROM unnest(c.conkey) WITH ORDINALITY AS k(n, place)
			JOIN pg_attribute ON attrelid = c.conrelid AND attnum = n),
		(SELECT string_agg(quote_ident(attname), ',' ORDER BY place) FROM unnest(c.confkey) WITH ORDINALITY AS k(n, place)
			JOIN pg_attribute ON attrelid = c.confrelid AND attnum = n)
	FROM pg_constraint c
	WHERE c.contype = 'f' AND c.connamespace = 'public'::regnamespace AND c.conparentid = 0
		AND EXISTS (SELECT FROM pg_attribute WHERE attrelid = c.conrelid AND attname = 'account_id')
		AND has_table_privilege(c.conrelid, 'SELECT') AND has_table_privilege(c.confrelid, 'SELECT')
	ORDER BY 2, 1`

// Orphans returns rows of the account that refer to a row that is not there. Constraints
// keep that from happening; a role that may switch them off, or restores tables one by one, can
// bring it about.
func Orphans(tx *Tx) (found []Finding, err error) {
	rows, err := tx.Conn().QueryContext(tx.Context(), references)
	if err != nil {
		return nil, fmt.Errorf("list references: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var all []reference
	for rows.Next() {
		var r reference
		if err := rows.Scan(&r.Name, &r.Table, &r.Target, &r.Columns, &r.Known); err != nil {
			return nil, fmt.Errorf("list references: %w", err)
		}
		all = append(all, r)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("list references: %w", err)
	}
	for _, r := range all {
		broken, err := r.broken(tx)
		if err != nil {
			return nil, err
		}
		found = append(found, broken...)
	}
	return found, nil
}

// broken are rows whose reference leads to nothing. As in the constraint, one with a null
// refers to nothing.
func (r reference) broken(tx *Tx) (found []Finding, err error) {
	columns, known := strings.Split(r.Columns, ","), strings.Split(r.Known, ",")
	var set, same, named []string
	for k, column := range columns {
		set = append(set, "c."+column+" IS NOT NULL")
		same = append(same, "p."+known[k]+" = c."+column)
		if column != "account_id" {
			named = append(named, "c."+column)
		}
	}
	if len(named) == 0 {
		return nil, nil // it refers to the account alone, which is there: the transaction began with it
	}
	name := "concat_ws(' '" + strings.Join(append([]string{""}, named...), ", ") + ")"
	query := "SELECT DISTINCT " + name + " FROM " + r.Table + " c WHERE c.account_id = $1 AND " + strings.Join(set, " AND ") +
		" AND NOT EXISTS (SELECT FROM " + r.Target + " p WHERE " + strings.Join(same, " AND ") + fmt.Sprintf(") LIMIT %d", mostFindings)
	rows, err := tx.Conn().QueryContext(tx.Context(), query, tx.AccountID)
	if err != nil {
		return nil, fmt.Errorf("follow the reference %s: %w", r.Name, err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, fmt.Errorf("follow the reference %s: %w", r.Name, err)
		}
		found = append(found, Finding{id, fmt.Sprintf("a row of %s refers to it, and %s has no such row", r.Table, r.Target)})
	}
	return found, rows.Err()
}

// Findings runs a query whose rows are a document and what is wrong with it.
func (tx *Tx) Findings(query string, args ...any) (found []Finding, _ error) {
	rows, err := tx.Conn().QueryContext(tx.Context(), query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var f Finding
		if err := rows.Scan(&f.Document, &f.Wrong); err != nil {
			return nil, err
		}
		found = append(found, f)
	}
	return found, rows.Err()
}
