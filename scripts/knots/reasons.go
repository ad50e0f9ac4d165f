package main

// reason is why so many files of a package may refer to each other.
type reason struct {
	files int // no more, and no fewer: the number is lowered with the knot
	why   string
}

var reasons = map[string]reason{
	"domain/rating":       {47, "a registry names all models, and each model uses the reader and the steps that all have"},
	"domain/metric":       {21, "a language: expressions hold expressions, and parser and compiler follow them"},
	"domain/subscription": {28, "terms are one thing with many questions; methods of Terms use each other"},

	// To be dissolved.
	"scripts/histories": {55, "the model, its steps and its comparisons are one package"},
}
