package form

import "strings"

// Words writes a name of the contract as people read it: net_terms is Net terms.
func Words(name string) string {
	text := strings.ReplaceAll(name, "_", " ")
	if text == "" {
		return ""
	}
	for _, known := range [][2]string{{"sql", "SQL"}, {"url", "URL"}, {"id", "id"}, {"api key", "API key"}} {
		if text == known[0] {
			return known[1]
		}
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
