// The form that people fill for a JSON Schema: one field for each property, and their values as the schema means them.
import type * as Json from "@svc-runtime/domain/Json"
import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import type { AnySchema } from "../../src/schema/AnySchema.ts"
import { authored } from "../../src/schema/AnySchema.ts"
import * as Form from "../../src/tool/Form.ts"

const jsonSchemaOf = (schema: AnySchema) => authored(schema).jsonSchema as Json.Object

/** The field of a property without what has no value. */
const fieldOf = (schema: Json.Object) => {
  const [field] = Form.fieldsOf(schema)
  const { description, name: _, value, ...rest } = field!
  return { ...rest, ...(description === null ? {} : { description }), ...(value === null ? {} : { value }) }
}

const kinds: ReadonlyArray<readonly [name: string, zod: z.ZodType, effect: Schema.Constraint, field: object]> = [
  ["a text", z.string(), Schema.String, { field_type: "str", required: true }],
  ["a whole number", z.int(), Schema.Int, { field_type: "int", required: true }],
  ["a number", z.number(), Schema.Finite, { field_type: "float", required: true }],
  ["a truth value", z.boolean(), Schema.Boolean, { field_type: "bool", required: true }],
  ["a nullable text", z.string().nullable(), Schema.NullOr(Schema.String), { field_type: "str", required: false }],
  ["a nullable number", z.int().nullable(), Schema.NullOr(Schema.Int), { field_type: "int", required: false }],
  [
    "an enum",
    z.enum(["S", "L"]),
    Schema.Literals(["S", "L"]),
    { field_type: "str", required: true, allowed_values: ["S", "L"] }
  ],
  [
    "a nullable enum",
    z.enum(["S", "L"]).nullable(),
    Schema.NullOr(Schema.Literals(["S", "L"])),
    { field_type: "str", required: false, allowed_values: ["S", "L"] }
  ],
  [
    "a union of literals of one type",
    z.union([z.literal(1), z.literal(2)]),
    Schema.Union([Schema.Literal(1), Schema.Literal(2)]),
    { field_type: "int", required: true, allowed_values: [1, 2] }
  ],
  [
    "a union of literals of several types",
    z.union([z.literal(1), z.literal("many"), z.null()]),
    Schema.Union([Schema.Literal(1), Schema.Literal("many"), Schema.Null]),
    { field_type: "str", required: false, allowed_values: [1, "many"] }
  ],
  [
    "a union of types",
    z.union([z.number(), z.string()]),
    Schema.Union([Schema.Finite, Schema.String]),
    { field_type: "str", required: true }
  ],
  ["a list", z.array(z.string()), Schema.Array(Schema.String), { field_type: "list", required: true }],
  [
    "an object",
    z.object({ a: z.int().nullable() }),
    Schema.Struct({ a: Schema.NullOr(Schema.Int) }),
    { field_type: "dict", required: true }
  ],
  ["a date", z.iso.datetime(), Schema.Date, { field_type: "str", required: true }]
]

describe("the fields of a form", () => {
  it.each(kinds)("%s is the same field for each schema library", (_, ofZod, ofEffect, field) => {
    expect(fieldOf(jsonSchemaOf(z.object({ x: ofZod })))).toEqual(field)
    expect(fieldOf(jsonSchemaOf(Schema.Struct({ x: ofEffect }) as unknown as AnySchema))).toEqual(field)
  })

  it.each(kinds)("%s may be left out if it is optional", (_, ofZod, ofEffect, field) => {
    expect(fieldOf(jsonSchemaOf(z.object({ x: ofZod.optional() })))).toEqual({ ...field, required: false })
    const effect = Schema.Struct({ x: Schema.optionalKey(ofEffect) }) as unknown as AnySchema
    expect(fieldOf(jsonSchemaOf(effect))).toEqual({ ...field, required: false })
  })

  it("definitions are followed, and one that is only itself ends", () => {
    const schema = {
      type: "object",
      properties: { size: { $ref: "#/$defs/Maybe", description: "How big" } },
      required: ["size"],
      $defs: { Maybe: { anyOf: [{ $ref: "#/$defs/Size" }, { type: "null" }] }, Size: { enum: ["S", "L"] } }
    }
    expect(fieldOf(schema)).toEqual({
      field_type: "str",
      required: false,
      allowed_values: ["S", "L"],
      description: "How big"
    })
    const circle = { properties: { x: { $ref: "#/$defs/A" } }, $defs: { A: { anyOf: [{ $ref: "#/$defs/A" }] } } }
    expect(fieldOf(circle)).toEqual({ field_type: "str", required: false })
  })

  it("the titles of choices, the description and the default are those of the property", () => {
    const oneOf = [{ const: "S", title: "Small" }, { const: "L", title: "Large" }]
    const size = { title: "Size", description: "How big", oneOf, default: "S" }
    expect(fieldOf({ type: "object", properties: { size }, required: [] })).toEqual({
      field_type: "str",
      required: false,
      allowed_values: ["S", "L"],
      description: "Size. How big. \"S\": Small, \"L\": Large",
      value: "S"
    })
  })

  it("a field of a schema that says nullable can be left out", () => {
    const number = { type: "integer", nullable: true }
    expect(fieldOf({ type: "object", properties: { number }, required: ["number"] })).toEqual({
      field_type: "int",
      required: false
    })
  })

  it("a field is text if its type is no name of JSON Schema, also if each object has that name", () => {
    const typeOf = (type: string) => Form.fieldsOf({ properties: { to: { type } } })[0]?.field_type
    expect(typeOf("integer")).toBe("int")
    expect(typeOf("other")).toBe("str")
    expect(typeOf("constructor")).toBe("str")
  })
})

describe("the arguments of a tool for a person", () => {
  const parameters = jsonSchemaOf(z.object({ to: z.string().default("me"), size: z.enum(["S"]), note: z.string() }))

  it("an argument has no default, because the model has given it, and a choice has its values", () => {
    expect(Form.argumentsOf("send", parameters, ["to", "size"])).toEqual([
      { name: "to", field_type: "str", description: null, value: null, required: false },
      { name: "size", field_type: "str", description: null, value: null, allowed_values: ["S"] }
    ])
    expect(Form.argumentsOf("send", parameters, true)?.map(({ name }) => name)).toEqual(["to", "size", "note"])
  })

  it("an argument that a tool does not take is refused, also if each object has its name", () => {
    expect(() => Form.argumentsOf("send", { properties: {} }, ["constructor"])).toThrow("which it does not take")
  })
})

describe("the values of a form", () => {
  const schema = jsonSchemaOf(z.object({
    note: z.string().nullable(),
    rank: z.int().optional(),
    count: z.int(),
    size: z.union([z.literal(1), z.literal("many")]),
    either: z.union([z.number(), z.string()]),
    tags: z.array(z.string()),
    at: z.object({ x: z.number() })
  }))

  it("texts are read as JSON where the schema has no texts, and stay where it has some", () => {
    const texts = { note: "7", count: "7", size: "1", either: "7", tags: `["a"]`, at: `{"x": 1}` }
    const read = { note: "7", count: 7, size: 1, either: "7", tags: ["a"], at: { x: 1 } }
    expect(Form.valuesOf(schema, texts)).toEqual(read)
    expect(Form.valuesOf(schema, { ...read, size: "many", either: 7 })).toEqual({ ...read, size: "many", either: 7 })
    expect(Form.problemIn(schema, Form.valuesOf(schema, texts))).toBeUndefined()
    expect(Form.problemIn(schema, Form.valuesOf(schema, { ...texts, count: "many" }))).toMatch(/^count: /)
    expect(Form.problemIn(schema, Form.valuesOf(schema, { ...texts, tags: `["a", 1]` }))).toMatch(/^tags: 1: /)
  })

  it("null is no value, and the value of a property that has to be there and may be null", () => {
    expect(Form.valuesOf(schema, { rank: null, count: null })).toEqual({ note: null })
  })

  it("the form of what is no object keeps its definitions", () => {
    const tree = { $ref: "#/$defs/Tree", $defs: { Tree: { type: "array", items: { $ref: "#/$defs/Tree" } } } }
    const form = Form.ofSingle(tree)
    expect(fieldOf(form)).toEqual({ field_type: "list", required: true })
    expect(Form.problemIn(form, { answer: [[], [[]]] })).toBeUndefined()
    expect(Form.problemIn(form, { answer: [[], [1]] })).toMatch(/^answer: 1: 0: /)
  })

  // each way through them would take longer than a test may
  it("definitions that all refer to each other, and alternatives without end, make a form at once", () => {
    const names = Array.from({ length: 14 }, (_, index) => `D${index}`)
    const all = { anyOf: names.map((name) => ({ $ref: `#/$defs/${name}` })) }
    const tangled = {
      type: "object",
      properties: { a: all },
      $defs: Object.fromEntries(names.map((name) => [name, all]))
    }
    expect(Form.fieldsOf(tangled)).toHaveLength(1)
    const deep = Array.from({ length: 10_000 }).reduce<Json.Object>((inner) => ({ anyOf: [inner] }), { type: "string" })
    expect(Form.fieldsOf({ type: "object", properties: { a: deep } })).toHaveLength(1)
  })
})
