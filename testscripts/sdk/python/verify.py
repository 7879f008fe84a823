"""Verifies deliveries with stripe-python: for each n from 1 on, n.body in the
folder given is what came, n.sig its Stripe-Signature. Prints the type of each
event."""

import itertools
import pathlib
import sys

import stripe

folder, secret = pathlib.Path(sys.argv[1]), sys.argv[2]
for n in itertools.count(1):
    body = folder / f"{n}.body"
    if not body.exists():
        break
    signature = (folder / f"{n}.sig").read_text()
    print(stripe.Webhook.construct_event(body.read_bytes().decode("utf-8"), signature, secret)["type"])
