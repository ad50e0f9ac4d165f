package paper

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/image/font/sfnt"

	"tollkeeper/domain/document"
)

var (
	//go:embed fonts/NotoSans-Regular.ttf
	regularFont []byte
	//go:embed fonts/NotoSans-Bold.ttf
	boldFont []byte
)

// Fonts are what documents are drawn with.
type Fonts struct {
	regular, bold face
	others        []face // of the folder, by name
}

// face is a font and the characters it has.
type face struct {
	name string
	data []byte
	has  *coverage
}

// coverage has a bit for each character of the basic multilingual plane; fpdf draws no others.
type coverage [1 << 16 / 64]uint64

func (c *coverage) of(r rune) bool { return r < 1<<16 && c[r/64]&(1<<(r%64)) != 0 }

// BuiltIn are the fonts of the program alone.
var BuiltIn = func() Fonts {
	regular, err := readFace("regular", regularFont)
	if err != nil {
		panic(err) // it is in the program
	}
	bold, err := readFace("bold", boldFont)
	if err != nil {
		panic(err)
	}
	return Fonts{regular: regular, bold: bold}
}()

// mostFontBytes bounds a font of the folder. It is kept in memory.
const mostFontBytes = 64 << 20

// LoadFonts adds the fonts of a folder, files that end in .ttf, to those of the program
// (semantics 19.3.2). "" is no folder.
func LoadFonts(folder string) (Fonts, error) {
	fonts := BuiltIn
	if folder == "" {
		return fonts, nil
	}
	entries, err := os.ReadDir(folder) // by name
	if err != nil {
		return fonts, err
	}
	for _, entry := range entries {
		if entry.IsDir() || !strings.EqualFold(filepath.Ext(entry.Name()), ".ttf") {
			continue
		}
		path := filepath.Join(folder, entry.Name())
		info, err := os.Stat(path)
		if err != nil {
			return fonts, err
		}
		if info.Size() > mostFontBytes {
			return fonts, fmt.Errorf("%s: has more than %d bytes", path, mostFontBytes)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return fonts, err
		}
		other, err := readFace(fmt.Sprintf("other%d", len(fonts.others)), data)
		if err != nil {
			return fonts, fmt.Errorf("%s: %w", path, err)
		}
		fonts.others = append(fonts.others, other)
	}
	return fonts, nil
}

func readFace(name string, data []byte) (face, error) {
	parsed, err := sfnt.Parse(data)
	if err != nil {
		return face{}, err
	}
	if string(data[:4]) == "OTTO" {
		return face{}, errors.New("its outlines are of PostScript; TrueType ones can be drawn")
	}
	f := face{name: name, data: data, has: new(coverage)}
	var buffer sfnt.Buffer
	for r := rune(' '); r < 1<<16; r++ {
		glyph, err := parsed.GlyphIndex(&buffer, r)
		if err != nil {
			return face{}, err
		}
		if glyph != 0 && !unicode.Is(unicode.Cs, r) && !shaped(r) {
			f.has[r/64] |= 1 << (r % 64)
		}
	}
	return f, nil
}

// shaped reports a letter whose form or place depends on its neighbors.
func shaped(r rune) bool {
	return slices.ContainsFunc(shapedScripts, func(s *unicode.RangeTable) bool { return unicode.Is(s, r) })
}

var shapedScripts = []*unicode.RangeTable{
	unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko, unicode.Mandaic, unicode.Mongolian, unicode.Phags_Pa,
	unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu,
	unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Thai, unicode.Lao, unicode.Tibetan, unicode.Myanmar, unicode.Khmer,
	unicode.Balinese, unicode.Javanese, unicode.Cham, unicode.Tai_Tham, unicode.Meetei_Mayek,
}

// shows reports whether one of the fonts has a character.
func (f Fonts) shows(r rune) bool {
	return f.regular.has.of(r) && f.bold.has.of(r) || slices.ContainsFunc(f.others, func(o face) bool { return o.has.of(r) })
}

// ShowsWords reports whether the fonts have all the letters of a language's fixed words.
// Where they do not, a PDF has the English ones (semantics 19.3.4).
func (f Fonts) ShowsWords(w document.Words) bool {
	for _, text := range w.All() {
		for _, r := range text {
			if !f.shows(r) {
				return false
			}
		}
	}
	return true
}
