// Tools of MCP servers in runs: what is sent, what the model reads, and what the caller sees of a broken server.
import { assert, describe, it } from "@effect/vitest"
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import * as ToolName from "@svc-runtime/domain/ToolName"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Redacted } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { z } from "zod"
import * as McpTools from "../../src/mcpClient/McpTools.ts"
import { ask, at, column, failed, get, post, run, runWhole, serve, undecided } from "../Wire.ts"
import * as RawServer from "./RawServer.ts"

Tier.oneIn(4)

const fetch = { allowPrivate: true }

const echo = Script.toolCall("echo", { text: "hi" }, "call_1")

/** A run of an agent that calls the tool once. */
const running = Effect.fnUntraced(function*(
  options: McpTools.Options,
  call: Script.Step = echo,
  more: Partial<TestServer.Options> = {}
) {
  const script = yield* Script.make([[call], [Script.text("Done")], [call], [Script.text("Done")]])
  const agent = Agent.make({ id: "a", model: script.model, tools: [McpTools.make(options)] })
  const server = yield* serve({ agents: [agent], fetch, ...more })
  return { server, script, whole: runWhole(server, "a", { message: "Hi", session_id: "s" }) }
})

const toolsOf = (json: unknown) => at(json, "tools") as ReadonlyArray<Record<string, unknown>>

describe("tools of an MCP server over HTTP", () => {
  it.effect("the model is shown the tools, and the server responds to a call", () =>
    Effect.gen(function*() {
      const mcp = yield* RawServer.listen()
      const { whole, script } = yield* running({ name: "raw", url: mcp.url })
      const { json } = yield* whole
      assert.strictEqual(at(json, "status"), "COMPLETED")
      assert.deepInclude(toolsOf(json)[0], { tool_name: "echo", result: "echoed", tool_call_error: false })
      assert.deepStrictEqual((yield* script.calls)[0]?.tools.map(({ name }) => name), ["echo"])
      const call = mcp.seen.find(({ method }) => method === "tools/call")
      assert.deepStrictEqual(call?.params["arguments"], { text: "hi" })
      assert.deepStrictEqual(call?.params["_meta"], { "svc/effect_id": `${String(at(json, "run_id"))}.0.0` })
    }))

  it.effect("the server gets lists and objects that the model has sent as texts as what they are", () =>
    Effect.gen(function*() {
      const nullable = { anyOf: [{ type: "array" }, { type: "null" }] }
      const properties = {
        ids: { type: "array" },
        of: { type: ["object", "null"] },
        maybe: nullable,
        text: { type: "string" },
        either: { type: ["array", "string"] },
        wrong: { type: "object" }
      }
      const mcp = yield* RawServer.listen({
        "tools/list": { tools: [{ name: "echo", inputSchema: { type: "object", properties } }] }
      })
      const call = Script.toolCall("echo", {
        ids: "[1]",
        of: "{\"a\":2}",
        maybe: "[3]",
        text: "[4]",
        either: "[5]",
        wrong: "[6]",
        other: "[7]"
      }, "call_1")
      const { whole } = yield* running({ name: "raw", url: mcp.url }, call)
      assert.strictEqual(at((yield* whole).json, "status"), "COMPLETED")
      assert.deepStrictEqual(mcp.seen.find(({ method }) => method === "tools/call")?.params["arguments"], {
        ids: [1],
        of: { a: 2 },
        maybe: [3],
        text: "[4]",
        either: "[5]",
        wrong: "[6]",
        other: "[7]"
      })
    }))

  it.effect("runs share a connection and a list, which is read again when the server says that it has changed", () =>
    Effect.gen(function*() {
      const { tools } = RawServer.usual["tools/list"] as { tools: Array<object> }
      const changed: RawServer.Answer = (response, { id }) => {
        response.writeHead(200, { "content-type": "text/event-stream" })
        response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", method: "notifications/tools/list_changed" })}\n\n`)
        response.end(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result: { content: [] } })}\n\n`)
      }
      const mcp = yield* RawServer.listen({
        "tools/list": [{ tools }, { tools: [...tools, { name: "second", inputSchema: { type: "object" } }] }],
        "tools/call": changed
      })
      const { whole, script, server } = yield* running({ name: "raw", url: mcp.url })
      yield* whole
      yield* runWhole(server, "a", { message: "Hi", session_id: "s2" })
      assert.strictEqual(mcp.count("initialize"), 1)
      assert.strictEqual(mcp.count("tools/list"), 2)
      assert.deepStrictEqual((yield* script.calls).map(({ tools }) => tools.length), [1, 1, 2, 2])
    }))

  it.effect("headers and the token of the author are sent, and are shown nowhere", () =>
    Effect.gen(function*() {
      const mcp = yield* RawServer.listen()
      let count = 0
      const { whole, server } = yield* running({
        name: "raw",
        url: mcp.url,
        headers: { "X-Team": Redacted.make("blue-secret") },
        token: () => Promise.resolve(`token-secret-${++count}`)
      })
      const { text } = yield* whole
      assert.isTrue(mcp.seen.every(({ headers }) => headers["x-team"] === "blue-secret"))
      assert.match(mcp.seen[0]?.headers.authorization ?? "", /^Bearer token-secret-\d+$/)
      assert.notInclude(text + (yield* get(server, "/agents/a")).text, "secret")
    }))

  it.effect("a token that the server refuses is asked for again, once", () =>
    Effect.gen(function*() {
      const mcp = yield* RawServer.listen({
        initialize: [RawServer.status(401), RawServer.usual["initialize"] as object]
      })
      let count = 0
      const { whole } = yield* running({ name: "raw", url: mcp.url, token: () => `t${++count}` })
      assert.strictEqual(toolsOf((yield* whole).json)[0]?.["result"], "echoed")
      const sent = mcp.seen.filter(({ method }) => method === "initialize").map(({ headers }) => headers.authorization)
      assert.lengthOf(sent, 2)
      assert.notStrictEqual(sent[0], sent[1])
    }))

  it.effect("include, exclude, prefix, effects and confirmations apply to the tools", () =>
    Effect.gen(function*() {
      const names = ["read", "pay", "hidden", "unlisted"]
      const mcp = yield* RawServer.listen({
        "tools/list": { tools: names.map((name) => ({ name, inputSchema: { type: "object" } })) }
      })
      const { whole, script, server } = yield* running({
        name: "raw",
        url: mcp.url,
        prefix: "bank_",
        include: ["read", "pay", "hidden"],
        exclude: ["hidden"],
        effects: { read: "read" },
        requiresConfirmation: ["pay"]
      }, Script.toolCall("bank_pay"))
      const { json } = yield* whole
      assert.strictEqual(at(json, "status"), "PAUSED")
      assert.strictEqual(mcp.count("tools/call"), 0)
      assert.deepStrictEqual((yield* script.calls)[0]?.tools.map(({ name }) => name), ["bank_read", "bank_pay"])
      const detail = yield* get(server, "/agents/a")
      assert.deepStrictEqual(column(at(at(detail.json, "tools"), "tools"), "name"), ["bank_read", "bank_pay"])
      assert.deepStrictEqual(at(at(detail.json, "tools"), "tool_sources"), [{ name: "raw", status: "available" }])
    }))

  it.effect("arguments that a person edits are checked by the schema of the server before the run continues", () =>
    Effect.gen(function*() {
      const properties = { item: { type: "string" }, qty: { type: "integer" }, ids: { type: "array" } }
      const inputSchema = { type: "object", properties, required: ["item", "qty"] }
      const mcp = yield* RawServer.listen({ "tools/list": { tools: [{ name: "pay", inputSchema }] } })
      const { server } = yield* running(
        { name: "raw", url: mcp.url, requiresConfirmation: true },
        Script.toolCall("pay", { item: "tea", qty: 1 }, "call_1")
      )
      yield* run(server, "a", { message: "Hi", session_id: "s", run_id: "r", stream: "false" })
      const continued = (tool_args: object) =>
        ask(server, "/agents/a/runs/r/continue", {
          method: "POST",
          body: new URLSearchParams({
            session_id: "s",
            stream: "false",
            tools: JSON.stringify([{ tool_call_id: "call_1", confirmed: true, tool_args }])
          })
        })
      for (
        const [args, problem] of [
          [{ item: "tea", qty: 1, Note: "n" }, "there is no 'Note'"],
          [{ item: "tea" }, "qty"],
          [{ item: "tea", qty: 2.5 }, "qty"]
        ] as const
      ) {
        const { status, text } = yield* continued(args)
        assert.strictEqual(status, 422, text)
        assert.include(text, problem)
      }
      assert.strictEqual(mcp.count("tools/call"), 0)
      assert.strictEqual((yield* continued({ item: "tea", qty: 2, ids: "[1]" })).status, 200)
      const call = mcp.seen.find(({ method }) => method === "tools/call")
      assert.deepStrictEqual(call?.params["arguments"], { item: "tea", qty: 2, ids: [1] })
    }))

  it.effect("the approval of an edited call stays pending while its server does not reply, and is then checked", () =>
    Effect.gen(function*() {
      const inputSchema = { type: "object", properties: { item: { type: "string" } }, required: ["item"] }
      const mcp = yield* RawServer.listen({ "tools/list": { tools: [{ name: "pay", inputSchema }] } })
      const options = { name: "raw", approval: "required", connectTimeout: "2 seconds" } as const
      const sources = [mcp.url, "http://127.0.0.1:1/mcp"].map((url) => McpTools.make({ ...options, url }))
      let isDown = false
      const source = { ...sources[0]!, open: Effect.suspend(() => sources[isDown ? 1 : 0]!.open) }
      const script = yield* Script.make([[Script.toolCall("pay", { item: "tea" }, "call_1")], [Script.text("Done")]])
      const server = yield* serve({ agents: [Agent.make({ id: "a", model: script.model, tools: [source] })], fetch })
      yield* run(server, "a", { message: "Hi", session_id: "s", run_id: "r", stream: "false" })
      const approval = Effect.map(get(server, "/approvals"), ({ json }) => at(json, "data", 0))
      const path = `/approvals/${String(at(yield* approval, "id"))}/resolve`
      const resolve = (tool_args: object) => post(server, path, { status: "approved", resolution_data: { tool_args } })
      isDown = true
      failed(
        yield* resolve({ item: "milk" }),
        503,
        "SERVICE_UNAVAILABLE",
        /pay \(call_1\) cannot be called now\. raw: .*send it again later/
      )
      const answer = { messageId: "m", role: "ROLE_USER", taskId: "r", contextId: "s", parts: [{ text: "yes" }] }
      const refused = yield* ask(server, "/a2a/agents/a/message:send", {
        method: "POST",
        headers: { "content-type": "application/json", "a2a-version": "1.0" },
        body: JSON.stringify({ message: answer })
      })
      assert.strictEqual(refused.status, 503, refused.text)
      assert.deepInclude(at(refused.json, "error", "details", 0), { reason: "UNAVAILABLE" })
      assert.strictEqual(at(yield* approval, "status"), "pending")
      isDown = false
      undecided(yield* resolve({ itme: "milk" }), /the arguments of pay do not fit: /)
      const resolved = yield* resolve({ item: "milk" })
      assert.strictEqual(resolved.status, 200, resolved.text)
    }))

  it.effect("a tool of the agent keeps its name, and the run says which tool of the server is left out", () =>
    Effect.gen(function*() {
      const mcp = yield* RawServer.listen()
      const script = yield* Script.make([[echo], [Script.text("Done")]])
      const own = Tool.make({ name: "echo", execute: () => "own" })
      const source = McpTools.make({ name: "raw", url: mcp.url })
      const agent = Agent.make({ id: "a", model: script.model, tools: [source, own] })
      const server = yield* serve({ agents: [agent], fetch })
      const { text } = yield* run(server, "a", { message: "Hi", stream_events: "true" })
      assert.include(text, `"result":"own"`)
      assert.include(text, `"reason":"The agent has other tools with these names: echo"`)
    }))

  it.effect("the result is text, structured content or the addresses of media, and an error of the tool is one", () =>
    Effect.gen(function*() {
      const contents: ReadonlyArray<object> = [
        { content: [{ type: "image", mimeType: "image/png", data: "AAAA" }, { type: "text", text: "a" }] },
        { content: [], structuredContent: { n: 1 } },
        { content: [{ type: "text", text: "No such account" }], isError: true },
        { content: [{ type: "resource", resource: { uri: "file:///a", text: "inside" } }] },
        {
          content: [
            { type: "resource_link", uri: "file:///b", name: "b", title: "Report", description: "What was sold" },
            { type: "resource_link", uri: "file:///c", name: "c" }
          ]
        }
      ]
      const mcp = yield* RawServer.listen({ "tools/call": contents })
      const script = yield* Script.make([
        [echo, echo, echo, echo, echo].map((_, n) => Script.toolCall("echo", { text: String(n) })),
        [
          Script.text("Done")
        ]
      ])
      const agent = Agent.make({
        id: "a",
        model: script.model,
        tools: [McpTools.make({ name: "raw", url: mcp.url, concurrency: 1 })]
      })
      const { json } = yield* runWhole(yield* serve({ agents: [agent], fetch }), "a", { message: "Hi" })
      assert.deepStrictEqual(toolsOf(json).map(({ result, tool_call_error }) => [result, tool_call_error]), [
        [`a\n[image/png, 3 bytes: ${String(at(json, "images", 0, "url"))}]`, false],
        [`{"n":1}`, false],
        ["No such account", true],
        ["inside", false],
        ["Report (file:///b): What was sold\nc (file:///c)", false]
      ])
    }))

  it.effect("long names, and names that become equal, are shortened with a hash, and the server gets its own names", () =>
    Effect.gen(function*() {
      const names = ["x".repeat(70), "a.b", "a_b"]
      const mcp = yield* RawServer.listen({
        "tools/list": { tools: names.map((name) => ({ name, inputSchema: { type: "object" } })) }
      })
      const prefixed = names.map((name) => `p_${name}`)
      const shown = prefixed.map(ToolName.distinct(prefixed))
      const script = yield* Script.make([
        shown.map((name, n) => Script.toolCall(name, {}, `call_${n}`)),
        [Script.text("Done")]
      ])
      const source = McpTools.make({ name: "raw", url: mcp.url, prefix: "p_" })
      const server = yield* serve({ agents: [Agent.make({ id: "a", model: script.model, tools: [source] })], fetch })
      const { json } = yield* runWhole(server, "a", { message: "Hi" })
      assert.strictEqual(at(json, "status"), "COMPLETED")
      assert.deepStrictEqual((yield* script.calls)[0]?.tools.map(({ name }) => name), shown)
      const called = mcp.seen.filter(({ method }) => method === "tools/call").map(({ params }) => params["name"])
      assert.deepStrictEqual(called.toSorted(), names.toSorted())
      const detail = yield* get(server, "/agents/a")
      assert.deepStrictEqual(at(at(detail.json, "tools"), "tool_sources"), [{ name: "raw", status: "available" }])
    }))

  const echoed = { type: "text", text: "echo" }
  const secret = { secret: 7 }

  it.effect.each<readonly [string, McpTools.Options["results"], object, string]>([
    ["both are shown", undefined, { content: [echoed], structuredContent: secret }, `echo\n{"secret":7}`],
    ["the same JSON once", undefined, {
      content: [{ type: "text", text: `{ "secret": 7 }` }],
      structuredContent: secret
    }, `{ "secret": 7 }`],
    ["a wrapped text once", undefined, { content: [echoed], structuredContent: { result: "echo" } }, "echo"],
    ["a wrapped list once", undefined, {
      content: [{ type: "text", text: "1" }, { type: "text", text: `{"a":2}` }],
      structuredContent: { result: [1, { a: 2 }] }
    }, `1\n{"a":2}`],
    ["with `content`, only that", "content", { content: [echoed], structuredContent: secret }, "echo"],
    ["with `structured`, only that", "structured", { content: [echoed], structuredContent: secret }, `{"secret":7}`],
    ["with `structured`, the content of a tool without", "structured", { content: [echoed] }, "echo"],
    [
      "with `content`, the JSON of a tool without",
      "content",
      { content: [], structuredContent: secret },
      `{"secret":7}`
    ]
  ])(
    "the model reads content and structured content by option: %s",
    ([, results, result, expected]) =>
      Effect.gen(function*() {
        const mcp = yield* RawServer.listen({ "tools/call": result })
        const { whole } = yield* running({ name: "raw", url: mcp.url, results })
        assert.strictEqual(toolsOf((yield* whole).json)[0]?.["result"], expected)
      })
  )

  it.effect("the official server is used as it is", () =>
    Effect.gen(function*() {
      const mcp = new McpServer({ name: "official", version: "1" })
      mcp.registerTool("add", {
        inputSchema: { a: z.number(), b: z.number() },
        outputSchema: { sum: z.number() }
      }, ({ a, b }) => ({ content: [{ type: "text", text: String(a + b) }], structuredContent: { sum: a + b } }))
      const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => "one" })
      yield* Effect.promise(() => mcp.connect(transport as never))
      const http = createServer((request, response) => void transport.handleRequest(request, response))
      yield* Effect.callback<void>((resume) => void http.listen(0, "127.0.0.1", () => resume(Effect.void)))
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          http.closeAllConnections()
          http.close()
        })
      )
      const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/`
      const { whole } = yield* running({ name: "official", url }, Script.toolCall("add", { a: 1, b: 2 }))
      assert.strictEqual(toolsOf((yield* whole).json)[0]?.["result"], `3\n{"sum":3}`)
    }))
})
