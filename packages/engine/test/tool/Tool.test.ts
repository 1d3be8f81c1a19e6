import { assert, describe, it } from "@effect/vitest"
import { toolContext } from "@svc-runtime/test-support/ToolContext"
import {
  Context,
  Deferred,
  type Duration,
  Effect,
  Exit,
  Fiber,
  type JsonSchema,
  Logger,
  Predicate,
  Schema,
  type StandardSchema
} from "effect"
import { TestClock } from "effect/testing"
import { z } from "zod"
import * as Tool from "../../src/tool/Tool.ts"

const call = (tool: Tool.Tool, input: unknown = {}) => tool.call(input, toolContext)
const failure = (tool: Tool.Tool, input: unknown = {}) => Effect.map(Effect.flip(call(tool, input)), (e) => e.message)

/** What a library gives that knows neither zod nor Effect. */
const standard: StandardSchema.StandardSchemaV1<unknown, { x: number }> & StandardSchema.StandardJSONSchemaV1 = {
  "~standard": {
    version: 1,
    vendor: "acme",
    validate: (value) =>
      Predicate.hasProperty(value, "x") && typeof value.x === "number"
        ? { value: { x: value.x * 2 } }
        : { issues: [{ message: "must be a number", path: ["x"] }] },
    jsonSchema: {
      input: () => ({ type: "object", properties: { x: { type: "number" } }, required: ["x"] }),
      output: () => ({})
    }
  }
}

const executing = (execute: () => unknown) => Tool.make({ name: "tool", execute })

class Nowhere extends Context.Service<Nowhere, number>()("Nowhere") {}

class OutOfStock extends Schema.TaggedError<OutOfStock>()("OutOfStock", { item: Schema.String }) {}

describe("the name of a tool", () => {
  it.each(["", "a b", "a.b", "ä", "x".repeat(65)])("the name '%s' is refused", (name) => {
    assert.throws(() => Tool.make({ name, execute: () => 1 }), /Tool name '.*' is not usable/)
  })

  it("a name can have 64 letters, digits, underscores and hyphens", () => {
    assert.strictEqual(Tool.make({ name: `A-1_${"x".repeat(60)}`, execute: () => 1 }).name.length, 64)
  })
})

describe("what a call needs before it is made", () => {
  const make = (options: object) => Tool.make({ name: "tool", execute: () => 1, ...options })

  it.each([
    [{ requiresConfirmation: "true" }, /requiresConfirmation must be true, false or a function, and is /],
    [{ requiresConfirmation: 1 }, /requiresConfirmation must be true, false or a function, and is /],
    [{ requiresConfirmation: { message: "Pay?" } }, /requiresConfirmation must be true, false or a function, and is /],
    [{ requiresConfirmation: null }, /requiresConfirmation must be true, false or a function, and is /],
    [{ requiresUserInput: "amount" }, /requiresUserInput must be true, false or a list of texts, and is /],
    [{ requiresUserInput: {} }, /requiresUserInput must be true, false or a list of texts, and is /],
    [{ approvalTimeout: "1 hour" }, /approvalTimeout needs approval: "required" or "audit"/]
  ])("%j is refused, because the call would be made without it", (options, message) => {
    assert.throws(() => make(options), message)
  })

  it("an approvalTimeout beside an approval that is switched off counts for nothing", () => {
    assert.isUndefined(make({ approval: undefined, approvalTimeout: "1 hour" }).approval)
  })

  it.effect("a call whose approval is switched off is made without asking, and the log says so once", () =>
    Effect.gen(function*() {
      const lines: Array<unknown> = []
      const logger = Logger.make(({ message }) => void lines.push(String(message)))
      const tools = [
        make({ approval: undefined, approvalTimeout: "1 hour" }),
        make({ approval: undefined, approvalTimeout: "1 hour", requiresConfirmation: true }),
        make({})
      ]
      const calls = Effect.forEach([...tools, ...tools], (tool) => call(tool))
      yield* Effect.provide(calls, Logger.layer([logger]))
      assert.deepStrictEqual(lines, [
        "A tool is called without an approval, because its approval is undefined: its approvalTimeout has no effect"
      ])
    }))

  it("true, false, a function and names of arguments are taken", () => {
    assert.isTrue(make({ requiresConfirmation: true }).requiresConfirmation)
    assert.isFalse(make({ requiresConfirmation: false }).requiresConfirmation)
    assert.isDefined(make({ requiresConfirmation: () => true }).confirms)
    assert.isDefined(
      make({ parameters: z.object({ amount: z.number() }), requiresUserInput: ["amount"] }).userInputFields
    )
  })
})

describe("parameters", () => {
  const rootOf = (parameters: Parameters<typeof Tool.make>[0]["parameters"]) =>
    Tool.make({ name: "tool", parameters, execute: () => 1 }).parameters

  it("missing parameters are an object without properties", () => {
    assert.deepStrictEqual(rootOf(undefined), { type: "object", properties: {}, additionalProperties: false })
  })

  it("parameters have an object with properties at the root, whatever library wrote them", () => {
    class Point extends Schema.Class<Point>("Point")({ x: Schema.Finite }) {}
    for (
      const parameters of [
        z.object({ x: z.number() }),
        Schema.Struct({ x: Schema.Finite }),
        Point,
        standard,
        { type: "object", properties: { x: { type: "number" } }, required: ["x"] },
        { properties: { x: { type: "number" } } }
      ]
    ) {
      const root = rootOf(parameters)
      assert.strictEqual(root["type"], "object")
      assert.deepStrictEqual((root["properties"] as JsonSchema.JsonSchema)["x"], { type: "number" })
    }
  })

  it("an object without properties has them empty, because some providers insist", () => {
    for (
      const parameters of [
        Schema.Struct({}),
        Schema.Record(Schema.String, Schema.Finite),
        z.object({}),
        z.record(z.string(), z.number()),
        { type: "object" },
        {}
      ]
    ) {
      const root = rootOf(parameters)
      assert.strictEqual(root["type"], "object")
      assert.deepStrictEqual(root["properties"], {})
    }
  })

  it.each([
    { $ref: "#/definitions/A", definitions: { A: { type: "object", properties: { a: { type: "string" } } } } },
    { $ref: "#/$defs/A", $defs: { A: { type: "object", properties: { a: { type: "string" } } } } },
    { anyOf: [{ type: "object", properties: { a: { type: "string" } } }] }
  ])("a root that stands for one object is replaced by it: %j", (parameters) => {
    assert.deepStrictEqual(rootOf(parameters), { type: "object", properties: { a: { type: "string" } } })
  })

  it("the definitions of a root that contains itself stay", () => {
    const node = { type: "object", properties: { next: { $ref: "#/definitions/Node" } } }
    const definitions = { Node: node }
    assert.deepStrictEqual(rootOf({ $ref: "#/definitions/Node", definitions }), { ...node, definitions })
  })

  it.each([
    { additionalProperties: { type: "string" } },
    { propertyNames: { type: "string" } },
    { not: { type: "string" } },
    { if: { type: "object" }, then: { type: "object" } }
  ])("keywords whose values are schemas are no map of fields: %j", (parameters) => {
    assert.deepStrictEqual(rootOf(parameters), { type: "object", properties: {}, ...parameters })
  })

  it.each([
    ["a string", Schema.String],
    ["an array", z.array(z.string())],
    ["a union", Schema.Union([Schema.Struct({ a: Schema.String }), Schema.Struct({ b: Schema.String })])],
    ["a JSON Schema of something else", { type: "number" }]
  ])("parameters that are %s are refused", (_, parameters) => {
    assert.throws(() => rootOf(parameters), /Tool 'tool': its parameters must be one object/)
  })

  it("a map of fields is refused with the way to mend it", () => {
    const fields = { city: z.string(), days: z.int() }
    const message =
      "Tool 'tool': its parameters must be a schema, and it is a map of fields (city, days). Write z.object({ … })"
    assert.throws(() => rootOf(fields), message)
    assert.throws(() => rootOf({ city: { type: "string" }, days: { type: "integer" } }), message)
  })

  it("a field that cannot be described is named with its tool", () => {
    const parameters = z.object({ trip: z.object({ on: z.date() }) })
    assert.throws(
      () => rootOf(parameters),
      /Tool 'tool': its parameters cannot be described .*\(field 'trip\.on'\)\. Date/
    )
  })

  it.effect("parameters are checked, and the error names everything that is wrong", () =>
    Effect.gen(function*() {
      const options = { name: "tool", execute: (): number => assert.fail("called") }
      const zod = Tool.make({ ...options, parameters: z.object({ a: z.number(), b: z.string() }) })
      const effect = Tool.make({ ...options, parameters: Schema.Struct({ a: Schema.Finite, b: Schema.String }) })
      const json = Tool.make({
        ...options,
        parameters: { properties: { a: { type: "number" }, b: { type: "string" } }, required: ["a", "b"] }
      })
      for (const tool of [zod, effect, json]) {
        assert.match(yield* failure(tool, { a: "1" }), /^Invalid arguments: a: .*; b: /)
        assert.match(yield* failure(tool, "{ no json"), /^Invalid arguments: .*object/)
      }
    }))

  it.effect("lists and objects that a model has sent as texts are taken as what they are", () =>
    Effect.gen(function*() {
      const execute = (input: unknown) => JSON.stringify(input)
      const zod = Tool.make({
        name: "tool",
        parameters: z.object({ ids: z.array(z.number()), of: z.object({ to: z.array(z.string()) }), text: z.string() }),
        execute
      })
      const effect = Tool.make({
        name: "tool",
        parameters: Schema.Struct({
          ids: Schema.Array(Schema.Finite),
          of: Schema.Struct({ to: Schema.Array(Schema.String) }),
          text: Schema.String
        }),
        execute
      })
      const expected = JSON.stringify({ ids: [1, 2], of: { to: ["Ann"] }, text: "[3]" })
      for (const tool of [zod, effect]) {
        assert.strictEqual(yield* call(tool, { ids: "[1,2]", of: { to: "[\"Ann\"]" }, text: "[3]" }), expected)
        assert.strictEqual(yield* call(tool, { ids: [1, 2], of: "{\"to\":\"[\\\"Ann\\\"]\"}", text: "[3]" }), expected)
        const problem = /^Invalid arguments: ids: [^;]*expected array/i
        for (const ids of ["[1,", "1", "[\"x\"]", "{}"]) {
          assert.match(yield* failure(tool, { ids, of: { to: [] }, text: "" }), problem)
        }
      }
    }))

  it.effect("a call whose list is a text needs the confirmation that the list needs", () =>
    Effect.gen(function*() {
      const { confirms = () => Effect.succeed(undefined) } = Tool.make({
        name: "tool",
        parameters: z.object({ ids: z.array(z.number()) }),
        requiresConfirmation: ({ ids }) => ids.length > 1,
        execute: () => "done"
      })
      assert.isTrue(yield* confirms({ ids: "[1,2]" }, toolContext))
      assert.isFalse(yield* confirms({ ids: "[1]" }, toolContext))
    }))

  it.effect("parameters are decoded by the schema", () =>
    Effect.gen(function*() {
      const tool = Tool.make({
        name: "tool",
        parameters: Schema.Struct({ at: Schema.DateTimeUtcFromString, n: Schema.Finite }),
        execute: ({ at, n }) => `${at.epochMilliseconds} ${n}`
      })
      assert.strictEqual(yield* call(tool, { at: "1970-01-01T00:00:01.000Z", n: 2, other: true }), "1000 2")
    }))

  it.effect("parameters can be any Standard Schema that describes itself", () =>
    Effect.gen(function*() {
      const tool = Tool.make({ name: "tool", parameters: standard, execute: ({ x }) => x })
      assert.strictEqual(yield* call(tool, { x: 2 }), 4)
      assert.strictEqual(yield* failure(tool, {}), "Invalid arguments: x: must be a number")
    }))

  it("a Standard Schema that does not describe itself is refused", () => {
    const { jsonSchema: _, ...undescribed } = standard["~standard"]
    assert.throws(() => rootOf({ "~standard": undescribed }), /This acme schema cannot describe itself as JSON Schema/)
  })

  it("a schema of a zod that is no Standard Schema is refused, and not taken for JSON Schema", () => {
    const old = { _def: { unknownKeys: "strip" }, _cached: null, parse: () => ({}), safeParse: () => ({}) }
    assert.throws(() => rootOf(old), /its parameters .* a schema of an old zod\. Use zod 4\.2 or later/)
    assert.throws(() => rootOf({ city: old }), /its parameters must be a schema, and it is a map of fields \(city\)/)
  })

  it.effect("arguments are ignored when the tool has no parameters", () =>
    Effect.gen(function*() {
      const tool = Tool.make({ name: "tool", execute: (input) => input })
      for (const input of [{}, { a: 1 }, "no json", "", null, undefined]) {
        assert.deepStrictEqual(yield* call(tool, input), {})
      }
    }))
})

describe("execute", () => {
  it.effect("execute can return a value, a promise, an awaitable, or an Effect", () =>
    Effect.gen(function*() {
      const thenable = { then: (resolve: (value: number) => void) => resolve(4) }
      assert.strictEqual(yield* call(executing(() => 1)), 1)
      assert.strictEqual(yield* call(executing(() => Promise.resolve(2))), 2)
      assert.strictEqual(yield* call(executing(async () => 3)), 3)
      assert.strictEqual(yield* call(executing(() => thenable)), 4)
      assert.strictEqual(yield* call(executing(() => Effect.succeed(5))), 5)
      assert.isUndefined(yield* call(executing(() => undefined)))
    }))

  it.effect.each<[string, () => unknown, string]>([
    ["throws", () => {
      throw new Error("Thrown")
    }, "Thrown"],
    ["throws a text", () => {
      throw "Just text"
    }, "Just text"],
    ["throws an object with a message", () => {
      throw { message: "Inside" }
    }, "Inside"],
    ["throws nothing of use", () => {
      throw undefined
    }, "The tool failed"],
    ["throws an error without words", () => {
      throw new RangeError()
    }, "RangeError"],
    ["throws an error whose message is no text", () => {
      throw Object.assign(new Error(), { message: { code: 1 } })
    }, "Error"],
    ["rejects", () => Promise.reject(new Error("Rejected")), "Rejected"],
    ["fails", () => Effect.fail("Failed"), "Failed"],
    ["fails with a tagged error without words", () => Effect.fail(new OutOfStock({ item: "tea" })), "OutOfStock"],
    ["dies", () => Effect.die(new Error("Died")), "Died"],
    ["interrupts itself", () => Effect.interrupt, "All fibers interrupted without error"],
    ["needs a service that is not there", () => Nowhere, "Service not found: Nowhere"]
  ])("a tool that %s has failed", ([, execute, message]) =>
    Effect.gen(function*() {
      assert.include(yield* failure(executing(execute)), message)
    }))

  it.effect("execute gets the ids, dependencies, metadata and state of its call", () =>
    Effect.gen(function*() {
      let seen: Tool.ToolContext | undefined
      yield* call(Tool.make({
        name: "tool",
        execute: (_, given) => {
          seen = given
        }
      }))
      assert.isDefined(seen)
      const { asEffect: _, generate: __, pause: ___, run: ____, signal, sleep: _____, step: ______, ...others } = seen
      const { waitFor: _______, ...rest } = others
      assert.deepStrictEqual(rest, toolContext)
      assert.strictEqual(rest.sessionState, toolContext.sessionState)
      assert.isFalse(signal.aborted)
    }))
})

describe("the time of a call", () => {
  const hanging = Effect.fnUntraced(function*(asEffect: boolean, timeout?: Duration.Input) {
    const begun = yield* Deferred.make<AbortSignal>()
    const tool = Tool.make({
      name: "tool",
      ...(timeout === undefined ? {} : { timeout }),
      execute: (_, { signal }) => {
        Deferred.doneUnsafe(begun, Exit.succeed(signal))
        return asEffect ? Effect.never : new Promise(() => {})
      }
    })
    const fiber = yield* Effect.forkChild(failure(tool))
    return { fiber, signal: yield* Deferred.await(begun) }
  })

  it.effect.each([["a promise", false], ["an Effect", true]] as const)(
    "the timeout is ten minutes for %s",
    ([, asEffect]) =>
      Effect.gen(function*() {
        const { fiber, signal } = yield* hanging(asEffect)
        yield* TestClock.adjust("599 seconds")
        assert.isUndefined(fiber.pollUnsafe())
        yield* TestClock.adjust("1 second")
        assert.strictEqual(yield* Fiber.join(fiber), "The tool did not finish within 10m")
        assert.isTrue(signal.aborted)
      })
  )

  it.effect("the timeout is that of the tool", () =>
    Effect.gen(function*() {
      const { fiber } = yield* hanging(false, "2 seconds")
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(yield* Fiber.join(fiber), "The tool did not finish within 2s")
    }))

  it("an invalid timeout is refused", () => {
    assert.throws(() => Tool.make({ name: "tool", timeout: "soon" as never, execute: () => 1 }), /Tool 'tool': timeout/)
  })

  it.effect.each([["a promise", false], ["an Effect", true]] as const)(
    "an interruption of the caller ends the call, which %s hears from the signal",
    ([, asEffect]) =>
      Effect.gen(function*() {
        const { fiber, signal } = yield* hanging(asEffect)
        yield* Fiber.interrupt(fiber)
        assert.isTrue(signal.aborted)
      })
  )
})
