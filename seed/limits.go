package seed

// Limits of a seed document. A file beyond one of them is refused with the path
// and the limit.
const (
	// MaxDocumentBytes is the greatest size of a seed file, with its byte-order mark.
	MaxDocumentBytes = 32 << 20
	// MaxObjects is the greatest number of objects in one section.
	MaxObjects = 100_000
	// MaxInvoiceLines is the greatest number of lines on one invoice.
	MaxInvoiceLines = 250
	// MaxInvoiceCharges is the greatest number of charges on one invoice.
	MaxInvoiceCharges = 100
	// MaxTags is the greatest number of tags on one ticket.
	MaxTags = 100

	// MaxIDLength is the greatest length of an id, in characters.
	MaxIDLength = 255
	// MaxNameLength is the greatest length of a seed's own name, in characters.
	MaxNameLength = 100
	// MaxEmailLength is the greatest length of an e-mail address, in characters.
	MaxEmailLength = 512
	// MaxTextLength is the greatest length of a name, a description or a subject, in characters.
	MaxTextLength = 5000
	// MaxBodyLength is the greatest length of a ticket's body, in characters.
	MaxBodyLength = 65536
	// MaxPhoneLength is the greatest length of a phone number, in characters.
	MaxPhoneLength = 20
	// MaxMetadataKeys is the greatest number of metadata keys on one object.
	MaxMetadataKeys = 50
	// MaxMetadataKeyLength is the greatest length of a metadata key, in characters.
	MaxMetadataKeyLength = 40
	// MaxMetadataValueLength is the greatest length of a metadata value, in characters.
	MaxMetadataValueLength = 500

	// MaxAmount is the greatest amount of money, in the currency's smallest unit.
	MaxAmount = 999_999_999_999
	// MaxQuantity is the greatest quantity of a line or a subscription.
	MaxQuantity = 1_000_000
	// MaxVersion is the greatest version number of a seed.
	MaxVersion = 1_000_000_000

	// MinEpoch is the earliest start of a world's clock: 2000-01-01T00:00:00Z.
	MinEpoch = 946_684_800
	// MaxEpoch is the latest start of a world's clock: 2100-01-01T00:00:00Z.
	MaxEpoch = 4_102_444_800
	// MaxInstant is the latest moment a document may name: 2200-01-01T00:00:00Z.
	MaxInstant = 7_258_118_400
	// MaxAutoTickSeconds is the greatest step of an automatic clock: 366 days.
	MaxAutoTickSeconds = 366 * 86400
	// MaxRetryDays is the greatest wait before a payment is tried again, in days.
	MaxRetryDays = 60
	// MaxRetries is the greatest number of times a payment is tried again.
	MaxRetries = 8

	// MaxProblems is the greatest number of problems that Invalid lists; the rest are counted.
	MaxProblems = 200
)
