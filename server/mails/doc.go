// Package mails writes the mails that transactions cause, and sends them by SMTP.
package mails
