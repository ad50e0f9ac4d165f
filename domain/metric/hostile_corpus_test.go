package metric_test

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// corpus reads the statements of a file of testdata/hostile, one a line; lines that
// begin with ## are headings. Those of quoted.txt are strings of Go.
func corpus(name string) (statements []string, err error) {
	file, err := os.Open(filepath.Join("testdata", "hostile", name))
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		statement := lines.Text()
		if statement == "" || strings.HasPrefix(statement, "##") {
			continue
		}
		if filepath.Ext(name) == ".txt" {
			if statement, err = strconv.Unquote(statement); err != nil {
				return nil, err
			}
		}
		statements = append(statements, statement)
	}
	return statements, nil
}

// hostile is the corpus outside of the language, and inside of it what only looks so.
func hostile() (refused, accepted []string, err error) {
	for _, name := range []string{"refused.sql", "quoted.txt"} {
		statements, err := corpus(name)
		if err != nil {
			return nil, nil, err
		}
		refused = append(refused, statements...)
	}
	accepted, err = corpus("accepted.sql")
	return refused, accepted, err
}

// bombs are inside the language and made to take long: to read, to plan or to run.
var bombs = map[string]string{
	"a thousand comparisons of a long string":   "SELECT COUNT(*) FROM events WHERE FALSE" + counting(" OR s = '%d'", 1, 700),
	"a thousand changes of a long string":       "SELECT COUNT(*) FROM events WHERE FALSE" + counting(" OR UPPER(s) = '%d'", 1, 400),
	"patterns that nearly match everywhere":     "SELECT COUNT(*) FROM events WHERE FALSE" + strings.Repeat(" OR s LIKE '%"+strings.Repeat("s", 980)+"x'", 9),
	"patterns of many parts":                    "SELECT COUNT(*) FROM events WHERE s LIKE '" + strings.Repeat("%s_", 300) + "x'",
	"a string made of long strings":             "SELECT SUM(LENGTH(CONCAT(s" + strings.Repeat(", s", 99) + "))) FROM events",
	"strings made of such":                      "SELECT COUNT(*) FROM events WHERE FALSE" + counting(" OR CONCAT(s, s, s, s) = '%d'", 1, 300),
	"strings made of strings made of strings":   "SELECT COUNT(" + strings.Repeat("CONCAT(s, ", 40) + "s" + strings.Repeat(")", 40) + ") FROM events",
	"orders of long strings":                    "SELECT LATEST_BY(n, CONCAT(s, s)) + EARLIEST_BY(n, UPPER(s)) + COUNT(DISTINCT CONCAT(s, 'x')) FROM events",
	"groups of long strings":                    "SELECT COUNT(*) FROM (SELECT CONCAT(s, s, n) AS a FROM events GROUP BY CONCAT(s, s, n)) t",
	"many averages":                             "SELECT AVG(n)" + counting(" + AVG(n + %d)", 1, 99) + " FROM events",
	"many counts of different values":           "SELECT 0" + counting(" + COUNT(DISTINCT n + %d)", 1, 99) + " FROM events",
	"many percentiles":                          "SELECT 0" + counting(" + PERCENTILE_CONT(n + %d, 0.5)", 1, 99) + " FROM events",
	"ranges in ranges, which double each time":  "SELECT SUM(" + strings.Repeat("CASE WHEN ", 9) + "n" + strings.Repeat(" BETWEEN 1 AND 2 THEN 1 END", 9) + ") FROM events",
	"choices in choices":                        "SELECT SUM(" + strings.Repeat("CASE WHEN n > 1 THEN n ELSE ", 45) + "n" + strings.Repeat(" END", 45) + ") FROM events",
	"quotients of quotients":                    "SELECT SUM(" + strings.Repeat("n / (", 15) + "n" + strings.Repeat(")", 15) + ") FROM events",
	"products of all digits":                    "SELECT SUM(" + strings.Repeat("n * ", 15) + "n) FROM events",
	"GREATEST in GREATEST":                      "SELECT SUM(" + strings.Repeat("GREATEST(s, n, ", 30) + "n" + strings.Repeat(")", 30) + ") FROM events",
	"sub-queries that group in each other":      "SELECT SUM(x) FROM " + strings.Repeat("(SELECT s, SUM(x) AS x FROM ", 8) + "(SELECT s, n AS x FROM events) t" + strings.Repeat(" GROUP BY s) t", 8),
	"sub-queries that count in each other":      "SELECT SUM(x) FROM " + strings.Repeat("(SELECT COUNT(DISTINCT x) AS x FROM ", 8) + "(SELECT n AS x FROM events) t" + strings.Repeat(" GROUP BY x) t", 8),
	"a hundred columns, through all steps":      "SELECT SUM(c0) FROM " + strings.Repeat("(SELECT c0"+counting(", c%d", 1, 99)+" FROM ", 5) + "(SELECT n AS c0" + counting(", n + %[1]d AS c%[1]d", 1, 99) + " FROM events) t" + strings.Repeat(") t", 5),
	"a hundred groups":                          "SELECT COUNT(*) FROM (SELECT COUNT(*) AS c FROM events GROUP BY n" + counting(", n + %d", 1, 99) + ") t",
	"a thousand values of a list":               "SELECT COUNT(*) FROM events WHERE n IN (0" + counting(", %d", 1, 999) + ")",
	"lists in lists":                            "SELECT COUNT(*) FROM events WHERE " + strings.Repeat("CASE WHEN ", 4) + "n" + strings.Repeat(" IN (1, '1', TRUE, NULL, 2, '2') THEN 1 END", 4) + " IN (1)",
	"times that must be tried":                  "SELECT COUNT(*) FROM events WHERE FALSE" + counting(" OR s > timestamp OR CONCAT(s, '%d') < timestamp", 1, 100),
	"numbers that must be tried":                "SELECT SUM(0" + counting(" + CAST(s AS DECIMAL) + CAST(SUBSTR(s, %d) AS BIGINT)", 1, 60) + ") FROM events",
	"a metric of ten thousand letters":          "SELECT COUNT(" + strings.Repeat("a", 9_970) + ") FROM events",
	"a name of ten thousand quotes":             `SELECT COUNT("` + strings.Repeat(`""`, 4_970) + `") FROM events`,
	"NOT, fifty deep":                           "SELECT COUNT(*) FROM events WHERE " + strings.Repeat("NOT ", 48) + "n = 1",
	"brackets, fifty deep":                      "SELECT SUM(" + strings.Repeat("(", 45) + "n" + strings.Repeat(")", 45) + ") FROM events",
	"conditions that each need the whole event": "SELECT COUNT(*) FROM events WHERE FALSE" + counting(" OR p%d = 1", 1, 700),
}
