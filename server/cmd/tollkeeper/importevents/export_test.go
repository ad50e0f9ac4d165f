package importevents

// InParts is the feed with so many entries in a part.
func (f Feed) InParts(most int) Feed {
	f.most = most
	return f
}
