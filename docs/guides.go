// Package docs holds the guides, which the server shows beside the reference of the contract.
package docs

import "embed"

// Guides are the files of this folder, by name.
//
//go:embed *.md
var Guides embed.FS

// Order is the order in which the guides are read, by name without the ending.
var Order = []string{"first-bill", "keys", "webhooks", "backfills", "credits", "reports", "mail", "moving-in", "console", "assistants", "configuration", "production", "upgrade", "commands", "promises", "architecture", "releasing"}
