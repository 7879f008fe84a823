package zendesk

// CleanHTML and PlainText are what a comment keeps of markup, and what is read of it.
var (
	CleanHTML = cleanHTML
	PlainText = plainText
)
