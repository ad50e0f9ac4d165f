package importaccount

// Report says what a transfer did, and what it left behind.
type Report struct {
	Created map[string]int `json:"created"` // by kind: created in this run, or to be created in a dry one
	Kept    map[string]int `json:"kept"`    // by kind: created by an earlier run
	Left    []Left         `json:"left"`
}

// Left is something that is not at the target as it is at the source.
type Left struct {
	Kind   string `json:"kind"`
	ID     string `json:"id"` // at the source
	Name   string `json:"name,omitempty"`
	Reason string `json:"reason"`
}

func (t *transfer) leave(kind string, of object, reason string) {
	t.report.Left = append(t.report.Left, Left{kind, text(of, "id"), text(of, "name"), reason})
}
