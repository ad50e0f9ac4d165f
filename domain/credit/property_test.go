package credit_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/credit"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/store"
)

// lawSteps is how many changes a ledger of a check goes through: with the usual hundred
// checks they are ten thousand.
const lawSteps = 100

var _ = Describe("A ledger, after any operations", func() {
	It("is what a model of it is", func() {
		s := open()
		items := []catalog.Item{s.item, {}}
		s.update(func(tx *store.Tx) (err error) {
			items[1], err = catalog.CreateItem(tx, catalog.NewItem{Name: "Storage"})
			return err
		})
		rapid.Check(GinkgoT(), func(t *rapid.T) {
			undone := errors.New("undone")
			err := s.try(func(tx *store.Tx) error {
				newPlayed(t, tx, items).play()
				return undone
			})
			if !errors.Is(err, undone) {
				t.Fatalf("%v", err)
			}
		})
	})
})

// played is a ledger and its model, which go through the same.
type played struct {
	*model
	t     *rapid.T
	tx    *store.Tx
	begin time.Time
	buyer customer.Customer
	items []catalog.Item
	ids   []string // of the blocks of the model
	made  int      // lines so far that took the place of others, and
	names []string // the lines that there are now
}

func newPlayed(t *rapid.T, tx *store.Tx, items []catalog.Item) *played {
	p := &played{
		model: &model{now: 24 * 3, charges: map[modelCharge]int{}, paid: map[modelPaid]int{}},
		t:     t, tx: tx, items: items,
		begin: time.Date(2025, 2, 25, 0, 0, 0, 0, time.UTC), // a month ends soon
	}
	zone := "UTC"
	var err error
	p.buyer, err = customer.Create(tx, customer.NewCustomer{Name: "Ada", Email: "ada@example.com", Timezone: &zone})
	p.must(err)
	for range items {
		p.names = append(p.names, p.name())
	}
	return p
}

// name is another name for a line.
func (p *played) name() string {
	p.made++
	return fmt.Sprint(p.buyer.ID, "_", p.made)
}

func (p *played) must(err error) {
	if err != nil {
		p.t.Fatalf("%v", err)
	}
}

func (p *played) day(n int) time.Time { return p.begin.AddDate(0, 0, n) }

func (p *played) number(name string, from, to int) int {
	return rapid.IntRange(from, to).Draw(p.t, name)
}

func (p *played) play() {
	actions := []func(){p.add, p.add, p.use, p.use, p.use, p.wait, p.wait, p.take, p.void, p.amend, p.move, p.drop, p.carry, p.voidLine}
	p.tx.Now = p.begin.Add(time.Duration(p.now) * time.Hour)
	p.settleBoth()
	for range lawSteps {
		actions[p.number("action", 0, len(actions)-1)]()
		p.settleBoth()
	}
	p.compareEntries()
}

// settleBoth brings the ledger up to date, and compares what there is left.
func (p *played) settleBoth() {
	p.settleLocked(p.ledger())
}

func (p *played) settleLocked(ledger *credit.Ledger) {
	p.must(credit.Deduct(p.tx, ledger, p.demanded(), credit.Calendar{Location: time.UTC, Grace: modelGrace * time.Hour}, false))
	if balance := p.settle(); !ledger.Balance.Equal(money.FromInt(int64(balance))) {
		p.t.Fatalf("the balance is %s, and must be %d", ledger.Balance, balance)
	}
}

func (p *played) ledger() *credit.Ledger {
	ledger, err := credit.Lock(p.tx, p.buyer.ID, money.Credits)
	p.must(err)
	return ledger
}

// demanded are the charges of the model.
func (p *played) demanded() (charges []credit.Charge) {
	for day := 0; day <= p.today(); day++ {
		for line := 1; line <= len(p.items); line++ {
			amount := p.charges[modelCharge{day, line}]
			if amount == 0 {
				continue
			}
			c := credit.Charge{
				Day: period.DateOf(p.day(day), time.UTC), From: p.day(day), CommitAt: p.day(day + 1).Add(modelGrace * time.Hour),
				LineID: p.names[line-1], InvoiceID: "inv", PriceID: "price", ItemID: p.items[line-1].ID,
				Amount: money.FromInt(int64(amount)),
			}
			charges = append(charges, c)
		}
	}
	return charges
}

func (p *played) wait() {
	p.now += 6 * p.number("quarters of a day", 1, 5)
	p.tx.Now = p.begin.Add(time.Duration(p.now) * time.Hour)
}

// use makes a line charge something else for a day that is not closed.
func (p *played) use() {
	c := modelCharge{p.today() - p.number("days ago", 0, 1), p.number("line", 1, len(p.items))}
	if !p.closed(c.day) {
		p.charges[c] = p.number("charge", 0, 40)
	}
}

func (p *played) add() {
	b := &modelBlock{initial: p.number("amount", 1, 60), from: p.today() + p.number("from", -2, 2), item: p.number("item", 0, len(p.items)), cost: p.number("cost", 0, 2)}
	grant := credit.Grant{Currency: money.Credits, Amount: money.FromInt(int64(b.initial)), EffectiveAt: ref(p.day(b.from)), PerUnitCostBasis: ref(fmt.Sprint(b.cost))}
	if lasts := p.number("lasts", 0, 4); lasts > 0 {
		b.until = max(b.from, p.today()) + lasts
		grant.ExpiresAt = ref(p.day(b.until))
	}
	if b.item > 0 {
		grant.Filters = []credit.ItemFilter{{Operator: credit.Includes, ItemIDs: []string{p.items[b.item-1].ID}}}
	}
	entry, err := credit.Add(p.tx, p.buyer, grant)
	p.must(err)
	b.left = b.initial
	p.blocks, p.ids = append(p.blocks, b), append(p.ids, entry.BlockID)
}

func (p *played) take() {
	amount := p.number("amount", 1, 80)
	last, err := credit.Decrement(p.tx, p.ledger(), p.buyer, money.FromInt(int64(amount)), credit.Note{})
	p.must(err)
	if p.decrement(amount); len(p.blocks) > len(p.ids) {
		p.ids = append(p.ids, last.BlockID)
	}
}

// some picks a block, and tells what it has left and lost; nil if there is none.
func (p *played) some() (b *modelBlock, id string) {
	if len(p.blocks) == 0 {
		return nil, ""
	}
	k := p.number("block", 0, len(p.blocks)-1)
	if p.blocks[k].gone {
		return nil, ""
	}
	return p.blocks[k], p.ids[k]
}

func (p *played) void() {
	b, id := p.some()
	if b == nil {
		return
	}
	amount := p.number("amount", 1, 30)
	_, err := credit.Void(p.tx, p.ledger(), id, money.FromInt(int64(amount)), nil, credit.Note{})
	if p.refusedOr(err, amount <= b.shows) {
		b.left -= amount
	}
}

func (p *played) amend() {
	b, id := p.some()
	if b == nil {
		return
	}
	amount := p.number("amount", 1, 30)
	_, err := credit.Amend(p.tx, p.ledger(), id, money.FromInt(int64(amount)), credit.Note{})
	if p.refusedOr(err, amount <= b.initial-b.shows && !b.over(p.today())) {
		b.left += amount
	}
}

func (p *played) move() {
	b, id := p.some()
	if b == nil {
		return
	}
	amount, target := p.number("amount", 1, 30), p.today()+p.number("target", 0, 6)
	moved := credit.ExpiryChange{BlockID: &id, Amount: ref(money.FromInt(int64(amount))), Target: p.day(target)}
	_, err := credit.ChangeExpiration(p.tx, p.ledger(), moved)
	if !p.refusedOr(err, amount <= b.shows && target >= b.from && !b.over(p.today())) {
		return
	}
	b.left -= amount
	other := *b
	other.initial, other.left, other.until = amount, amount, target
	var newest credit.Block
	p.must(p.tx.Where("customer_id = ?", p.buyer.ID).Order("seq DESC").Take(&newest).Error)
	p.blocks, p.ids = append(p.blocks, &other), append(p.ids, newest.ID)
}

// drop deletes a block. Other blocks pay for the days that are not invoiced.
func (p *played) drop() {
	if p.number("really", 0, 4) > 0 {
		return
	}
	b, id := p.some()
	if b == nil || b.shows < 0 {
		return
	}
	block, err := credit.FindBlock(p.tx, id)
	p.must(err)
	p.must(credit.Delete(p.tx, p.ledger(), block, func(string) bool { return true }))
	b.gone, b.left = true, 0
	for paid := range p.paid {
		if p.blocks[paid.block] == b {
			p.paid[paid] = 0
		}
	}
}

// carry makes another line bill what one did. It changes nothing else.
func (p *played) carry() {
	line := p.number("line", 1, len(p.items))
	paid, err := credit.DaysOfLines(p.tx, []string{p.names[line-1]})
	p.must(err)
	days := []period.Date{}
	for _, of := range paid {
		days = append(days, of.Day)
	}
	name := p.name()
	p.must(credit.Carry(p.tx, p.names[line-1], days, name, "inv_other"))
	p.names[line-1] = name
}

// voidLine makes a line void, and another one charges what comes.
func (p *played) voidLine() {
	if p.number("really", 0, 4) > 0 {
		return
	}
	line := p.number("line", 1, len(p.items))
	maps.DeleteFunc(p.charges, func(c modelCharge, _ int) bool { return c.line == line })
	p.settleBoth()
	ledger := p.ledger()
	p.must(credit.GiveBackVoid(p.tx, ledger, p.names[line-1]))
	p.model.void(line)
	p.names[line-1] = p.name()
	p.settleLocked(ledger)
	p.must(p.tx.Model(&credit.Block{}).Where("customer_id = ?", p.buyer.ID).Order("seq").Pluck("id", &p.ids).Error)
}

// refusedOr reports whether a change took place, which must be so if it is allowed.
func (p *played) refusedOr(err error, allowed bool) bool {
	if (err == nil) != allowed {
		p.t.Fatalf("allowed: %v, but the outcome is %v", allowed, err)
	}
	return allowed
}

// compareEntries checks the rows: the blocks hold what the model says, the entries follow
// from each other, pay for no day more than it charged, and lead to the balance.
func (p *played) compareEntries() {
	for k, id := range p.ids {
		var b credit.Block
		p.must(p.tx.Where("id = ?", id).Take(&b).Error)
		want := p.blocks[k].shows
		if !b.Balance.Equal(money.FromInt(int64(want))) {
			p.t.Fatalf("block %d holds %s, and must hold %d", k, b.Balance, want)
		}
	}
	var entries []credit.Entry
	p.must(p.tx.Where("customer_id = ?", p.buyer.ID).Order("sequence").Find(&entries).Error)
	var balance money.Decimal
	paid := map[modelCharge]money.Decimal{}
	for k, e := range entries {
		if e.Sequence != int64(k+1) || !e.StartingBalance.Equal(balance) {
			p.t.Fatalf("entry %d is numbered %d and begins with %s after %s", k+1, e.Sequence, e.StartingBalance, balance)
		}
		balance = e.EndingBalance
		if e.LineID == nil {
			continue
		}
		c := modelCharge{int(e.Day.In(time.UTC).Sub(p.begin).Hours()) / 24, slices.Index(p.names, *e.LineID) + 1} // 0: void, so 0 must be paid
		paid[c] = paid[c].Add(e.StartingBalance.Sub(e.EndingBalance))
	}
	for c, amount := range paid {
		if amount.Cmp(money.FromInt(int64(p.charges[c]))) > 0 {
			p.t.Fatalf("line %d was paid %s for day %d, of %d", c.line, amount, c.day, p.charges[c])
		}
	}
	if ledger := p.ledger(); !ledger.Balance.Equal(balance) || ledger.LastSequence != int64(len(entries)) {
		p.t.Fatalf("%d entries lead to %s, not to the balance of %s", len(entries), balance, ledger.Balance)
	}
	for _, wrong := range []func(*store.Tx) ([]string, error){credit.BrokenLedgers, credit.UnbalancedLedgers, credit.WrongBlocks} {
		found, err := wrong(p.tx)
		p.must(err)
		Expect(found).To(BeEmpty())
	}
}
