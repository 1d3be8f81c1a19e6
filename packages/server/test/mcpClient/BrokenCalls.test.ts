// Calls without a response of the MCP server, with a refusal, or with too large a response: each call ends, and so does
// its run.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as McpTools from "../../src/mcpClient/McpTools.ts"
import { at, runWhole, serve } from "../Wire.ts"
import * as RawServer from "./RawServer.ts"

Tier.oneIn(4)

/** The end of a run whose model calls `echo` once. */
const called = Effect.fnUntraced(function*(answer: RawServer.Answer, effects: "read" | "once") {
  const mcp = yield* RawServer.listen({ "tools/call": answer })
  const script = yield* Script.make([[Script.toolCall("echo", { text: "hi" })], [Script.text("Done")]])
  const source = McpTools.make({ name: "raw", url: mcp.url, effects, timeout: "5 seconds" })
  const server = yield* serve({
    agents: [Agent.make({ id: "a", model: script.model, tools: [source] })],
    fetch: { allowPrivate: true }
  })
  const { json } = yield* runWhole(server, "a", { message: "Hi" })
  return { status: at(json, "status"), tool: at(json, "tools", 0) as Readonly<Record<string, unknown>>, server }
})

const tooMuch: RawServer.Answer = (response) => {
  response.writeHead(200, { "content-type": "application/json" })
  response.end(Buffer.alloc(17 * 1024 * 1024, 32))
}

describe("a call to which a server does not respond as it should", () => {
  it.effect.each(["read", "once"] as const)(
    "a call with effects %s that hangs ends with its timeout",
    (effects) =>
      Effect.gen(function*() {
        const begun = yield* Deferred.make<void>()
        const hanging: RawServer.Answer = () => Effect.runSync(Deferred.succeed(begun, undefined))
        const running = yield* Effect.forkChild(called(hanging, effects))
        yield* Deferred.await(begun)
        yield* TestClock.adjust("5 seconds")
        const { server, status, tool } = yield* Fiber.join(running)
        assert.strictEqual(status, "COMPLETED")
        assert.strictEqual(tool["result"], "The tool did not finish within 5s")
        const warnings = server.logs.filter(({ message }) => message === "The tool did not finish within 5s")
        assert.lengthOf(warnings, 1)
      })
  )

  it.effect("a call that is refused with 401 is a failure that says so", () =>
    Effect.gen(function*() {
      const { status, tool } = yield* called(RawServer.status(401), "once")
      assert.deepStrictEqual(
        [status, tool["result"], tool["tool_call_error"]],
        ["COMPLETED", "The MCP server raw does not accept the token", true]
      )
    }))

  it.effect("a call that only reads and whose response has too many bytes is a failure", () =>
    Effect.gen(function*() {
      const { status, tool } = yield* called(tooMuch, "read")
      assert.strictEqual(status, "COMPLETED")
      assert.match(String(tool["result"]), /more than 16777216 bytes/)
    }))

  it.effect("a call with another effect whose response has too many bytes has an unknown outcome", () =>
    Effect.gen(function*() {
      const { status, tool } = yield* called(tooMuch, "once")
      assert.deepStrictEqual([status, tool["outcome_unknown"]], ["PAUSED", true])
    }))

  it.effect.each<[string, ReadonlyArray<unknown>, string]>([
    [
      "of a type that no revision has",
      [{ type: "hologram", data: "AAAA" }, { type: "text", text: "after it" }],
      "(The tool has returned a part that cannot be read here: hologram.)\nafter it"
    ],
    ["of an unknown type with a text", [{ type: "note", text: "read me" }], "read me"],
    ["that is a text alone", ["plain"], "plain"],
    [
      "without its data",
      [{ type: "text", text: "before it" }, { type: "image" }, 7],
      "before it\n(The tool has returned a part that cannot be read here: image.)\n" +
      "(The tool has returned a part that cannot be read here.)"
    ],
    [
      "that names a resource without its contents",
      [{ type: "resource", resource: { uri: "x://1" } }],
      "(The tool has returned a part that cannot be read here: resource, x://1.)"
    ]
  ])(
    "a part of a result %s is shown as what it is, because the call was executed",
    ([, content, result]) =>
      Effect.gen(function*() {
        const { tool } = yield* called({ content }, "once")
        assert.deepInclude(tool, { result, tool_call_error: false })
      })
  )

  it.effect("a result that cannot be read at all is shown as one of an executed call, without the reasons", () =>
    Effect.gen(function*() {
      for (const answer of [{ content: [], isError: "no" }, { content: [], _meta: 7 }]) {
        const { tool } = yield* called(answer, "once")
        const result = "The tool was executed, but its result cannot be read"
        assert.deepInclude(tool, { result, tool_call_error: true })
      }
    }))

  it.effect.each<[string, object]>([
    ["no content", { content: "text" }],
    ["content without a type", { content: [{ text: "a" }] }],
    ["nothing", {}]
  ])("a result with %s ends the call", ([, result]) =>
    Effect.gen(function*() {
      const { status, tool } = yield* called(result, "read")
      assert.strictEqual(status, "COMPLETED")
      assert.isString(tool["result"])
    }))
})
