package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/itchyny/gojq"
)

// jq is the name under which this program is a small jq, so that the README's commands run
// on a machine without one.
const jq = "jq"

// runJQ takes a filter, and -c or -r before it. Every value is printed on a line.
func runJQ(args []string, in io.Reader, out io.Writer) error {
	raw := args[0] == "-r"
	query, err := gojq.Parse(args[len(args)-1])
	if err != nil {
		return err
	}
	values := json.NewDecoder(in)
	values.UseNumber()
	for {
		var value any
		if err := values.Decode(&value); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		found := query.Run(value)
		for result, more := found.Next(); more; result, more = found.Next() {
			if err, failed := result.(error); failed {
				return err
			}
			text, isText := result.(string)
			if !isText || !raw {
				encoded, err := gojq.Marshal(result)
				if err != nil {
					return err
				}
				text = string(encoded)
			}
			if _, err := fmt.Fprintln(out, text); err != nil {
				return err
			}
		}
	}
}
