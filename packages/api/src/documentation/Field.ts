// The texts of fields in the document of the API, with an example where one helps. A key is the
// name of a field that means the same in every schema, or `Schema.field`. `Schema.object.field` is in a nested object.

export type Field = string | readonly [text: string, example: string | number]

export type Fields = Readonly<Record<string, Field>>
