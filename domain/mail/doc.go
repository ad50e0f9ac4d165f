// Package mail has the mails of an account: to its customers about their invoices, and to its own people about
// alerts. Its records hold what is sent; the server writes and sends them (server/mails).
//
// # Choices
//
// A mail is queued in the transaction of its cause, with the text that is sent. There is one for each
// recipient, so that an address that is refused keeps no other from its mail. A constraint lets a
// recipient have one mail of an occasion.
//
// Not twice. SMTP has no transactions: a server that dies, or loses the connection, after the end
// of a message cannot know whether it was taken. Such a mail is uncertain. It is not sent again by itself, but can
// be by hand, under the same Message-ID. In every other case the outcome is known, and a
// mail that was not taken is tried again. Webhooks are the other way: their receivers tell
// repetitions by an id, and people do not.
//
// An account sends mail once it says in whose name (the setting mail_from), since a customer takes mail unless
// told otherwise: an account that moves here has customers who get mail from elsewhere. Reminders are off
// until the account names their days.
//
// Links that sign a person in (password resets, invitations) are not queued. The database has only
// their digests, and would have them in the mail. They are sent at once, while the person who asked waits.
// A link to the portal is made as its mail is sent, for the same reason: the queued mail has a placeholder.
//
// A mail is in one language. The words of a customer's language come with the server. A text of the account's own has
// one language, which is taken to be that of its letterhead.
//
// Texts. An account can change the subject and the paragraphs of each kind, with named values
// in braces. The frame around them stays: an account that could write Go templates could have the server run them for
// ever, and HTML of its own would look good in one mail program.
package mail
