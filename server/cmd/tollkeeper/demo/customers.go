package demo

// customer is a customer of the demo, in the order of their first day.
type customer struct {
	alias, name string
	zone        string // IANA name
	currency    string
	plan        string // external id
	start       string // first day
	daily       int    // about how many map tiles, in thousands a day
	seats       int
}

// customers are 20. Names are short, long, and in several scripts.
var customers = []customer{
	{"acme", "Acme Logistics", "America/New_York", "USD", "scale", "2025-01-01", 90, 12},
	{"alpenblick", "Alpenblick Reisen GmbH", "Europe/Berlin", "EUR", "team", "2025-01-01", 14, 5},
	{"baywatch", "Bay Area Watch", "America/Los_Angeles", "USD", "starter", "2025-01-01", 2, 0},
	{"cafe-lumiere", "Café Lumière", "Europe/Paris", "EUR", "starter", "2025-01-02", 1, 0},
	{"delta", "Delta Freight", "America/Chicago", "USD", "team", "2025-01-03", 22, 8},
	{"edo", "江戸地図株式会社", "Asia/Tokyo", "USD", "team", "2025-01-06", 17, 4},
	{"fjord", "Fjord og Fjell AS", "Europe/Oslo", "EUR", "starter", "2025-01-06", 3, 0},
	{"globex", "Globex", "UTC", "USD", "scale", "2025-01-08", 140, 20},
	{"hermes", "Ερμής Ταχυμεταφορές", "Europe/Athens", "EUR", "starter", "2025-01-09", 4, 0},
	{"initech", "Initech", "America/Chicago", "USD", "team", "2025-01-13", 9, 3},
	{"jotunheim", "Jotunheim Analytics", "Europe/Oslo", "EUR", "team", "2025-01-13", 31, 6},
	{"kestrel", "Kestrel Surveying", "Europe/London", "USD", "starter", "2025-01-15", 2, 0},
	{"long-name", "The Honourable Company of Cartographers, Surveyors and Makers of Globes, Charts and Atlases of the Northern Provinces (Holding) Limited",
		"Europe/London", "USD", "team", "2025-01-15", 11, 2},
	{"meridian", "Meridian Maps", "Australia/Sydney", "USD", "scale", "2025-01-20", 60, 9},
	{"northstar", "Northstar Drones", "America/Denver", "USD", "starter", "2025-01-22", 5, 0},
	{"orbit", "Orbit Ride", "America/Sao_Paulo", "USD", "team", "2025-01-27", 26, 7},
	{"piccolo", "Piccolo", "Europe/Rome", "EUR", "starter", "2025-02-01", 0, 0},
	{"quarry", "Quarry & Sons", "Europe/Dublin", "EUR", "team", "2025-02-03", 8, 3},
	{"roadrunner", "Roadrunner Delivery", "America/Phoenix", "USD", "scale", "2025-02-10", 75, 10},
	{"stadtplan", "Stadtplan Süd", "Europe/Vienna", "EUR", "starter", "2025-02-17", 3, 0},
}
