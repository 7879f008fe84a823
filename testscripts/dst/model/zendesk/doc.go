// Package zendesk is the model of the help desk: tickets, their comments and
// audits, users, groups, organizations, memberships, bulk jobs and the closing of
// solved tickets by time, as the published API describes them.
//
// It imports nothing of the product and shares no rule with it. Every record is
// kept as the JSON that it is shown as, so that an answer and a dump are compared
// whole.
//
// Nouns:
//
//   - record: one object, as it is shown, and the number of its creation.
//   - ticket: a record with its comments and audits, and what is not shown of it.
//   - refusal: why a request is refused. Where several things are wrong, a twin may
//     name any of them: the refusal holds all.
//   - cursor: where a page of a list ended, by the token that the twin gave out.
//
// # What is checked
//
// Whole objects, in every answer and in the dump: tickets, comments, audits, users,
// groups, organizations, both memberships, jobs, deleted tickets, tags, counts and
// lists in both pagings. Refusals by status, error, field and code. Ids are dense:
// the n-th ticket's is n more than before the first.
//
// # What is left out, and why
//
//   - The words of refusals, but for the three that clients are known to match on:
//     the vendor rewords them.
//   - The text of links to pages (next_page, links.next): that they are there is
//     checked, and following them checks what they lead to.
//   - html_body, but of one line of plain text: the vendor's rewriting is not
//     published.
//   - The order of events in an audit after the comment, and of search results: not
//     published. They are compared by field, and by id.
//   - Incremental exports, ticket_events, search/export, autocompletion, sideloads,
//     tickets/recent, show_many by external ids: readings of the same objects.
//   - Attachments, requests, ticket fields, satisfaction and the like: not served.
//   - Bulk jobs of users, organizations and memberships.
//   - The event log and the tables account and life: not the vendor's.
//   - Seeds with the older data.tickets or with tickets of their own, and automatic
//     clocks: New refuses them.
package zendesk
