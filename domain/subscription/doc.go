// Package subscription knows which prices a customer is billed, over which
// time, and on which dates. What they cost is not decided here.
//
// # Choices
//
// Pieces. The life of a price on a subscription is cut at its billing cycles
// into services (service.go). A service in advance is billed on the date it
// starts, one in arrears on the date it ends; that is all there is to know
// about when something is billed. Invoices and daily costs read the same list.
//
// Parts. A price that is invoiced several times in a billing cycle has a service for each
// invoice: usage one from the start of the cycle on, of which earlier invoices have charged
// some, a fee an installment. Installments are equal, for months of any length; a part
// that is cut short has its days of one. Days pay for what they are: a fee that ends amid
// the cycle has no further installments. Whole pieces, which share no time, are what costs
// are worked out of.
//
// Waiting. What a price interval may defer goes to the next date on which the prices in
// force then are invoiced, or with none to the next of monthly ones, but not beyond the end
// of the subscription.
//
// Whose usage. Customers and filter that a subscription was created with hold for the usage
// prices that it begins with, and after a change of the plan that says nothing of them for
// those of the new plan too.
//
// Anchors. Without an anchor, cycles begin on the first of the month, and those
// longer than a month take their phase from the month of the start: an annual
// price started on 15 January runs from the first of January, and its first,
// partial piece from the 15th. Cycles counted in days begin at the start date.
//
// Quantities. A fee in advance is billed for the quantity with which its piece begins;
// a greater one is billed for the difference on the day from which it holds, a smaller
// one is credited. Such a difference gets percentage discounts, since amounts, minimums
// and maximums are for the whole piece. In arrears there is one charge: each quantity weighs
// by its days, and the last one in force is shown.
// What is billed once is for the quantity of the day. Where a charge resumes, since an end
// was taken back, it is for the quantity in force, whenever that was set. A trial that
// becomes shorter leaves the last quantity of the days that it loses.
//
// Plans. A subscription spends plan intervals on plans, one after the other; prices, phases and
// adjustments of a plan belong to its plan interval and are cut where the next one begins, when
// they are read. So a change of the plan that lies ahead can be taken back without a
// trace. A plan interval may start cycles again. The discount of a coupon is for prices, so it
// ends with those of the plan that it was redeemed for.
//
// Versions. A plan migration gives a subscription a plan interval on the other version, and what both
// versions have goes over to it, so that it is billed as if nothing had happened. What usage a price that
// ends had amid a cycle waits for the next regular invoice. A price that follows another has the
// quantity and the scope that the subscription gave that one. A trial goes on, as one. A
// coupon names the prices that it is for like any adjustment of a subscription, and blocks a
// migration that replaces one.
//
// Cancellations. A new end takes the place of the one before, also where that was set
// when the subscription was made. What was charged up to an end that is taken back is
// billed from there on, on that date.
//
// Edited intervals. What is added belongs to the plan interval that it begins in and ends with
// it; dates outside of the plan interval or the subscription are refused, and so is a price twice
// at a time. A billing day is that of the whole interval: from a date on there is another
// one by ending the interval and adding the next. Quantities are of local days. Null
// brings back the default of what is edited. Other customers, another filter and other
// parameters count from the instant of the edit on; what was used before counts as it did.
//
// Trials. A trial is of a plan interval. It is a cycle of its own: usage in it is one service,
// which nothing adjusts but the trial itself, in any unit; fees begin where it ends. The
// term of a subscription in a trial is the trial, so a cancellation at the end of the term
// leaves nothing to pay. One that has ended is not begun again. A shift moves every date
// of the plan interval from the end of the trial on, by local days, with phases, quantities and
// the end that the plan has by itself; coupons, changes of the plan and cancellations stay.
//
// One-time prices are billed once. In advance that is on the start date. Usage
// and fees in arrears of a one-time price cover the time up to the first
// billing date after the start, or to the end if that comes first (price
// models 5.2). A subscription of one-time prices only has monthly billing
// periods.
//
// An end date that falls inside a cycle cuts the last piece; a fee billed in
// advance for it is prorated from the outset, since the end is known.
//
// An anchor and the alignment to the start date exclude each other in a
// request: they are two answers to one question.
//
// Coupons. The redemption of a coupon is the interval of its discount, which names
// it. On a subscription that has not begun it takes effect at the start, at the
// earliest. Several may be redeemed one after another; the last one is shown as
// the subscription's, also when it has run out. One that was to begin after a cancellation,
// that is removed before its day, or whose plan change is undone, can be redeemed again. One
// that has begun was used, also if its discount is removed or all of its prices are. Otherwise
// a redemption stays when something scheduled is taken back, and is then what it would be
// without that: so it is for prices too that end before it begins, as things stand, and has
// its months whatever end the subscription was to have in between. The months of a coupon
// end as long after midnight as they began, so that each has one billing date of a month.
//
// Revisions. Each change ends a revision of the terms, whose rows are kept as they were,
// for good, and each invoice names the revision that it was issued by. So it can be worked
// out anew, whatever was edited since, and at whatever instant. Rows of the past are not
// looked at otherwise: what is billed follows from the present ones alone.
//
// Pending changes. A change that is to wait is kept as its request and made by the same
// path as any other when it is applied, so what it comes to is worked out then, and where
// somebody looks at it before, made and taken back. Nothing else may change the
// subscription meanwhile; only time goes on. A change that nobody decides on is cancelled
// after 30 days.
//
// Differences from the plan. A price that is named, by id or alias, is billed as it
// is, under its own id; one that was made for another subscription cannot be named.
// What replaces a price takes its phase, and adjustments of the replaced price alone
// go over to it. A minimum, maximum or discount in the older form, as a field of the
// entry, takes the place of those of its kind, so that a price does not get two.
// An override is such a replacement of a price by itself.
package subscription
