package tempfile

// Space is what a file system has, in bytes. Both are 0 where the system does not tell.
type Space struct{ Total, Free int64 }

// SpaceOf returns the space of the file system that a directory is in.
func SpaceOf(dir string) Space { return spaceOf(dir) }
