package account

import (
	"errors"
	"net/mail"
	"regexp"
	"slices"
	"strings"
)

// mailFrom reads the name and the address that mails are from. "" ends mail.
func mailFrom(value string) (any, error) {
	if value = strings.TrimSpace(value); value == "" {
		return nil, nil //nolint:nilnil // no sender
	}
	from, err := mail.ParseAddress(value)
	if err != nil || len(value) > longestAddress {
		return nil, errors.New("must be an address such as Acme <billing@acme.example>, or empty for no mail")
	}
	return from.String(), nil
}

const (
	longestAddress = 320 // characters, with a name
	mostAddresses  = 20
)

// addresses reads addresses that commas part.
func addresses(value string) (any, error) {
	if strings.TrimSpace(value) == "" {
		return "", nil
	}
	list, err := mail.ParseAddressList(value)
	if err != nil || len(list) > mostAddresses {
		return nil, errors.New("must be addresses such as ann@acme.example,bob@acme.example, at most 20")
	}
	var plain []string
	for _, one := range list {
		if strings.Contains(one.Address, ",") || slices.Contains(plain, one.Address) {
			return nil, errors.New("must be different addresses without commas in them")
		}
		plain = append(plain, one.Address)
	}
	return strings.Join(plain, ","), nil
}

// reminderList is days parted by commas.
var reminderList = regexp.MustCompile(`^(-?[0-9]{1,3}(,-?[0-9]{1,3}){0,9})?$`)

// reminderDays reads days after the due date; negative ones are before it.
func reminderDays(value string) (any, error) {
	if value = strings.ReplaceAll(value, " ", ""); !reminderList.MatchString(value) {
		return nil, errors.New("must be at most ten days after the due date, or before it if negative, such as -3,1,7; or empty")
	}
	return value, nil
}

// showMailFrom is the sender in the form that Set takes.
func showMailFrom(a Account) string {
	if a.MailFrom == nil {
		return ""
	}
	return *a.MailFrom
}
