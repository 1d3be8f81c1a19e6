import { assert, describe, it } from "@effect/vitest"
import { type JsonSchema, Schema } from "effect"
import { authored } from "../../src/schema/AnySchema.ts"
import * as RootObject from "../../src/schema/RootObject.ts"

const place = { type: "object", properties: { city: { type: "string" } }, required: ["city"] }
const node = {
  type: "object",
  properties: { city: { type: "string" }, near: { type: "array", items: { $ref: "#/$defs/N" } } }
}
const closed = { ...place, additionalProperties: false }

const one: ReadonlyArray<readonly [string, JsonSchema.JsonSchema, JsonSchema.JsonSchema]> = [
  ["a reference", { $ref: "#/$defs/A", $defs: { A: place } }, place],
  ["a reference of draft 7", { $schema: "x", $ref: "#/definitions/A", definitions: { A: place } }, place],
  ["a reference to a reference", { $ref: "#/$defs/B", $defs: { B: { $ref: "#/$defs/A" }, A: place } }, place],
  ["one of anyOf", { anyOf: [place] }, place],
  ["one of oneOf", { oneOf: [place] }, place],
  ["one of allOf", { allOf: [place] }, place],
  ["one reference of anyOf", { anyOf: [{ $ref: "#/$defs/A" }], $defs: { A: place } }, place],
  ["a list of one type", { ...place, type: ["object"] }, place],
  [
    "a description beside it",
    { description: "outer", anyOf: [{ ...place, description: "inner" }] },
    { ...place, description: "outer" }
  ],
  [
    "two objects of allOf",
    {
      allOf: [{ $ref: "#/$defs/A" }, { properties: { zip: { type: "string" } }, required: ["zip"] }],
      $defs: { A: place }
    },
    { type: "object", properties: { city: { type: "string" }, zip: { type: "string" } }, required: ["zip", "city"] }
  ],
  ["a root that contains itself", { $ref: "#/$defs/N", $defs: { N: node } }, { ...node, $defs: { N: node } }],
  [
    "other definitions",
    { $ref: "#/$defs/A", $defs: { A: { ...place, not: { $ref: "#/$defs/B" } }, B: { type: "string" } } },
    { ...place, not: { $ref: "#/$defs/B" }, $defs: { B: { type: "string" } } }
  ]
]

const same: ReadonlyArray<readonly [string, JsonSchema.JsonSchema]> = [
  ["a choice", { anyOf: [place, { type: "object" }] }],
  ["a reference to itself", { $ref: "#/$defs/A", $defs: { A: { $ref: "#/$defs/A" } } }],
  ["a reference to nothing", { $ref: "#/$defs/X", $defs: { A: place } }],
  ["closed objects that add fields", { allOf: [closed, { properties: { zip: { type: "string" } } }] }],
  ["fields that disagree", { allOf: [place, { properties: { city: { type: "number" } } }] }],
  ["references into parts", { allOf: [{ ...place, not: { $ref: "#/allOf/0/properties/city" } }] }],
  ["conditions", { ...place, allOf: [{ if: place, then: place }, { if: closed, then: place }] }]
]

describe("RootObject.of", () => {
  it.each(one)("What stands for one object is this object: %s.", (_, schema, expected) => {
    assert.deepStrictEqual(RootObject.of(schema), expected)
    assert.deepStrictEqual(authored(schema).jsonSchema, expected)
  })

  it.each(same)("What is no object, or not surely one, stays as it is: %s.", (_, schema) => {
    assert.deepStrictEqual(RootObject.of(schema), schema)
  })

  it("Definitions that refer to each other many times end.", () => {
    const names = Array.from({ length: 40 }, (_, index) => `D${index}`)
    const $defs = Object.fromEntries(names.map((name, index) => [
      name,
      index === 39 ? place : { allOf: [{ $ref: `#/$defs/D${index + 1}` }, { $ref: `#/$defs/D${index + 1}` }] }
    ]))
    assert.isObject(RootObject.of({ $ref: "#/$defs/D0", $defs }))
  })

  it("A union of one struct of Effect Schema is this struct.", () => {
    const { jsonSchema } = authored(Schema.Union([Schema.Struct({ city: Schema.String })]))
    assert.strictEqual(jsonSchema["type"], "object")
    assert.isUndefined(RootObject.problemOf(jsonSchema))
  })
})

describe("RootObject.problemOf", () => {
  it.each<readonly [JsonSchema.JsonSchema, RegExp]>([
    [{ type: "string" }, /^a text\. Write z\.object/],
    [{ anyOf: [place, closed] }, /^a choice of 2\. Write one object, with a field that says which is meant$/],
    [{ type: ["object", "null"] }, /^a choice of object and null\./],
    [{ $ref: "#/$defs/X" }, /^the reference '#\/\$defs\/X', which leads to no object$/],
    [
      { $ref: "#/$defs/A/properties/city", $defs: { A: place } },
      /^the reference '#\/\$defs\/A\/properties\/city', and only those such as "#\/\$defs\/Name" are followed$/
    ],
    [
      { allOf: [closed, { properties: { zip: { type: "string" } } }] },
      /^an allOf whose parts cannot be joined to one object\. Write their fields in one object$/
    ],
    [{ enum: ["a"] }, /^no object\. Write/]
  ])("A root that is no object is described: %j.", (schema, expected) => {
    assert.match(RootObject.problemOf(schema) ?? "", expected)
  })
})

describe("the root of a schema of another server", () => {
  const city = { city: { type: "string" } }

  it.each<readonly [JsonSchema.JsonSchema, JsonSchema.JsonSchema | undefined]>([
    [{ type: "object" }, { type: "object" }],
    [{ properties: city, required: ["city"] }, { type: "object", properties: city, required: ["city"] }],
    [
      { $ref: "#/$defs/A", title: "T", $defs: { A: { $ref: "#/$defs/B" }, B: { properties: city } } },
      { type: "object", properties: city, title: "T", $defs: { A: { $ref: "#/$defs/B" }, B: { properties: city } } }
    ],
    [{}, undefined],
    [{ type: "string", properties: city }, undefined],
    [{ $ref: "#" }, undefined],
    [{ $ref: "#/$defs/__proto__", $defs: {} }, undefined],
    [{ $ref: "#/$defs/A", properties: city, $defs: { A: { type: "object" } } }, undefined],
    [{ $ref: "https://svc.example/schema" }, undefined],
    [{ $ref: "#/$defs/A", $defs: { A: true } }, undefined]
  ])("%j is one object, or none", (schema, object) => {
    assert.deepStrictEqual(RootObject.referred(schema), object)
  })
})
