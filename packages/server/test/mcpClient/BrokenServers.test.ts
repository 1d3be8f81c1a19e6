// MCP servers that hang, flood, lie and disappear: no run ends because of them, and each problem is reported.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as McpTools from "../../src/mcpClient/McpTools.ts"
import { at, get, run, runWhole, serve } from "../Wire.ts"
import * as RawServer from "./RawServer.ts"

Tier.oneIn(8)

const echo = Script.toolCall("echo", { text: "hi" }, "call_1")

type More = Partial<McpTools.Options>

const running = Effect.fnUntraced(function*(url: string, more: More = {}, turns: ReadonlyArray<Script.Turn> = []) {
  const script = yield* Script.make([...turns, ...Array.from({ length: 5 }, () => [Script.text("Done")])])
  const source = McpTools.make({ name: "raw", url, ...more } as McpTools.Options)
  const agent = Agent.make({ id: "a", model: script.model, tools: [source] })
  const server = yield* serve({ agents: [agent], fetch: { allowPrivate: true } })
  return { script, server }
})

/** The reason in the event of a run, which completes. */
const reasonOf = Effect.fnUntraced(function*(url: string, more: More = {}) {
  const { server } = yield* running(url, more)
  const { text } = yield* run(server, "a", { message: "Hi", stream_events: "true" })
  assert.include(text, "RunCompleted")
  const [, reason] = /"event":"ToolSourceFailed".*?"reason":"((?:[^"\\]|\\.)*)"/.exec(text) ?? []
  const detail = yield* get(server, "/agents/a")
  const [source] = at(at(detail.json, "tools"), "tool_sources") as ReadonlyArray<Record<string, unknown>>
  const hasTools = (at(at(detail.json, "tools"), "tools") as ReadonlyArray<unknown>).length > 0
  assert.deepStrictEqual(source, { name: "raw", status: hasTools ? "available" : "failed", reason })
  const warnings = server.logs.filter(({ annotations }) => annotations["tool_source"] === "raw")
  assert.lengthOf(warnings, 1)
  return reason
})

const listing = (tools: ReadonlyArray<object>) => RawServer.listen({ "tools/list": { tools } })

const good = { name: "good", inputSchema: { type: "object" } }

describe("a server that cannot be used", () => {
  it.effect("a server that is not there is reported, and the run continues without its tools", () =>
    Effect.gen(function*() {
      assert.match((yield* reasonOf("http://127.0.0.1:9/mcp")) ?? "", /^The MCP server raw failed: .*refused/)
    }))

  it.effect("an address of a private network is refused unless the operator allows it", () =>
    Effect.gen(function*() {
      const mcp = yield* RawServer.listen()
      const script = yield* Script.make([[Script.text("Done")]])
      const source = McpTools.make({ name: "raw", url: mcp.url })
      const server = yield* serve({ agents: [Agent.make({ id: "a", model: script.model, tools: [source] })] })
      const { text } = yield* run(server, "a", { message: "Hi", stream_events: "true" })
      assert.include(text, "is not an address of the public internet")
      assert.lengthOf(mcp.seen, 0)
    }))

  it.effect("a server that hangs is given up after connectTimeout", () =>
    Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const hanging: RawServer.Answer = () => Effect.runSync(Deferred.succeed(begun, undefined))
      const mcp = yield* RawServer.listen({ "server/discover": hanging, initialize: hanging })
      const fiber = yield* Effect.forkChild(reasonOf(mcp.url, { connectTimeout: "10 seconds" }))
      yield* Deferred.await(begun)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* Fiber.join(fiber), "The MCP server raw did not reply within 10s")
    }))

  it.effect.each<[string, RawServer.Answers, RegExp]>([
    [
      "answers 500",
      { "server/discover": RawServer.status(500), initialize: RawServer.status(500) },
      /^The MCP server raw failed/
    ],
    [
      "refuses the token",
      { "server/discover": RawServer.status(401), initialize: RawServer.status(401) },
      /does not accept the token/
    ],
    [
      "closes connections",
      { "server/discover": RawServer.destroy, initialize: RawServer.destroy },
      /connection was closed/
    ],
    ["answers with no JSON", {
      "tools/list": (response) => void response.writeHead(200, { "content-type": "application/json" }).end("{{")
    }, /^The MCP server raw failed/],
    ["answers with HTML", {
      "tools/list": (response) => void response.writeHead(200, { "content-type": "text/html" }).end("<p>")
    }, /content type/i],
    ["lists no list", { "tools/list": { tools: "many" } }, /^The MCP server raw failed/],
    ["sends an answer that is too large", {
      "tools/list": (response) => {
        response.writeHead(200, { "content-type": "application/json" })
        response.end(Buffer.alloc(17 * 1024 * 1024, 32))
      }
    }, /more than 16777216 bytes/],
    ["sends an event that is too large", {
      "tools/list": (response) => {
        response.writeHead(200, { "content-type": "text/event-stream" })
        response.end(Buffer.alloc(17 * 1024 * 1024, 120))
      }
    }, /more than 16777216 bytes/],
    ["ends its stream without a response", {
      "tools/list": (response) => void response.writeHead(200, { "content-type": "text/event-stream" }).end(": x\n\n")
    }, /ended without a response/]
  ])("a server that %s is reported, and the run completes", ([, answers, reason]) =>
    Effect.gen(function*() {
      const mcp = yield* RawServer.listen(answers)
      assert.match((yield* reasonOf(mcp.url)) ?? "", reason)
    }))

  it.effect("a token that its function does not give is reported with the reason", () =>
    Effect.gen(function*() {
      const mcp = yield* RawServer.listen()
      const token = () => Promise.reject(new Error("The vault is closed"))
      const reason = yield* reasonOf(mcp.url, { token })
      assert.strictEqual(reason, "The token for the MCP server raw is missing: The vault is closed")
      assert.lengthOf(mcp.seen, 0)
    }))

  it.effect("a failed server is asked again after a pause, and its problem is logged once", () =>
    Effect.gen(function*() {
      const mcp = yield* RawServer.listen({
        initialize: [RawServer.status(500), RawServer.status(500), RawServer.usual["initialize"] as object]
      })
      const { script, server } = yield* running(mcp.url)
      const again = runWhole(server, "a", { message: "Hi" })
      yield* again
      yield* again
      assert.strictEqual(mcp.count("initialize"), 1)
      yield* TestClock.adjust("2 seconds")
      yield* again
      yield* TestClock.adjust("3 seconds")
      yield* again
      assert.deepStrictEqual((yield* script.calls).map(({ tools }) => tools.length), [0, 0, 0, 1])
      const warnings = server.logs.filter(({ annotations }) => annotations["tool_source"] === "raw")
      assert.lengthOf(warnings, 1)
    }))
})

describe("a server that lies about its tools", () => {
  it.effect.each<[string, object, string]>([
    ["a tool without a schema", { name: "bad" }, "bad: It is no tool"],
    ["a schema that is no schema", {
      name: "bad",
      inputSchema: { type: "object", properties: { a: { type: "banana" } } }
    }, "bad: Its schema is no JSON Schema"],
    [
      "properties that are no object",
      { name: "bad", inputSchema: { type: "object", properties: [1] } },
      "bad: Its schema is no JSON Schema"
    ],
    [
      "a schema of a text",
      { name: "bad", inputSchema: { type: "string" } },
      "bad: Its schema does not describe an object"
    ],
    ["a tool that is a number", Object(7), "a tool without a name: It is no tool"],
    ["a name twice", good, "good: Another tool has this name"],
    [
      "a schema that is too large",
      { name: "bad", inputSchema: { type: "object", title: "x".repeat(70_000) } },
      "bad: Its schema has more than 65536 characters"
    ],
    ["a root of another kind", { name: "bad", inputSchema: {} }, "bad: Its schema does not describe an object"],
    ["a root that refers to nothing", {
      name: "bad",
      inputSchema: { $ref: "#/$defs/Gone" }
    }, "bad: Its schema does not describe an object"],
    ["roots that refer to each other", {
      name: "bad",
      inputSchema: { $ref: "#/$defs/A", $defs: { A: { $ref: "#/$defs/B" }, B: { $ref: "#/$defs/A" } } }
    }, "bad: Its schema does not describe an object"]
  ])("%s is left out and reported, and the other tools work", ([, bad, reason]) =>
    Effect.gen(function*() {
      const mcp = yield* listing([good, bad])
      assert.strictEqual(yield* reasonOf(mcp.url), reason)
    }))

  it.effect("no more than maxTools of 100,000 tools are offered", () =>
    Effect.gen(function*() {
      const mcp = yield* listing(Array.from({ length: 100_000 }, (_, n) => ({ ...good, name: `t${n}` })))
      const reason = yield* reasonOf(mcp.url, { maxTools: 3 })
      assert.strictEqual(
        reason,
        "9997 tools are left out, because maxTools is 3; Only 64 pages, 10000 tools or 16777216 characters of its list were read"
      )
    }))

  it.effect("a list that never ends is read for 64 pages, and for 10,000 tools", () =>
    Effect.gen(function*() {
      const mcp = yield* RawServer.listen({ "tools/list": { tools: [], nextCursor: "more" } })
      assert.strictEqual(
        yield* reasonOf(mcp.url),
        "Only 64 pages, 10000 tools or 16777216 characters of its list were read"
      )
      assert.strictEqual(mcp.count("tools/list"), 64)
    }))

  it.effect("a list of large pages is read for 16 MiB, whatever the number of its pages", () =>
    Effect.gen(function*() {
      const tools = [{ ...good, description: "x".repeat(3 * 1024 * 1024) }]
      const mcp = yield* RawServer.listen({ "tools/list": { tools, nextCursor: "more" } })
      assert.include(yield* reasonOf(mcp.url), "16777216 characters of its list were read")
      assert.strictEqual(mcp.count("tools/list"), 6)
    }))

  it.effect("a tool that include names and the server lacks is reported", () =>
    Effect.gen(function*() {
      const mcp = yield* listing([good])
      assert.strictEqual(yield* reasonOf(mcp.url, { include: ["good", "gone"] }), "gone: The server has no such tool")
    }))
})

describe("a call of a server that breaks", () => {
  const called = Effect.fnUntraced(function*(answers: RawServer.Answers, more: More = {}) {
    const mcp = yield* RawServer.listen(answers)
    const { server } = yield* running(mcp.url, more, [[echo]])
    const { json } = yield* runWhole(server, "a", { message: "Hi" })
    const [tool] = at(json, "tools") as ReadonlyArray<Record<string, unknown>>
    return { mcp, status: at(json, "status"), tool }
  })

  it.effect("a session that the server has forgotten is opened again, and the call is sent again", () =>
    Effect.gen(function*() {
      const { mcp, tool } = yield* called({
        "tools/call": [RawServer.status(404), RawServer.usual["tools/call"] as object]
      })
      assert.strictEqual(tool?.["result"], "echoed")
      assert.strictEqual(mcp.count("initialize"), 2)
    }))

  it.effect("a call whose response is lost pauses the run, because its outcome is unknown", () =>
    Effect.gen(function*() {
      const { status, tool } = yield* called({ "tools/call": RawServer.destroy })
      assert.strictEqual(status, "PAUSED")
      assert.isTrue(tool?.["outcome_unknown"])
    }))

  it.effect("a call that only reads is repeated as often as the author says", () =>
    Effect.gen(function*() {
      const { mcp, tool } = yield* called(
        { "tools/call": [RawServer.destroy, RawServer.usual["tools/call"] as object] },
        { effects: "read", retries: 1, delayBetweenRetries: 0 }
      )
      assert.strictEqual(tool?.["result"], "echoed")
      assert.strictEqual(mcp.count("tools/call"), 2)
    }))

  it.effect("an error of the server is a result for the model", () =>
    Effect.gen(function*() {
      const { status, tool } = yield* called({ "tools/call": RawServer.jsonRpcError(-32602, "No account") })
      assert.strictEqual(status, "COMPLETED")
      assert.match(String(tool?.["result"]), /No account/)
      assert.isTrue(tool?.["tool_call_error"])
    }))

  it.effect("a result that does not match the declared schema is an error for the model", () =>
    Effect.gen(function*() {
      const outputSchema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] }
      const { tool } = yield* called({
        "tools/list": { tools: [{ name: "echo", inputSchema: { type: "object" }, outputSchema }] },
        "tools/call": { content: [], structuredContent: { n: "one" } }
      })
      assert.match(String(tool?.["result"]), /does not match its schema: n/)
      assert.isTrue(tool?.["tool_call_error"])
    }))

  it.effect("a long result is cut at maxResultBytes", () =>
    Effect.gen(function*() {
      const { tool } = yield* called(
        { "tools/call": { content: [{ type: "text", text: "x".repeat(1000) }] } },
        { maxResultBytes: 10 }
      )
      assert.strictEqual(tool?.["result"], "xxxxxxxxxx\n[The result was cut after 10 of 1000 bytes (maxResultBytes)]")
    }))
})
