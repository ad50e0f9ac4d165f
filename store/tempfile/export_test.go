package tempfile

// Pretend makes the file system of a place have that space.
func (p *Place) Pretend(space func() Space) {
	p.space = func(string) Space { return space() }
}
