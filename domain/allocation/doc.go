// Package allocation grants the credits that subscriptions come with.
//
// An allocation price grants credits each time a period of its cadence begins: a block of
// its own, which the schema allows once for each period. [Bring] brings the grants of a
// subscription into line with its terms, whenever these change and when a period begins.
// What the credits cost, if anything, is invoiced like any other fee.
//
// # Choices
//
// A partial period, such as the first one often is, is granted in full (semantics
// 11.2.3). So is a period that has begun when a subscription moves to another plan.
//
// Credits are in effect from the midnight that began the day on which the period begins,
// so that they can pay for all of that day. How long they last counts from there.
//
// However long they would last, they expire where the subscription ends or leaves the
// plan (semantics 11.2.4). As long as that lies ahead it can be taken back, and then they
// last as long as before. Where the end of a single price does not end the plan, its
// credits stay.
//
// A grant whose period is taken back expires. It is never granted again.
package allocation
