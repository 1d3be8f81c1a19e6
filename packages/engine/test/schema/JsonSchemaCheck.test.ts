import { assert, describe, it } from "@effect/vitest"
import * as JsonSchemaCheck from "@svc-runtime/domain/schema/JsonSchemaCheck"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, type JsonSchema, Schema } from "effect"
import { type AnySchema, authored, fromJsonSchema, shapeOf } from "../../src/schema/AnySchema.ts"

Tier.oneIn(2)

const fits = (schema: JsonSchema.JsonSchema, value: unknown): boolean => {
  const verdict = JsonSchemaCheck.make(schema)(value)
  assert.strictEqual(verdict._tag, "Checked")
  return verdict._tag === "Checked" && verdict.issues.length === 0
}

const cases: ReadonlyArray<
  readonly [schema: JsonSchema.JsonSchema, yes: ReadonlyArray<unknown>, no: ReadonlyArray<unknown>]
> = [
  [{ type: "integer" }, [1, -3], [1.5, "1", null]],
  [{ type: ["string", "null"] }, ["", null], [0, {}]],
  [{ type: "object" }, [{}], [[], null]],
  [{ type: "array" }, [[]], [{}]],
  [{ enum: [1, "a", null, { b: [1] }] }, [1, "a", null, { b: [1] }], [2, { b: [2] }, { b: { 0: 1 } }]],
  [{ const: "x" }, ["x"], ["y"]],
  [{ minimum: 1, exclusiveMaximum: 3 }, [1, 2.9, "text"], [0, 3]],
  [{ multipleOf: 0.1 }, [0.3, 0], [0.35]],
  [{ minLength: 2, maxLength: 2 }, ["ab", "😀😀"], ["a", "abc"]],
  [{ minItems: 1, maxItems: 2, uniqueItems: true }, [[1], [1, 2]], [[], [1, 1], [1, 2, 3]]],
  [{ items: { type: "string" } }, [["a"], []], [["a", 1]]],
  [{ prefixItems: [{ type: "string" }], items: false }, [["a"], []], [["a", "b"], [1]]],
  [{ items: [{ type: "string" }], additionalItems: { type: "number" } }, [["a", 1]], [["a", "b"]]],
  [{ properties: { a: { type: "string" } }, required: ["a"] }, [{ a: "x", b: 1 }, 3], [{}, { a: 1 }]],
  [{ properties: { a: true }, additionalProperties: false }, [{ a: 1 }, {}], [{ a: 1, b: 1 }]],
  [{ additionalProperties: { type: "number" } }, [{ a: 1 }], [{ a: "x" }]],
  [{ patternProperties: { "^x": {} }, additionalProperties: false }, [{ x: 1 }], [{ x: 1, y: 1 }]],
  [{ patternProperties: { "^x-": { type: "string" }, "_id$": { type: "integer" } } }, [{ "x-a": "", a: 1, a_id: 1 }], [
    { "x-a": 1 },
    { a_id: "1" },
    { "x-a_id": 1 }
  ]],
  [{ patternProperties: { "^[a-z][a-z0-9_]*$": { type: "integer" } }, additionalProperties: { type: "string" } }, [
    { a1: 1, A: "" }
  ], [{ a1: "" }, { A: 1 }]],
  [{ patternProperties: { "^\\d+\\.$": false } }, [{ "1": 0 }, { a: 0 }], [{ "12.": 0 }]],
  // matching can take unlimited time: such a pattern is not checked, nor are the keys that it could match
  [{ patternProperties: { "^(a+)+$": { type: "string" } }, additionalProperties: false }, [{ aa: 1, b: 1 }], []],
  [{ patternProperties: { "^a?a?a?aaa$": { type: "string" } }, additionalProperties: false }, [{ aa: 1 }], []],
  [{ patternProperties: { "(": { type: "string" }, "[": false } }, [{ "(": 1 }], []],
  [{ type: "string", nullable: true }, ["", null], [1]],
  [{ type: "string", nullable: true, enum: ["a"] }, ["a"], [null, "b"]],
  [{ type: "string", nullable: false }, [""], [null]],
  [{ nullable: true, allOf: [{ $ref: "#/$defs/a" }], $defs: { a: { type: "object" } } }, [null, {}], [1]],
  [{ minProperties: 1, maxProperties: 1 }, [{ a: 1 }], [{}, { a: 1, b: 1 }]],
  [{ anyOf: [{ type: "string" }, { type: "number" }] }, ["a", 1], [true]],
  [{ oneOf: [{ type: "number" }, { type: "integer" }] }, [1.5], [1, "a"]],
  [{ allOf: [{ required: ["a"] }, { required: ["b"] }] }, [{ a: 1, b: 1 }], [{ a: 1 }]],
  [{ required: ["constructor"], properties: { toString: { type: "string" } } }, [{ constructor: 1 }], [{}]],
  [{ $ref: "#/$defs/a~1b%20c", $defs: { "a/b c": { type: "null" } } }, [null], [1]],
  [{ type: 3, anyOf: 3, properties: 3, required: "a", enum: 3 }, [{}, 1], []]
]

/** Each definition is one of two objects that both lead to the next one: 2^n ways through a value that is n deep. */
const doubling = (depth: number) => {
  const next = (index: number) => ({ type: "object", properties: { a: { $ref: `#/$defs/d${index}` } } })
  const $defs: Record<string, unknown> = { [`d${depth}`]: { type: "string" } }
  for (let index = 0; index < depth; index++) {
    $defs[`d${index}`] = { anyOf: [next(index + 1), { ...next(index + 1), required: ["a"] }] }
  }
  const value = Array.from({ length: depth }).reduce<unknown>((inner) => ({ a: inner }), 1)
  return { schema: { $ref: "#/$defs/d0", $defs }, value }
}

interface Expression {
  readonly left?: Expression
  readonly note?: string
}
const Nested: Schema.Codec<Expression> = Schema.suspend(() => Expression)
const Expression: Schema.Codec<Expression> = Schema.Union([
  Schema.Struct({ left: Schema.optionalKey(Nested), note: Schema.String }),
  Schema.Struct({ left: Schema.optionalKey(Nested) })
]).annotate({ identifier: "Expression" })

const expression = (depth: number): unknown =>
  Array.from({ length: depth }).reduce((inner) => ({ left: inner }), { left: 1 })

describe("JSON Schema of a caller", () => {
  it.each(cases)("the schema %j accepts what fits and refuses what does not", (schema, yes, no) => {
    for (const value of yes) assert.isTrue(fits(schema, value), JSON.stringify(value))
    for (const value of no) assert.isFalse(fits(schema, value), JSON.stringify(value))
  })

  it("a mismatch names each place where a value does not fit, up to a limit", () => {
    const verdict = JsonSchemaCheck.make({ items: { properties: { a: { type: "string" } } } })(
      Array.from({ length: 100 }, () => ({ a: 1 }))
    )
    if (verdict._tag === "Exceeded") return assert.fail(verdict.limit)
    assert.deepStrictEqual(verdict.issues[1], { path: [1, "a"], message: "Expected string" })
    assert.lengthOf(verdict.issues, 20)
  })

  it.each<[string, JsonSchema.JsonSchema, unknown]>([
    ["alternatives that contain each other", doubling(40).schema, doubling(40).value],
    ["a definition that is only itself", { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/a" } } }, 1],
    ["a root that is only itself", { $ref: "#" }, 1],
    ["a root that is all of itself twice", { allOf: [{ $ref: "#" }, { $ref: "#" }] }, 1],
    ["alternatives without a value in between", { anyOf: [{ $ref: "#" }, { $ref: "#" }] }, 1]
  ])("a check with %s stops at its budget", (_, schema, value) => {
    assert.strictEqual(JsonSchemaCheck.make(schema)(value)._tag, "Exceeded")
  })

  it("the check of a value that is nested without end stops, and exhausts no stack", () => {
    const value = Array.from({ length: 100_000 }).reduce<unknown>((inner) => [inner], 1)
    assert.strictEqual(JsonSchemaCheck.make({ items: { $ref: "#" } })(value)._tag, "Exceeded")
  })

  it("a large value with usual alternatives is checked to its end", () => {
    const kinds = Array.from({ length: 30 }, (_, index) => ({
      type: "object",
      properties: { kind: { const: `k${index}` }, text: { type: "string" }, more: { $ref: "#" } },
      required: ["kind"]
    }))
    const tree = Array.from({ length: 150 }).reduce<unknown>((more) => ({ kind: "k29", text: "x", more }), [])
    const schema = { anyOf: [...kinds, { type: "array", items: { $ref: "#" } }] }
    assert.isTrue(fits(schema, Array.from({ length: 100 }, () => tree)))
  })

  it.effect("a mismatch says that the check was stopped, and why", () =>
    Effect.gen(function*() {
      const { schema, value } = doubling(40)
      const mismatch = yield* Effect.flip(fromJsonSchema(schema).decode(value))
      assert.isTrue(mismatch.isUnfinished)
      assert.match(mismatch.message, /takes more than \d+ steps/)
    }))
})

describe("schema of an author", () => {
  it.effect.each<[string, AnySchema | JsonSchema.JsonSchema, unknown]>([
    ["Effect Schema", Expression, expression(60)],
    ["JSON Schema", doubling(40).schema, doubling(40).value]
  ])(
    "an input that an %s cannot check within its budget is refused",
    ([, schema, value]) =>
      Effect.gen(function*() {
        const mismatch = yield* Effect.flip(authored(schema).decode(value))
        assert.isTrue(mismatch.isUnfinished)
      })
  )

  it.effect("an input of usual depth is checked", () =>
    Effect.gen(function*() {
      const value = { left: { left: { note: "x" } } }
      assert.deepStrictEqual(yield* shapeOf(Expression).decode(value), value)
    }))
})
