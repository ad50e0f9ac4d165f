package paper

import (
	"context"
	"crypto/sha256"
	"strings"

	"gorm.io/gorm/clause"

	"tollkeeper/domain/document"
	"tollkeeper/domain/letterhead"
	"tollkeeper/domain/ubl"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// File is a PDF that was made.
type File struct {
	store.Record
	Kind       document.Kind
	DocumentID string
	Void       bool
	Hash       []byte // SHA-256 of the content
	Content    []byte
}

// TableName is the table of files.
func (File) TableName() string { return "document_files" }

// Ref names a document.
type Ref struct {
	Kind document.Kind
	ID   string // of the invoice or the credit note; of a receipt, the invoice
}

// Load reads the document that is drawn, with its logo, in a language that the fonts show.
func (f Fonts) Load(tx *store.Tx, ref Ref) (d document.Document, err error) {
	in := document.Loader{Shows: f.ShowsWords}
	switch ref.Kind {
	case document.KindCreditNote:
		d, err = in.CreditNote(tx, ref.ID)
	case document.KindReceipt:
		d, err = in.Receipt(tx, ref.ID)
	default:
		d, err = in.Invoice(tx, ref.ID)
	}
	if err == nil {
		d.Letterhead, err = letterhead.WithLogo(tx, d.Letterhead)
	}
	return d, err
}

// Fetch returns the PDF of a document: the one that is kept, else it makes it and keeps it. Drafts
// are not kept (semantics 19.3.1). It draws outside of transactions, with the account's share of the processors.
func (f Fonts) Fetch(ctx context.Context, st *store.Store, ref Ref) (file File, d document.Document, err error) {
	defer fault.Doing(&err, "fetch the PDF of %s %s", ref.Kind, ref.ID)
	kept := false
	err = st.View(ctx, func(tx *store.Tx) (err error) {
		if d, err = f.Load(tx, ref); err != nil {
			return err
		}
		file, kept, err = find(tx, d)
		return err
	})
	if err != nil || kept {
		return file, d, err
	}
	if file, err = f.drawInTurn(ctx, st, d); err != nil || d.Draft {
		return file, d, err
	}
	err = st.Update(ctx, func(tx *store.Tx) error {
		file.Record = tx.Record("file")
		made := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&file)
		if made.Error != nil || made.RowsAffected == 1 {
			return made.Error
		}
		file, _, err = find(tx, d) // of another request
		return err
	})
	return file, d, err
}

// Again draws the PDF of a document again, whether it is kept or not; [File.Replace] keeps it. A draft has none.
func (f Fonts) Again(ctx context.Context, st *store.Store, ref Ref) (file File, err error) {
	defer fault.Doing(&err, "draw the PDF of %s %s again", ref.Kind, ref.ID)
	var d document.Document
	err = st.View(ctx, func(tx *store.Tx) (err error) {
		d, err = f.Load(tx, ref)
		return err
	})
	if err != nil {
		return file, err
	}
	if d.Draft {
		return file, fault.Refused("a draft has no PDF")
	}
	return f.drawInTurn(ctx, st, d)
}

// Replace keeps a file in place of the one before.
func (file File) Replace(tx *store.Tx) error {
	file.Record = tx.Record("file")
	return tx.Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "account_id"}, {Name: "kind"}, {Name: "document_id"}, {Name: "void"}},
		DoUpdates: clause.AssignmentColumns([]string{"created_at", "hash", "content"}),
	}).Create(&file).Error
}

func find(tx *store.Tx, d document.Document) (file File, found bool, err error) {
	var files []File
	err = tx.Where("kind = ? AND document_id = ? AND void = ?", d.Kind, d.ID, d.Void).Limit(1).Find(&files).Error
	if len(files) > 0 {
		return files[0], true, err
	}
	return file, false, err
}

// drawInTurn is draw with the account's share of the processors.
func (f Fonts) drawInTurn(ctx context.Context, st *store.Store, d document.Document) (File, error) {
	free, err := st.Processor(ctx)
	if err != nil {
		return File{}, err
	}
	defer free()
	return f.draw(d)
}

// draw makes the PDF of a document, with its XML where that can be made (semantics 19.4.4).
func (f Fonts) draw(d document.Document) (File, error) {
	var attached []Attachment
	if xml, ok := ubl.Write(d); ok {
		attached = append(attached, Attachment{Name: FileName(d, ".xml"), Description: "EN 16931", Content: xml})
	}
	content, err := Render(f, d, attached...)
	hash := sha256.Sum256(content)
	return File{Kind: d.Kind, DocumentID: d.ID, Void: d.Void, Hash: hash[:], Content: content}, err
}

// FileName is what the file of a document is called (semantics 19.3.5).
func FileName(d document.Document, ending string) string {
	name := d.Number
	if d.Kind == document.KindReceipt {
		name += "-receipt"
	}
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r == '-' {
			return r
		}
		return '_'
	}, name) + ending
}
