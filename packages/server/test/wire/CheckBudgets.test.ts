// A check that a caller can make expensive ends early, with an error for that caller, and delays no other request.
import { assert, describe, it } from "@effect/vitest"
import * as AgentFactory from "@svc-runtime/agents/agent/define/AgentFactory"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Schema } from "effect"
import { always, at, get, runWhole, serve } from "../Wire.ts"

Tier.oneIn(3)

/** A few kilobytes with 2^depth ways through an answer that is `depth` deep. */
const doubling = (depth: number) => {
  const next = (index: number) => ({ type: "object", properties: { a: { $ref: `#/$defs/d${index}` } } })
  const $defs: Record<string, unknown> = { [`d${depth}`]: { type: "string" } }
  for (let index = 0; index < depth; index++) {
    $defs[`d${index}`] = { anyOf: [next(index + 1), { ...next(index + 1), required: ["a"] }] }
  }
  return {
    schema: JSON.stringify({ $ref: "#/$defs/d0", $defs }),
    answer: `${"{\"a\":".repeat(depth)}1${"}".repeat(depth)}`
  }
}

interface Node {
  readonly next?: Node
  readonly name?: string
}
const Next: Schema.Codec<Node> = Schema.suspend(() => Node)
const Node: Schema.Codec<Node> = Schema.Union([
  Schema.Struct({ next: Schema.optionalKey(Next), name: Schema.String }),
  Schema.Struct({ next: Schema.optionalKey(Next) })
]).annotate({ identifier: "Node" })

const nested = (depth: number) => `${"{\"next\":".repeat(depth)}1${"}".repeat(depth)}`

describe("an output_schema whose check takes exponential time", () => {
  it.effect("a run with an expensive output_schema fails, names the exceeded limit, and leaves the service responsive", () =>
    Effect.gen(function*() {
      const { answer, schema } = doubling(60)
      const { model } = yield* always(Script.text(answer))
      const server = yield* serve({ agents: [Agent.make({ id: "a", model })] })
      const fields = { message: "hi", session_id: "s", run_id: "r", output_schema: schema }
      const { json, status } = yield* runWhole(server, "a", fields)
      assert.strictEqual(status, 200)
      assert.strictEqual(at(json, "status"), "ERROR")
      assert.match(
        String(at(json, "content")),
        /^The answer cannot be checked against output_schema\. The check against the schema takes more than \d+ steps\./
      )
      const stored = yield* get(server, "/agents/a/runs/r?session_id=s")
      assert.strictEqual(at(stored.json, "status"), "ERROR")
      const { json: other } = yield* runWhole(server, "a", { message: "hi", session_id: "s" })
      assert.strictEqual(at(other, "status"), "COMPLETED")
    }))
})

describe("an answer that is nested without end", () => {
  it.effect("an answer that is nested without end stays text, whatever its schema", () =>
    Effect.gen(function*() {
      const brackets = `${"[".repeat(100_000)}${"]".repeat(100_000)}`
      const { model } = yield* always(Script.text(brackets))
      const server = yield* serve({ agents: [Agent.make({ id: "a", model })] })
      const { json } = yield* runWhole(server, "a", { message: "hi", output_schema: "{\"items\":{\"$ref\":\"#\"}}" })
      assert.strictEqual(at(json, "content_type"), "str")
      assert.strictEqual(at(json, "status"), "COMPLETED")
    }))
})

describe("an input that the schema of an author cannot check within its budget", () => {
  it.effect("an expensive input is refused as factory_input, and no factory is called", () =>
    Effect.gen(function*() {
      let built = 0
      const factory = AgentFactory.make({
        id: "f",
        inputSchema: Schema.Struct({ node: Node }),
        build: () => {
          built++
          return Agent.make({ id: "f" })
        }
      })
      const server = yield* serve({ agents: [factory] })
      const factory_input = `{"node":${nested(100)}}`
      const { json, status } = yield* runWhole(server, "f", { message: "hi", factory_input })
      assert.strictEqual(status, 400)
      assert.match(String(at(json, "detail")), /takes more than \d+ steps/)
      assert.strictEqual(built, 0)
    }))

  it.effect("an expensive input is refused as the message of an agent with an input schema", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.text("x"))
      const server = yield* serve({ agents: [Agent.make({ id: "a", model, inputSchema: Node })] })
      const { json, status } = yield* runWhole(server, "a", { message: nested(100) })
      assert.strictEqual(status, 422)
      assert.match(JSON.stringify(json), /takes more than \d+ steps/)
    }))

  it.effect("an expensive input is refused as the arguments of a tool, which is not called", () =>
    Effect.gen(function*() {
      let called = 0
      const tool = Tool.make({ name: "walk", parameters: Schema.Struct({ node: Node }), execute: () => `${++called}` })
      const script = yield* Script.make([
        [Script.toolCall("walk", JSON.parse(`{"node":${nested(100)}}`))],
        [Script.text("done")]
      ])
      const server = yield* serve({ agents: [Agent.make({ id: "a", model: script.model, tools: [tool] })] })
      const { json } = yield* runWhole(server, "a", { message: "hi" })
      assert.strictEqual(called, 0)
      assert.match(JSON.stringify(at(json, "tools")), /Invalid arguments: .*takes more than \d+ steps/)
    }))
})
