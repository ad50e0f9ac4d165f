// Package paper draws documents as PDF, and keeps what it drew. The same document always gives the
// same bytes: nothing in a file tells when or where it was made.
//
// Noto Sans is part of the program, under the SIL Open Font License (fonts/OFL.txt), with Latin,
// Greek and Cyrillic letters. Each character is looked up before it is drawn. What Noto Sans does
// not have is drawn with a font of a folder that can be set, and without one as "?", which a note at
// the end explains (semantics 19.3.3). Scripts whose letters change with their neighbors (Arabic, those of India and
// South-East Asia) are not drawn at all, since the library does not shape text. Hebrew is put into
// its visual order.
package paper
