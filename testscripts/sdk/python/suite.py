"""What stripe-python makes of the surface: typed reads in the shape of its API
version, paging both ways, search, classes of error, replays. The server is
WORLDS_URL, the key STRIPE_KEY, the API version STRIPE_VERSION or the account's.
The world is the one of suite_test.go. Prints one line of JSON.

Written for Debian's python3-stripe 5.0.0.
"""

import json
import os

import stripe

VERSION = os.environ.get("STRIPE_VERSION") or "2026-08-26.dahlia"
SHAPE = "newest" if VERSION >= "2025-09-30" else "basil" if VERSION >= "2025-03-31" else "old"

stripe.api_base = os.environ.get("WORLDS_URL", "http://127.0.0.1:7357")
stripe.api_key = os.environ["STRIPE_KEY"]
stripe.api_version = VERSION
stripe.enable_telemetry = False
stripe.max_network_retries = 0

errors = {}


def check(got, want, what):
    if got != want:
        raise SystemExit("%s: got %r, want %r" % (what, got, want))


def refused(name, call, status, code):
    """Notes the class of error that a call fails with."""
    try:
        call()
    except stripe.error.StripeError as err:
        errors[name] = type(err).__name__
        check([err.http_status, err.code], [status, code], name)
        return err
    raise SystemExit("not refused: " + name)


def customers():
    params = {"email": "suite@example.com", "name": "Suite", "metadata": {"a": "1", "b": "2"}}
    first = stripe.Customer.create(idempotency_key="suite-1", **params)
    again = stripe.Customer.create(idempotency_key="suite-1", **params)
    check(again.last_response.body, first.last_response.body, "the replay")
    check(again.last_response.headers["Idempotent-Replayed"], "true", "Idempotent-Replayed")
    refused("reused key", lambda: stripe.Customer.create(idempotency_key="suite-1", name="Other"), 400, None)
    changed = stripe.Customer.modify(first.id, name="", description="x", metadata={"a": "", "c": "3"})
    check([changed.name, changed.description, dict(changed.metadata)], [None, "x", {"b": "2", "c": "3"}], "changed")
    method = stripe.PaymentMethod.attach("pm_card_visa", customer=first.id)
    stripe.Customer.modify(first.id, invoice_settings={"default_payment_method": method.id})
    gone = stripe.Customer.create(email="gone@example.com")
    check(stripe.Customer.delete(gone.id).deleted, True, "deleted")
    check(stripe.Customer.retrieve(gone.id).deleted, True, "deleted since")
    return first.id


def paging():
    forward = [c.id for c in stripe.Customer.list(limit=100).auto_paging_iter()]
    backward = [c.id for c in stripe.Customer.list(limit=100, ending_before=forward[-1]).auto_paging_iter()]
    check(backward[::-1], forward[:-1], "backward")
    found = {c.id for c in stripe.Customer.search(query="email~'paged.example'", limit=100).auto_paging_iter()}
    return {"rows": len(forward), "found": len(found)}


def subscriptions(customer):
    product = stripe.Product.create(name="Suite Pro")
    price = stripe.Price.create(product=product.id, currency="usd", unit_amount=1500, recurring={"interval": "month"})
    check(stripe.Price.list(product=product.id).data[0].unit_amount_decimal, "1500", "the price")
    coupon = stripe.Coupon.create(percent_off=12.5, duration="once")
    discount = {"coupon": coupon.id} if SHAPE == "old" else {"discounts": [{"coupon": coupon.id}]}
    sub = stripe.Subscription.create(
        customer=customer, items=[{"price": price.id}], expand=["latest_invoice"], **discount)
    invoice = sub.latest_invoice
    item = sub["items"].data[0]
    period = sub if SHAPE == "old" else item
    check(period.current_period_end - period.current_period_start, 31 * 86400, "the period")
    link = invoice.subscription if SHAPE == "old" else invoice.parent.subscription_details.subscription
    check([sub.status, invoice.total, link], ["active", 1312, sub.id], "the invoice")
    stripe.Subscription.modify(sub.id, cancel_at_period_end=True)
    stripe.Subscription.modify(sub.id, cancel_at_period_end=False, metadata={"plan": "pro"})
    check(stripe.SubscriptionItem.retrieve(item.id).quantity, 1, "quantity")
    found = stripe.Subscription.search(query="metadata['plan']:'pro'")
    check([s.id for s in found.data], [sub.id], "found")
    check(stripe.Subscription.delete(sub.id).status, "canceled", "canceled")
    if SHAPE == "old":
        return invoice.charge
    return stripe.Charge.list(customer=customer).data[0].id


def invoices(customer):
    draft = stripe.Invoice.create(customer=customer)
    stripe.InvoiceItem.create(customer=customer, invoice=draft.id, amount=700, currency="usd")
    stripe.InvoiceItem.create(customer=customer, invoice=draft.id, amount=300, currency="usd")
    opened = stripe.Invoice.finalize_invoice(draft.id)
    check([opened.status, opened.amount_remaining], ["open", 1000], "finalized")
    note = stripe.CreditNote.create(invoice=draft.id, amount=200)
    check([note.amount, note.status], [200, "issued"], "credit note")
    check(stripe.Invoice.pay(draft.id).amount_paid, 800, "paid")
    refused("paid twice", lambda: stripe.Invoice.pay(draft.id), 400, None)
    if SHAPE == "old":
        stripe.InvoiceItem.create(customer=customer, amount=250, currency="usd")
        check(stripe.Invoice.upcoming(customer=customer).total, 250, "upcoming")


def money(charge):
    refund = stripe.Refund.create(charge=charge, amount=100, reason="requested_by_customer")
    stripe.Refund.modify(refund.id, metadata={"why": "part"})
    seen = stripe.Charge.retrieve(charge, expand=["refunds", "balance_transaction", "customer"])
    check([seen.amount_refunded, len(seen.refunds.data), seen.customer.object], [100, 1, "customer"], "the charge")
    check(seen.balance_transaction.net, seen.amount - seen.balance_transaction.fee, "net")
    check(stripe.Balance.retrieve().object, "balance", "balance")


def refusals(customer, charge):
    refused("missing", lambda: stripe.Customer.retrieve("cus_none"), 404, "resource_missing")
    refused("unknown", lambda: stripe.Customer.create(nonsense=1), 400, "parameter_unknown")
    refused("limit", lambda: stripe.Customer.list(limit=101), 400, "parameter_invalid_integer")
    refused("over", lambda: stripe.Refund.create(charge=charge, amount=99999), 400, None)
    refused("card", lambda: stripe.PaymentIntent.create(
        amount=500, currency="usd", confirm=True, payment_method="pm_card_chargeDeclined"), 402, "card_declined")
    refused("key", lambda: stripe.Customer.list(api_key="sk_test_wrong"), 401, None)
    refused("permission", lambda: stripe.test_helpers.TestClock.create(frozen_time=1), 403, None)
    refused("rate limit", lambda: stripe.Coupon.retrieve("rate"), 429, None)
    refused("server", lambda: stripe.Coupon.retrieve("broken"), 500, None)
    refused("busy", lambda: stripe.Coupon.retrieve("busy"), 409, None)
    refused("connection", lambda: stripe.Coupon.retrieve("cut"), None, None)


def events():
    types = {e.type for e in stripe.Event.list(limit=100).auto_paging_iter()}
    hook = stripe.WebhookEndpoint.create(url="http://127.0.0.1:9/none", enabled_events=["customer.created"])
    check(stripe.WebhookEndpoint.delete(hook.id).deleted, True, "the endpoint")
    return sorted(types)


customer = customers()
paged = paging()
charge = subscriptions(customer)
invoices(customer)
money(charge)
refusals(customer, charge)
types = events()
print(json.dumps({**paged, "types": len(types), "errors": errors}))
