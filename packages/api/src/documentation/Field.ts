// What the API's document says about a field: a text, and an example where one helps. Keys are names of fields, because
// a name means the same everywhere; `Schema.field` describes a field of one schema.

export type Field = string | readonly [text: string, example: string | number]

export type Fields = Readonly<Record<string, Field>>
