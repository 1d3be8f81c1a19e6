import { assert, describe, it } from "@effect/vitest"
import * as Learning from "@svc-runtime/features/learning/Learning"
import * as Schedule from "@svc-runtime/features/schedules/Schedule"
import { Option, Result, Schema } from "effect"
import * as Component from "../src/Component.ts"
import * as Json from "../src/Json.ts"

const nested = (depth: number): unknown => JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`)
const isGiven = Schema.is(Json.Input)
const isGivenValue = Schema.is(Json.InputValue)

describe("Json", () => {
  it("objects keep every key and every kind of value", () => {
    const value = { n: -1.5e-7, t: true, none: null, list: [{ a: [] }], "": {}, "ключ": "日本" }
    assert.deepStrictEqual(Schema.decodeUnknownSync(Json.Object)(value), value)
    assert.deepStrictEqual(Schema.encodeSync(Json.Object)(value), value)
  })

  it.each([[[]], ["x"], [1], [null], [undefined]])("%j is not an object", (value) => {
    assert.isFalse(Schema.is(Json.Object)(value))
    assert.isFalse(isGiven(value))
  })

  it("input can be nested two hundred levels deep, and no deeper", () => {
    assert.isTrue(isGivenValue(nested(200)))
    assert.isFalse(isGivenValue(nested(201)))
    assert.isTrue(isGiven({ a: nested(199) }))
    assert.isFalse(isGiven({ a: nested(200) }))
    assert.isFalse(isGiven({ a: 1, b: [[], nested(300)] }))
  })

  it("a depth that would overflow the stack is reported, not thrown", () => {
    assert.isFalse(isGivenValue(nested(50_000)))
  })

  it("the length of a value that is nested too deep is not computed, so that its refusal is not a crash", () => {
    const deep = { a: nested(50_000) }
    const schedule = { name: "daily", cron_expr: "0 9 * * *", endpoint: "/health", payload: deep }
    const refused = Schema.decodeUnknownResult(Schedule.Create, { errors: "all" })(schedule)
    assert.isTrue(Result.isFailure(refused))
    assert.include(Result.isFailure(refused) ? refused.failure.message : "", Json.tooDeep)
    assert.isFalse(Schema.is(Component.Create)({ name: "a", component_type: "agent", metadata: deep }))
    assert.isFalse(Schema.is(Learning.Create)({ learning_type: "entity", content: deep }))
    assert.isFalse(Learning.isContent(deep as Json.Object))
  })

  it("a wide value is accepted like a narrow one", () => {
    assert.isTrue(isGiven(Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`k${index}`, [index]]))))
  })

  it.each([[null], [true], [0], [""], ["text"], [[]], [{}]])("%j is a valid value", (value) => {
    assert.isTrue(isGivenValue(value))
  })
})

describe("JSON of our own types", () => {
  it("a value is the same afterwards, and a type with other values is refused by the compiler", () => {
    interface Named {
      readonly name: string
      readonly children?: ReadonlyArray<Named>
    }
    const named: Named = { name: "a", children: [{ name: "b" }] }
    const object: Json.Object = Json.of(named)
    assert.strictEqual<unknown>(object, named)
    const all: ReadonlyArray<Json.Value> = Json.of([named])
    assert.deepStrictEqual<unknown>(all, [named])
    // @ts-expect-error a date is no JSON
    Json.of({ at: new Date(0) })
    // @ts-expect-error a function is no JSON
    Json.of({ call: () => 1 })
  })

  it("a text that is not JSON has no value, and neither has one that is nested too deep for an input", () => {
    const deep = `${"[".repeat(Json.maxDepth + 1)}${"]".repeat(Json.maxDepth + 1)}`
    assert.deepStrictEqual(["{", "1", deep].map((text) => Option.isSome(Json.parse(text))), [false, true, true])
    assert.deepStrictEqual(["{", "1", deep].map((text) => Option.isSome(Json.parseInput(text))), [false, true, false])
  })

  it("JSON of callers has no key that changes a prototype, at any depth", () => {
    for (const text of ["{\"__proto__\":{}}", "{\"a\":[{\"\\u005f_proto__\":1}]}"]) {
      const value = Option.getOrThrow(Json.parse(text))
      assert.isFalse(Schema.is(Json.Input)(value), text)
      assert.isTrue(Option.isNone(Json.parseInput(text)), text)
      assert.strictEqual(Json.refusalOf(value)?.msg, "Input should have no key '__proto__'")
    }
    assert.isTrue(Schema.is(Json.Input)({ constructor: { prototype: 1 }, a: "__proto__" }))
  })

  it("text with such a key is found before it is decoded, however the key is written", () => {
    const found = [
      "{\"__proto__\":1}",
      "[{\"\\u005f_proto__\":1}]",
      "{\"__\\u0070roto__\":1}",
      "{\"__pr\\u006Fto__\":1}"
    ]
    for (const text of found) assert.strictEqual(Json.refusalOfText(text)?.type, "value_error", text)
    const others = [
      "__proto__",
      "{\"a\":\"__proto__\"}",
      "{\"__proto__\":",
      "{\"\\u00e9\":1}",
      "{\"\\\\u005f_proto__\":1}"
    ]
    for (const text of others) assert.isUndefined(Json.refusalOfText(text), text)
  })

  it("a value without nulls keeps its prototype", () => {
    const value = Json.withoutNulls(JSON.parse("{\"__proto__\":{\"isAdmin\":true}}"))
    assert.isFalse("isAdmin" in value)
  })

  it("a value without nulls loses only its null keys", () => {
    assert.deepStrictEqual<unknown>(
      Json.withoutNulls({ a: null, b: 0, c: "", d: false, e: [null], f: { g: null } }),
      {
        b: 0,
        c: "",
        d: false,
        e: [null],
        f: { g: null }
      }
    )
  })
})
