package stripe

import "worlds/twin"

// Name is the catalog's name: in commands, events and fault rules.
const Name = "stripe"

// Catalog is the Stripe twin as a table. The order is the order in which a
// seed's sections are filled.
func Catalog() *twin.Catalog {
	return twin.NewCatalog(Name, dialect(), wire(),
		couponAPI(),
		retiredCouponAPI(),
		couponReachAPI(),
		couponCurrencyAPI(),
		promotionCodeAPI(),
		discountAPI(),
		productAPI(),
		priceAPI(),
		planAPI(),
		customerAPI(),
		customerBalanceTransactionAPI(),
		taxIDAPI(),
		sourceAPI(),
		paymentMethodAPI(),
		spentMethodAPI(),
		tokenAPI(),
		paymentIntentAPI(),
		setupIntentAPI(),
		chargeAPI(),
		refundAPI(),
		balanceTransactionAPI(),
		balanceAPI(),
		accountAPI(),
		invoiceItemAPI(),
		invoiceAPI(),
		lineAPI(),
		invoicePaymentAPI(),
		disputeAPI(),
		creditNoteAPI(),
		creditNoteLineAPI(),
		subscriptionAPI(),
		subscriptionItemAPI(),
		customerSubscriptionAPI(),
		eventAPI(),
		eventLinksAPI(),
		webhookEndpointAPI(),
		deadlineAPI(),
		searchAPI(),
		testClockAPI(),
		paymentLinkAPI(),
		paymentLinkItemAPI(),
	)
}
