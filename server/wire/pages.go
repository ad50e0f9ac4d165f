package wire

import (
	"tollkeeper/gen"
	"tollkeeper/store"
)

const defaultLimit = 20

// ReadPage reads limit and cursor of a list. The default limit is 20.
func ReadPage(limit *gen.Limit, cursor *gen.Cursor) store.Page {
	page := store.Page{Limit: defaultLimit}
	if limit != nil {
		page.Limit = *limit
	}
	if cursor != nil {
		page.Cursor = *cursor
	}
	return page
}

// Page returns the metadata of a page. next is the cursor of the page that follows, "" for none.
func Page(next string) gen.PaginationMetadata {
	if next == "" {
		return gen.PaginationMetadata{}
	}
	return gen.PaginationMetadata{HasMore: true, NextCursor: &next}
}
