"""A support job by stripe-python: a customer was charged twice, refund one of
the two. The server is WORLDS_URL, the key STRIPE_KEY. Prints one line of JSON,
the same as support.js and main.go do.

Written for Debian's python3-stripe 5.0.0. It names no API version by itself,
which means the account's default; here one is pinned.
"""

import json
import os

import stripe
from stripe.api_resources.abstract import ListableAPIResource

DANA = "dana@doublepay.example"
PAGE = 7  # small, so that paging happens

stripe.api_base = os.environ.get("WORLDS_URL", "http://127.0.0.1:7357")
stripe.api_key = os.environ["STRIPE_KEY"]
stripe.api_version = "2026-08-26.dahlia"
stripe.enable_telemetry = False
stripe.max_network_retries = 0


class InvoicePayment(ListableAPIResource):
    """A resource that is younger than the library."""

    OBJECT_NAME = "invoice_payment"


def check(got, want, what):
    if got != want:
        raise SystemExit("%s: got %r, want %r" % (what, got, want))


def find_customer():
    found = stripe.Customer.list(email=DANA)
    check(len(found.data), 1, "customers with the e-mail " + DANA)
    return found.data[0]


def find_duplicate(customer):
    """The duplicate is the later of two paid payments of one invoice."""
    invoices, payments, duplicates = 0, 0, []
    for invoice in stripe.Invoice.list(customer=customer.id, limit=PAGE).auto_paging_iter():
        invoices += 1
        paid = InvoicePayment.list(
            invoice=invoice.id,
            status="paid",
            expand=["data.payment.payment_intent.latest_charge"],
        )
        payments += len(paid.data)
        if len(paid.data) > 1:
            duplicates.append((invoice.id, paid.data[0].payment.payment_intent.latest_charge))
    check(len(duplicates), 1, "invoices that were paid twice")
    invoice, charge = duplicates[0]
    check([charge.amount, charge.currency, charge.refunded], [4000, "usd", False], "the duplicate")
    return {"invoices": invoices, "payments": payments, "invoice": invoice, "charge": charge.id}


def refund_once(charge):
    params = {
        "charge": charge,
        "reason": "duplicate",
        "metadata": {"note": "paid twice: 2 × $40 & no more"},
    }
    refund = stripe.Refund.create(**params)
    check([refund.amount, refund.status, refund.reason], [4000, "succeeded", "duplicate"], "the refund")
    check(refund.metadata["note"], params["metadata"]["note"], "its metadata")
    check(refund.last_response.request_id[:4], "req_", "its request id")
    try:
        stripe.Refund.create(**params)
    except stripe.error.InvalidRequestError as refusal:
        check(refusal.http_status, 400, "the refusal's status")
        return {"refund": refund.id, "refused": refusal.code}
    raise SystemExit("the second refund was not refused")


def check_refunded(charge_id):
    charge = stripe.Charge.retrieve(charge_id)
    check([charge.refunded, charge.amount_refunded], [True, 4000], "the charge")
    events = stripe.Event.list(type="charge.refunded")
    matching = [e for e in events.data if e.data.object.id == charge_id]
    check(len(matching), 1, "events charge.refunded")
    event = matching[0]
    check(event.data.object.refunded, True, "the event's object")
    check(event.data.previous_attributes.refunded, False, "what it was before")
    check(stripe.Event.retrieve(event.id).type, "charge.refunded", "the event by its id")
    return event.id


def count_both_ways():
    """Forward from the newest to the oldest; backward from there to the newest."""
    forward = [c.id for c in stripe.Customer.list(limit=PAGE).auto_paging_iter()]
    oldest = forward[-1]
    backward = [oldest]
    backward += [c.id for c in stripe.Customer.list(limit=PAGE, ending_before=oldest).auto_paging_iter()]
    check(backward[::-1], forward, "the customers backward")
    check(len(set(forward)), len(forward), "different customers")
    return {"backward": len(backward), "forward": len(forward)}


def main():
    customer = find_customer()
    summary = {"customer": customer.id}
    summary.update(find_duplicate(customer))
    summary.update(refund_once(summary["charge"]))
    check(summary["refused"], "charge_already_refunded", "the refusal's code")
    summary["event"] = check_refunded(summary["charge"])
    summary.update(count_both_ways())
    print(json.dumps(summary, sort_keys=True, separators=(",", ":")))


main()
