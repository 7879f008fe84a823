package canon_test

import (
	"fmt"

	"worlds/journal/canon"
)

func ExampleCanonicalize() {
	out, _ := canon.Canonicalize([]byte(`{ "name": "J\u00fcrg", "id": 7 }`))
	fmt.Println(string(out))
	_, err := canon.Canonicalize([]byte(`{"data":{"customers":[{"balance":1.5}]}}`))
	fmt.Println(err)
	// Output:
	// {"id":7,"name":"Jürg"}
	// $.data.customers[0].balance: number 1.5 is not an integer in plain decimal (at byte 33)
}

func ExampleMarshal() {
	type price struct {
		ID       string    `json:"id"`
		Amount   int64     `json:"amount"`
		Nickname string    `json:"nickname,omitempty"`
		Product  canon.Raw `json:"product"`
	}
	data := canon.Marshal(&price{ID: "price_1", Amount: 4000, Product: canon.Raw(`"prod_1"`)})
	fmt.Println(string(data))
	var back price
	fmt.Println(canon.Unmarshal([]byte(`{"amount":"4000"}`), &back))
	// Output:
	// {"amount":4000,"id":"price_1","product":"prod_1"}
	// $.amount: found a string where an integer should stand (at byte 10)
}

func ExampleAppendPretty() {
	fmt.Printf("%s\n", canon.AppendPretty(nil, []byte(`{"amount":4000,"id":"ch_1","object":"charge"}`), "id", "object"))
	// Output:
	// {
	//   "id": "ch_1",
	//   "object": "charge",
	//   "amount": 4000
	// }
}
