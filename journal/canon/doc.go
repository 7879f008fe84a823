// Package canon is the one JSON form that everything in a world is kept in:
// RFC 8785 (JSON Canonicalization Scheme) restricted to integers. One value
// has exactly one spelling, so equal bytes, equal hashes and equal values are
// the same thing.
//
// The form: no white space; object keys sorted by UTF-16 code units and never
// repeated; strings in valid UTF-8 with the fewest escapes (\b \t \n \f \r \"
// \\, other controls as \u00xx in lowercase, nothing else); integers in plain
// decimal between -MaxInt and MaxInt; nesting of at most MaxDepth.
//
// Nouns:
//
//   - canonical bytes: a []byte that holds one value in that form. Raw is a
//     struct field that holds them.
//   - codec: the compiled reader and writer of one Go type. Append, Marshal
//     and Unmarshal compile it on first use and keep it. Check says whether a
//     type can have one.
//   - text: JSON as people and programs write it. Canonicalize turns text into
//     canonical bytes or refuses it; it never repairs.
//
// Codec-able types: string kinds, signed integer kinds, bool, structs whose
// exported fields all carry a json:"name" or json:"name,omitempty" tag
// (embedded structs are flattened), pointers (nil is null), slices (nil is
// []), maps with string-kind keys (nil is {}), and Raw (nil is null).
// omitempty leaves out "", 0, false, nil pointers, and empty slices, maps and
// Raw. There are no floats, no unsigned integers, no arrays, no interfaces and
// no recursive types.
//
// Caveats:
//
//   - The codec looks at a type's kind, never at its methods: MarshalJSON and
//     MarshalText are not called.
//   - Append panics on a string that is not valid UTF-8 and on an integer
//     beyond MaxInt. Both must be refused where they enter a world.
//   - Raw is trusted by Append and checked by Unmarshal. After Unmarshal a Raw
//     field may alias the input: keep the input unchanged while it is in use.
//   - Strings that Unmarshal makes are copies, cut from shared blocks of up to
//     1 KiB: a kept string can hold on to its neighbours.
//   - Empty and nil are one value: [] and {} decode to nil, null to a nil Raw.
//   - Get, Members, Elements, Skip, Unquote, Int and AppendPretty trust their
//     input. On bytes that are not canonical they neither panic nor loop, but
//     what they return means nothing.
//   - A Raw that is itself MaxDepth deep, embedded in a struct, makes a value
//     that Valid and Unmarshal refuse.
package canon
