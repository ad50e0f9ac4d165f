package letterhead

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
)

// Words are fixed words in each of the languages.
type Words[T any] map[Language]T

// ReadWords reads words/<language>.json of a program for each language; named notes the language in what was read. A file that is
// not there, or has a member that T has not, is an error of the program: it panics.
func ReadWords[T any](files fs.FS, named func(*T, Language)) Words[T] {
	all := Words[T]{}
	for _, language := range Languages {
		text, err := fs.ReadFile(files, "words/"+string(language)+".json")
		if err != nil {
			panic(err)
		}
		var words T
		named(&words, language)
		strict := json.NewDecoder(bytes.NewReader(text))
		strict.DisallowUnknownFields()
		if err := strict.Decode(&words); err != nil {
			panic(fmt.Sprintf("words of %s: %v", language, err))
		}
		all[language] = words
	}
	return all
}

// In returns the words of a language, the English ones of a language that there is not.
func (w Words[T]) In(language Language) T {
	if words, ok := w[language]; ok {
		return words
	}
	return w[English]
}
