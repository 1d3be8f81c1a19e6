import { assert, describe, it } from "@effect/vitest"
import { assertLinear } from "@svc-runtime/test-support/Growth"
import { Effect, type JsonSchema, Schema, type StandardSchema } from "effect"
import { z } from "zod"
import {
  type AnySchema,
  authored,
  authoredFor,
  fromJsonSchema,
  isAnySchema,
  shapeOf
} from "../../src/schema/AnySchema.ts"

type Result = StandardSchema.StandardSchemaV1.Result<{ readonly count: number }>

const standard = (
  validate: (value: unknown) => Result | Promise<Result>
): StandardSchema.StandardSchemaV1<unknown, { readonly count: number }> & StandardSchema.StandardJSONSchemaV1 => ({
  "~standard": {
    version: 1,
    vendor: "acme",
    validate,
    jsonSchema: {
      input: () => ({ title: "Count", type: "object", properties: { count: { type: "number" } } }),
      output: () => ({})
    }
  }
})

const messageOf = (schema: AnySchema, input: unknown) =>
  Effect.map(Effect.flip(shapeOf(schema).decode(input)), ({ message }) => message)

const messageOfJson = (schema: JsonSchema.JsonSchema, input: unknown) =>
  Effect.map(Effect.flip(fromJsonSchema(schema).decode(input)), ({ message }) => message)

class Person extends Schema.Class<Person>("@svc-runtime/test/Person~1")({ name: Schema.String }) {}

interface Tree {
  readonly name: string
  readonly children: ReadonlyArray<Tree>
}
const Tree: Schema.Codec<Tree> = Schema.Struct({
  name: Schema.String,
  children: Schema.Array(Schema.suspend((): Schema.Codec<Tree> => Tree))
}).annotate({ identifier: "Tree" })

describe("Effect Schema", () => {
  it.effect("a value is decoded from the JSON that its JSON Schema describes", () =>
    Effect.gen(function*() {
      const shape = shapeOf(Schema.Struct({
        day: Schema.Date,
        large: Schema.BigInt,
        note: Schema.optional(Schema.String)
      }))
      const value = yield* shape.decode({ day: "2026-03-01T00:00:00.000Z", large: "12", note: null })
      assert.deepStrictEqual(value, { day: new Date("2026-03-01T00:00:00.000Z"), large: 12n, note: undefined })
    }))

  it.effect("an error names everything that is wrong, and where", () =>
    Effect.gen(function*() {
      const schema = Schema.Struct({ a: Schema.Finite, list: Schema.Array(Schema.Struct({ b: Schema.String })) })
      const message = yield* messageOf(schema, { a: "x", list: [{ b: "ok" }, { b: 1 }] })
      assert.include(message, "a: Expected")
      assert.include(message, "list.1.b: Expected")
    }))

  it("a schema has its object at the root, whatever its name is", () => {
    for (const [schema, title] of [[Person, "@svc-runtime/test/Person~1"], [Tree, "Tree"]] as const) {
      const { jsonSchema, title: actual } = shapeOf(schema)
      assert.strictEqual(jsonSchema["type"], "object")
      assert.isUndefined(jsonSchema["$ref"])
      assert.strictEqual(actual, title)
    }
  })

  it("a schema keeps the definition of its reference to itself", () => {
    assert.deepStrictEqual(Object.keys(shapeOf(Tree).jsonSchema["$defs"] as object), ["Tree"])
  })

  it("a schema keeps the definitions of its parts and drops that of its root", () => {
    const Part = Schema.Struct({ x: Schema.Finite }).annotate({ identifier: "Part" })
    const Whole = Schema.Struct({ left: Part, right: Part }).annotate({ identifier: "Whole" })
    const { jsonSchema } = shapeOf(Whole)
    assert.strictEqual(jsonSchema["type"], "object")
    assert.deepStrictEqual(Object.keys(jsonSchema["$defs"] as object), ["Part"])
  })

  it("a schema is described once", () => {
    assert.strictEqual(shapeOf(Tree), shapeOf(Tree))
  })
})

describe("zod", () => {
  const schema = z.object({ a: z.number(), list: z.array(z.object({ b: z.string() })).optional() }).meta({
    title: "Pair"
  })

  it("zod becomes a JSON Schema with its object at the root and without the name of the dialect", () => {
    const { jsonSchema, title } = shapeOf(schema)
    assert.strictEqual(title, "Pair")
    assert.strictEqual(jsonSchema["type"], "object")
    assert.isUndefined(jsonSchema["$schema"])
  })

  it.effect("zod returns what it parses, defaults and transformations included", () =>
    Effect.gen(function*() {
      const parsing = z.object({ n: z.number().default(3), text: z.string().transform((text) => text.length) })
      assert.deepStrictEqual(yield* shapeOf(parsing).decode({ text: "four" }), { n: 3, text: 4 })
    }))

  it.effect("zod says what is wrong, and where", () =>
    Effect.gen(function*() {
      const message = yield* messageOf(schema, { a: "x", list: [{ b: 1 }] })
      assert.match(message, /a: Invalid input: expected number, received string; list\.0\.b: /)
    }))

  it.effect("a check that throws is a mismatch", () =>
    Effect.gen(function*() {
      const broken = z.object({ a: z.number() }).refine(() => {
        throw new Error("The check broke")
      })
      assert.strictEqual(yield* messageOf(broken, { a: 1 }), "The check broke")
    }))
})

describe("Standard Schema", () => {
  it.effect("a Standard Schema can check synchronously or asynchronously", () =>
    Effect.gen(function*() {
      const value = { count: 1 }
      assert.strictEqual(yield* shapeOf(standard(() => ({ value }))).decode({}), value)
      assert.strictEqual(yield* shapeOf(standard(() => Promise.resolve({ value }))).decode({}), value)
    }))

  it.effect("the place of an issue is named by keys of either form", () =>
    Effect.gen(function*() {
      const schema = standard(() => ({
        issues: [{ message: "Too many", path: ["a", { key: 0 }, { key: Symbol.for("s") }] }, { message: "Bad" }]
      }))
      assert.strictEqual(yield* messageOf(schema, {}), "a.0.Symbol(s): Too many; Bad")
    }))

  it.effect("a check that throws or rejects is a mismatch", () =>
    Effect.gen(function*() {
      const throwing = standard(() => {
        throw new Error("Thrown")
      })
      assert.strictEqual(yield* messageOf(throwing, {}), "Thrown")
      assert.strictEqual(yield* messageOf(standard(() => Promise.reject(new Error("Rejected"))), {}), "Rejected")
    }))

  it("a schema without JSON Schema is refused, and the text says what to do", () => {
    const schema = { "~standard": { version: 1, vendor: "acme", validate: (value: unknown) => ({ value }) } } as const
    assert.throws(() => shapeOf(schema), /This acme schema cannot describe itself as JSON Schema\. Use .* or give/)
  })

  it("a schema that is a function is recognised", () => {
    assert.isTrue(isAnySchema(Object.assign(() => true, standard((value) => ({ value: value as never })))))
    assert.isFalse(isAnySchema({ type: "object" }))
  })
})

describe("JSON Schema", () => {
  const closed = {
    title: "Pair",
    type: "object",
    properties: { a: { type: "integer", minimum: 1 }, b: { type: "string" } },
    required: ["a"],
    additionalProperties: false
  }

  it.effect("a JSON Schema is shown as it is, and checked", () =>
    Effect.gen(function*() {
      const shape = fromJsonSchema(closed)
      assert.strictEqual(shape.jsonSchema, closed)
      assert.strictEqual(shape.title, "Pair")
      assert.deepStrictEqual(yield* shape.decode({ a: 1 }), { a: 1 })
      assert.match(yield* messageOfJson(closed, { a: 0, b: 1 }), /^a: .*; b: /)
      assert.match(yield* messageOfJson(closed, {}), /^a: /)
      assert.match(yield* messageOfJson(closed, "text"), /Expected/)
    }))

  it.effect("the other properties of an open object are kept", () =>
    Effect.gen(function*() {
      const shape = fromJsonSchema({ type: "object", properties: { a: { type: "string" } } })
      assert.deepStrictEqual(yield* shape.decode({ a: "x", other: 1 }), { a: "x", other: 1 })
    }))

  it.effect("keywords that cannot be checked are described as far as possible", () =>
    Effect.gen(function*() {
      const schema = {
        type: "object",
        properties: { a: { type: "string", not: { const: "x" } }, b: { type: "array", contains: { type: "string" } } },
        if: { properties: { a: { const: "y" } } },
        then: { required: ["b"] },
        unevaluatedProperties: false
      }
      const shape = fromJsonSchema(schema)
      assert.strictEqual(shape.jsonSchema, schema)
      assert.deepStrictEqual(yield* shape.decode({ a: "x" }), { a: "x" })
      assert.match(yield* messageOfJson(schema, { a: 1 }), /^a: /)
    }))

  it.effect("references to itself and to its definitions are followed, in the words of either draft", () =>
    Effect.gen(function*() {
      const tree = {
        type: "object",
        properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#" } } },
        required: ["name"]
      }
      assert.match(yield* messageOfJson(tree, { name: "a", children: [{ name: 1 }] }), /^children\.0\.name: /)
      const draft7 = {
        $schema: "http://json-schema.org/draft-07/schema#",
        type: "object",
        properties: { a: { $ref: "#/definitions/A" } },
        definitions: { A: { type: "string" } }
      }
      assert.match(yield* messageOfJson(draft7, { a: 1 }), /^a: /)
    }))

  it.effect("patterns are applied only for an author who is trusted with the time they take", () =>
    Effect.gen(function*() {
      const schema = { type: "object", properties: { a: { type: "string", pattern: "^x" } } }
      assert.deepStrictEqual(yield* fromJsonSchema(schema).decode({ a: "y" }), { a: "y" })
      const mismatch = yield* Effect.flip(authored(schema).decode({ a: "y" }))
      assert.match(mismatch.message, /^a: /)
    }))

  it("a reference to nothing is refused", () => {
    assert.throws(
      () => fromJsonSchema({ type: "object", properties: { a: { $ref: "#/$defs/A" } } }),
      /Missing definition "A"/
    )
  })

  it("a long reason why a schema cannot be described is read in time that grows with it", () => {
    assertLinear(500, (times) => {
      const jsonSchema = {
        input: () => {
          throw new Error(`${"\n  at [".repeat(times)}.`)
        }
      }
      const schema = { "~standard": { version: 1, vendor: "x", validate: () => ({ value: 1 }), jsonSchema } }
      assert.throws(() => authoredFor("The schema", schema as never))
    })
  })
})
