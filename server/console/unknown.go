package console

import "github.com/a-h/templ"

// unknownPage answers addresses that no page has.
func unknownPage(*visit) (templ.Component, error) { return nil, &failure{Status: 404} }
