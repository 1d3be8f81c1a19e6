// Servers of older revisions ask the user and the model while a call is open. Those of the newest one ask the model in
// the response of a call.
import { assert, describe, it } from "@effect/vitest"
import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import {
  CallToolRequestSchema,
  CreateMessageResultSchema,
  ElicitResultSchema,
  ListToolsRequestSchema
} from "@modelcontextprotocol/sdk/types.js"
import type { ToolSource } from "@svc-runtime/engine/tool/ToolSource"
import * as Agent from "@svc-runtime/features/Agent"
import { Route } from "@svc-runtime/server"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Context, Deferred, Effect, Layer, Queue } from "effect"
import { McpSchema, McpServer } from "effect/ai"
import { AsyncResource } from "node:async_hooks"
import { randomUUID } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as McpEndpoint from "../../src/mcp/McpEndpoint.ts"
import * as McpTools from "../../src/mcpClient/McpTools.ts"
import * as OpenCalls from "../../src/mcpClient/OpenCalls.ts"
import { ask, at, list, runWhole } from "../Wire.ts"
import * as RawServer from "./RawServer.ts"

Tier.oneIn(6)

const form = { type: "object", properties: { city: { type: "string" } }, required: ["city"] } as const

const texts = (value: unknown) => ({ content: [{ type: "text" as const, text: JSON.stringify(value) }] })

type Ask = (method: "elicitation/create" | "sampling/createMessage", params: object) => Promise<unknown>

const sampling = (text: string, more: object = {}) => ({
  messages: [{ role: "user", content: { type: "text", text } }],
  maxTokens: 100,
  ...more
})

/** What its tools do. */
const tools: Readonly<Record<string, (ask: Ask) => Promise<unknown>>> = {
  book: (ask) => ask("elicitation/create", { message: "Which city?", requestedSchema: form }),
  twice: async (ask) => [
    await ask("elicitation/create", { message: "From?", requestedSchema: form }),
    await ask("elicitation/create", { message: "To?", requestedSchema: form })
  ],
  sum: (ask) => ask("sampling/createMessage", sampling("Sum it up", { systemPrompt: "Be short", temperature: 0.5 })),
  both: async (ask) => [
    await ask("sampling/createMessage", sampling("Sum it up")),
    await ask("elicitation/create", { message: "Where?", requestedSchema: form })
  ],
  greedy: async (ask) => {
    for (;;) await ask("sampling/createMessage", sampling("More"))
  },
  failing: async (ask) => {
    for (let count = 0; count < 4; count++) {
      await ask("sampling/createMessage", sampling(`Failure ${count}`)).catch(() => undefined)
    }
    return ask("sampling/createMessage", sampling("Last"))
  },
  flood: async (ask) => {
    const refusals: Array<string> = []
    const [first] = Array.from(
      { length: 50 },
      () =>
        ask("elicitation/create", { message: "Which city?", requestedSchema: form })
          .catch((error: Error) => void refusals.push(error.message))
    )
    await first
    return refusals
  },
  image: (ask) =>
    ask("sampling/createMessage", {
      messages: [{ role: "user", content: { type: "image", data: "AAAA", mimeType: "image/png" } }],
      maxTokens: 1
    })
}

/** A server of the revision 2025-06-18, with what its clients have declared. */
const older = Effect.gen(function*() {
  const declared: Array<unknown> = []
  const responses = yield* Queue.unbounded<unknown>()
  const make = () => {
    const server = new Server({ name: "older", version: "1" }, { capabilities: { tools: {} } })
    server.oninitialized = () => void declared.push(server.getClientCapabilities())
    server.setRequestHandler(ListToolsRequestSchema, () => ({
      tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: "object" as const } }))
    }))
    server.setRequestHandler(CallToolRequestSchema, async ({ params }, { sendRequest }) => {
      const ask: Ask = async (method, params) => {
        const response = await sendRequest(
          { method, params } as never,
          (method === "elicitation/create" ? ElicitResultSchema : CreateMessageResultSchema) as never
        ).catch((error: Error) => {
          Queue.offerUnsafe(responses, error.message)
          throw error
        })
        Queue.offerUnsafe(responses, response)
        return response
      }
      try {
        return texts(await tools[params.name]!(ask))
      } catch (error) {
        return { ...texts(String((error as Error).message)), isError: true }
      }
    })
    return server
  }
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  const http = yield* Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const made = createServer((request, response) => {
        void (async () => {
          const id = String(request.headers["mcp-session-id"] ?? "")
          const known = sessions.get(id)
          if (known !== undefined) return known.handleRequest(request, response)
          if (id !== "") return response.writeHead(404).end()
          const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
            sessionIdGenerator: randomUUID,
            onsessioninitialized: (session) => void sessions.set(session, transport)
          })
          await make().connect(transport as never)
          return transport.handleRequest(request, response)
        })()
      })
      made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
    }),
    (made) =>
      Effect.callback<void>((resume) => {
        made.close(() => resume(Effect.void))
        made.closeAllConnections()
      })
  )
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`, declared, responses }
})

const path = "/sampling"

/** A server of the revision 2026-07-28, whose tool asks the model. */
const newest = Effect.gen(function*() {
  const seen: Array<unknown> = []
  const registrations = Layer.effectDiscard(Effect.gen(function*() {
    const server = yield* McpServer.McpServer
    yield* server.addTool({
      tool: new McpSchema.Tool({ name: "sum", inputSchema: { type: "object", properties: {} } }),
      annotations: Context.empty(),
      handle: (given) =>
        Effect.gen(function*() {
          const { inputResponses } = yield* McpSchema.McpRequestContext
          seen.push(inputResponses)
          const answer = inputResponses?.["model"]
          const { big = 0 } = given as { readonly big?: number }
          return answer === undefined
            ? new McpSchema.InputRequired({
              inputRequests: {
                model: {
                  method: "sampling/createMessage",
                  params: sampling("Sum it up")
                } as unknown as McpSchema.McpInputRequest
              },
              requestState: "x".repeat(big)
            })
            : McpSchema.CallToolResult.make(texts(answer))
        })
    })
  }))
  const routes = [
    Route.layer(McpEndpoint.layer({ path, registrations }), { [`POST ${path}`]: "none", [`DELETE ${path}`]: "none" })
  ]
  const { url } = yield* TestServer.listen({ routes })
  return { seen, url: `${url}${path}` }
})

const sample = Script.text("In short")

const running = Effect.fnUntraced(function*(
  url: string,
  turns: Parameters<typeof Script.make>[0],
  options: Partial<McpTools.Options> = {},
  sourceOf: (make: () => ToolSource) => ToolSource = (make) => make()
) {
  const script = yield* Script.make(turns)
  const source = sourceOf(() => McpTools.make({ name: "older", url, ...options } as McpTools.Options))
  const agent = Agent.make({ id: "a", model: script.model, tools: [source] })
  const server = yield* TestServer.make({ agents: [agent], fetch: { allowPrivate: true } })
  const { json } = yield* runWhole(server, "a", { message: "Hi", session_id: "s", run_id: "r" })
  const go = (...requirements: ReadonlyArray<object>) =>
    Effect.map(
      ask(server, "/agents/a/runs/r/continue", {
        method: "POST",
        body: new URLSearchParams({ session_id: "s", stream: "false", requirements: JSON.stringify(requirements) })
      }),
      ({ json }) => json
    )
  return { json, go, server, script }
})

const calling = (name: string, args: object = {}) => [Script.toolCall(name, args, "call_1")]

const open = (json: unknown) => list(json, "requirements").at(-1)

const answered = (json: unknown, values: object) => ({
  id: at(open(json), "id"),
  confirmed: true,
  user_input_schema: Object.entries(values).map(([name, value]) => ({ name, value }))
})

const resultOf = (json: unknown) => JSON.parse(String(at(list(json, "tools")[0], "result")))

describe("a server of an older revision that asks the user", () => {
  it.live("the run pauses with its form, and the open call gets the values", () =>
    Effect.gen(function*() {
      const { declared, url } = yield* older
      const { go, json } = yield* running(url, [calling("book"), [Script.text("Done")]])
      assert.deepStrictEqual(declared, [{ elicitation: { form: {} } }])
      assert.strictEqual(at(json, "status"), "PAUSED", JSON.stringify(json))
      assert.strictEqual(at(open(json), "tool_execution", "asked", "message"), "The MCP server older asks: Which city?")
      const done = yield* go(answered(json, { city: "Bern" }))
      assert.strictEqual(at(done, "status"), "COMPLETED", JSON.stringify(done))
      assert.deepStrictEqual(resultOf(done), { action: "accept", content: { city: "Bern" } })
    }))

  it.live("a server can ask one question after the other in one call", () =>
    Effect.gen(function*() {
      const { url } = yield* older
      const { go, json } = yield* running(url, [calling("twice"), [Script.text("Done")]])
      const second = yield* go(answered(json, { city: "Bern" }))
      assert.strictEqual(at(open(second), "tool_execution", "asked", "message"), "The MCP server older asks: To?")
      const done = yield* go(answered(second, { city: "Rome" }))
      assert.deepStrictEqual(resultOf(done).map((each: unknown) => at(each, "content", "city")), ["Bern", "Rome"])
    }))

  it.live("calls that are open at once get their own answers", () =>
    Effect.gen(function*() {
      const { url } = yield* older
      const calls = ["call_1", "call_2"].map((id) => Script.toolCall("book", {}, id))
      const { go, json } = yield* running(url, [calls, [Script.text("Done")]])
      const [one, two] = list(json, "requirements")
      const values = (requirement: unknown, city: string) => ({
        id: at(requirement, "id"),
        confirmed: true,
        user_input_schema: [{ name: "city", value: city }]
      })
      const done = yield* go(values(two, "Rome"), values(one, "Bern"))
      assert.strictEqual(at(done, "status"), "COMPLETED", JSON.stringify(done))
      assert.deepStrictEqual(
        list(done, "tools").map((tool) => at(JSON.parse(String(at(tool, "result"))), "content", "city")),
        ["Bern", "Rome"]
      )
    }))

  it.live("a call that is not open any more has an unknown outcome, and the run says so", () =>
    Effect.gen(function*() {
      const { url } = yield* older
      let opened = 0
      const restarted = (make: () => ToolSource): ToolSource => {
        const sources = [make(), make()]
        return { ...sources[0]!, open: Effect.suspend(() => sources[Math.min(opened++, 1)]!.open) }
      }
      const { json, server } = yield* running(url, [calling("book"), [Script.text("Done")]], {}, restarted)
      const requirements = JSON.stringify([answered(json, { city: "Bern" })])
      const { text } = yield* ask(server, "/agents/a/runs/r/continue", {
        method: "POST",
        body: new URLSearchParams({ session_id: "s", stream: "true", requirements })
      })
      assert.match(text, /event: ToolCallError[^]*The answer has not reached the server/)
      assert.match(text, /event: RunPaused[^]*"outcome_unknown":true/)
    }))

  it.live("a rejection declines the question, and the result is what the server does then", () =>
    Effect.gen(function*() {
      const { url } = yield* older
      const { go, json, script } = yield* running(url, [calling("book"), [Script.text("Done")]])
      const done = yield* go({ id: at(open(json), "id"), confirmed: false, confirmation_note: "no date yet" })
      assert.strictEqual(at(done, "status"), "COMPLETED", JSON.stringify(done))
      assert.deepStrictEqual(resultOf(done), { action: "decline" })
      assert.isFalse(at(list(done, "tools")[0], "tool_call_error"))
      assert.strictEqual(
        at((yield* script.calls)[1]?.prompt, "content", 2, "content", 0, "result"),
        "(A person has declined the question of this call.)\n" +
          "(A person has added a note to this call: \"no date yet\".)\n\n{\"action\":\"decline\"}"
      )
    }))

  it.live("the model reads a declined question also if the next one is answered", () =>
    Effect.gen(function*() {
      const { url } = yield* older
      const { go, json, script } = yield* running(url, [calling("twice"), [Script.text("Done")]])
      const next = yield* go({ id: at(open(json), "id"), confirmed: false, confirmation_note: "not from here" })
      const done = yield* go(answered(next, { city: "Rome" }))
      assert.strictEqual(at(done, "status"), "COMPLETED", JSON.stringify(done))
      assert.match(
        String(at((yield* script.calls)[1]?.prompt, "content", 2, "content", 0, "result")),
        /^\(A person has declined the question of this call\.\)\n\(A person has added a note .*"not from here"\.\)\n\n/
      )
    }))

  it.live("a declined call that is gone has an unknown outcome", () =>
    Effect.gen(function*() {
      const { url } = yield* older
      let opened = 0
      const restarted = (make: () => ToolSource): ToolSource => {
        const sources = [make(), make()]
        return { ...sources[0]!, open: Effect.suspend(() => sources[Math.min(opened++, 1)]!.open) }
      }
      const { go, json } = yield* running(url, [calling("book"), [Script.text("Done")]], {}, restarted)
      const again = yield* go({ id: at(open(json), "id"), confirmed: false })
      assert.strictEqual(at(again, "status"), "PAUSED", JSON.stringify(again))
      assert.isTrue(at(open(again), "tool_execution", "outcome_unknown"))
    }))

  it.live("the cancellation of a paused run declines its question", () =>
    Effect.gen(function*() {
      const { responses, url } = yield* older
      const { server } = yield* running(url, [calling("book"), [Script.text("Done")]])
      yield* ask(server, "/agents/a/runs/r/cancel", { method: "POST" })
      assert.deepStrictEqual(yield* Effect.timeout(Queue.take(responses), "5 seconds"), { action: "decline" })
    }))

  it.live("the program of a server is asked in the call that is open", () =>
    Effect.gen(function*() {
      const program = new URL("./asking-server.ts", import.meta.url).pathname
      const script = yield* Script.make([calling("book"), [Script.text("Done")]])
      const source = McpTools.make({ name: "process", command: process.execPath, args: [program] })
      const server = yield* TestServer.make({ agents: [Agent.make({ id: "a", model: script.model, tools: [source] })] })
      const { json } = yield* runWhole(server, "a", { message: "Hi", session_id: "s", run_id: "r" })
      const requirements = JSON.stringify([answered(json, { city: "Bern" })])
      const { json: done } = yield* ask(server, "/agents/a/runs/r/continue", {
        method: "POST",
        body: new URLSearchParams({ session_id: "s", stream: "false", requirements })
      })
      assert.deepStrictEqual(resultOf(done), { action: "accept", content: { city: "Bern" } })
    }))
})

describe("a server that asks what it may not, or too much", () => {
  it.live("an older server that may not ask the user gets the reason", () =>
    Effect.gen(function*() {
      const { declared, url } = yield* older
      const { json } = yield* running(url, [calling("book"), [Script.text("Done")]], { elicitation: false })
      assert.deepStrictEqual(declared, [{}])
      assert.strictEqual(at(json, "status"), "COMPLETED", JSON.stringify(json))
      assert.match(String(at(list(json, "tools")[0], "result")), /option `elicitation` of McpTools does not allow/)
    }))

  it.live("a server of the newest revision that may not ask the user gets the reason", () =>
    Effect.gen(function*() {
      const { url } = yield* RawServer.listen({
        "server/discover": {
          resultType: "complete",
          supportedVersions: ["2026-07-28"],
          capabilities: { tools: {} },
          serverInfo: { name: "raw", version: "1" },
          ttlMs: 0,
          cacheScope: "private"
        },
        "tools/list": {
          resultType: "complete",
          tools: [{ name: "book", inputSchema: { type: "object" } }],
          ttlMs: 0,
          cacheScope: "private"
        },
        "tools/call": {
          resultType: "input_required",
          inputRequests: {
            place: { method: "elicitation/create", params: { message: "Which city?", requestedSchema: form } }
          }
        }
      })
      const options = { elicitation: false, sampling: true }
      const { json } = yield* running(url, [calling("book"), [Script.text("Done")]], options)
      assert.strictEqual(at(json, "status"), "COMPLETED", JSON.stringify(json))
      assert.match(String(at(list(json, "tools")[0], "result")), /option `elicitation` of McpTools does not allow/)
    }))

  it.live("samples that fail count too", () =>
    Effect.gen(function*() {
      const { url } = yield* older
      const failure = [Script.fail("The model is not there")]
      const { json } = yield* running(
        url,
        [calling("failing"), failure, failure, [Script.text("Done")]],
        { sampling: { maxRequests: 2 } }
      )
      assert.match(String(at(list(json, "tools")[0], "result")), /asks the model more than 2 times/)
    }))

  it.live("a call that asks too many questions at once gets refusals", () =>
    Effect.gen(function*() {
      const { url } = yield* older
      const { go, json } = yield* running(url, [calling("flood"), [Script.text("Done")]])
      let done = yield* go(answered(json, { city: "Bern" }))
      for (let count = 1; count < 10 && at(done, "status") === "PAUSED"; count++) {
        done = yield* go(answered(done, { city: "Bern" }))
      }
      assert.strictEqual(at(done, "status"), "COMPLETED", JSON.stringify(done))
      const refusals: ReadonlyArray<string> = resultOf(done)
      // the ones that had come when the first question was answered
      assert.isNotEmpty(refusals)
      for (const refusal of refusals) assert.include(refusal, "has too many open questions")
    }))
})

describe("a server that asks the model", () => {
  it.live("the model of the run answers, and the tokens are those of the run", () =>
    Effect.gen(function*() {
      const { declared, url } = yield* older
      const { json, script } = yield* running(url, [calling("sum"), [sample], [Script.text("Done")]], {
        elicitation: false,
        sampling: { maxTokens: 50 }
      })
      assert.deepStrictEqual(declared, [{ sampling: {} }])
      assert.strictEqual(at(json, "status"), "COMPLETED", JSON.stringify(json))
      const result = resultOf(json)
      assert.deepInclude(result, { role: "assistant", content: { type: "text", text: "In short" } })
      assert.strictEqual(result.stopReason, "endTurn")
      const [, sampled] = yield* script.calls
      assert.deepStrictEqual(sampled?.tools, [])
      assert.isDefined(at(json, "metrics", "details", "tool_model"), JSON.stringify(at(json, "metrics")))
    }))

  it.live("the tokens of samples stay in the run over a pause", () =>
    Effect.gen(function*() {
      const { url } = yield* older
      const options = { sampling: true }
      const { go, json } = yield* running(url, [calling("both"), [sample], [Script.text("Done")]], options)
      assert.strictEqual(at(json, "status"), "PAUSED", JSON.stringify(json))
      const done = yield* go(answered(json, { city: "Bern" }))
      assert.strictEqual(at(done, "status"), "COMPLETED", JSON.stringify(done))
      assert.lengthOf(list(at(done, "metrics", "details"), "tool_model"), 1)
    }))

  it.live("a server that may not ask gets the reason", () =>
    Effect.gen(function*() {
      const { declared, url } = yield* older
      const { json } = yield* running(url, [calling("sum"), [Script.text("Done")]])
      assert.deepStrictEqual(declared, [{ elicitation: { form: {} } }])
      assert.match(String(at(list(json, "tools")[0], "result")), /option `sampling` of McpTools does not allow/)
    }))

  it.live("a server gets as many answers as the option says, and no images are passed on", () =>
    Effect.gen(function*() {
      const { url } = yield* older
      const { json, script } = yield* running(
        url,
        [calling("greedy"), [sample], [sample], [...calling("image")], [Script.text("Done")]],
        { sampling: { maxRequests: 2 } }
      )
      const [greedy, image] = list(json, "tools").map((tool) => String(at(tool, "result")))
      assert.match(greedy ?? "", /asks the model more than 2 times/)
      assert.match(image ?? "", /asks for what cannot be asked/)
      assert.lengthOf(yield* script.calls, 5)
    }))

  it.live("a person allows the request first, if the option says so", () =>
    Effect.gen(function*() {
      const { url } = yield* older
      const options = { sampling: { requiresConfirmation: true } }
      const { go, json } = yield* running(url, [calling("sum"), [sample], [Script.text("Done")]], options)
      assert.strictEqual(
        at(open(json), "tool_execution", "asked", "message"),
        "The MCP server older asks the model: Be short Sum it up"
      )
      const done = yield* go(answered(json, { allow: true }))
      assert.strictEqual(resultOf(done).content.text, "In short")
      const other = yield* running(url, [calling("sum"), [Script.text("Done")]], options)
      const refused = yield* other.go(answered(other.json, { allow: false }))
      assert.match(String(at(list(refused, "tools")[0], "result")), /the user did not allow it/)
    }))

  it.live("a run that is cancelled while the model answers an allowed request ends the open call", () =>
    Effect.gen(function*() {
      const { responses, url } = yield* older
      const isAsked = yield* Deferred.make<void>()
      const hanging = [Script.wait(Effect.andThen(Deferred.succeed(isAsked, undefined), Effect.never))]
      const options = { sampling: { requiresConfirmation: true } }
      const { go, json, server } = yield* running(url, [calling("sum"), hanging], options)
      yield* Effect.forkScoped(go(answered(json, { allow: true })))
      yield* Deferred.await(isAsked)
      yield* ask(server, "/agents/a/runs/r/cancel", { method: "POST" })
      const refusal = yield* Effect.timeout(Queue.take(responses), "5 seconds")
      assert.match(String(refusal), /The call has ended/)
    }))

  it.live("the newest revision asks in its response, also with a person between", () =>
    Effect.gen(function*() {
      const { seen, url } = yield* newest
      const { json } = yield* running(url, [calling("sum"), [sample], [Script.text("Done")]], { sampling: true })
      assert.strictEqual(resultOf(json).content.text, "In short")
      const options = { sampling: { requiresConfirmation: true } }
      const { go, json: paused } = yield* running(url, [calling("sum"), [sample], [Script.text("Done")]], options)
      const done = yield* go(answered(paused, { allow: "true" }))
      assert.strictEqual(resultOf(done).content.text, "In short")
      assert.isDefined(at(done, "metrics", "details", "tool_model"))
      assert.lengthOf(seen, 4)
      const off = yield* running(url, [calling("sum"), [Script.text("Done")]])
      assert.match(String(at(list(off.json, "tools")[0], "result")), /capabilities that were not declared/)
    }))

  it.live("a state that is too large for a pause ends the call with the reason", () =>
    Effect.gen(function*() {
      const { url } = yield* newest
      const { json } = yield* running(url, [calling("sum", { big: 70_000 }), [Script.text("Done")]], {
        sampling: { requiresConfirmation: true }
      })
      assert.strictEqual(at(json, "status"), "COMPLETED")
      assert.match(String(at(list(json, "tools")[0], "result")), /more than a run can keep \(64 KiB\)/)
    }))
})

describe("the open calls of a connection", () => {
  const caller = (effectId: string) => ({ effectId, runId: effectId, userId: "u" })
  const request = { method: "elicitation/create" }
  const { signal } = new AbortController()

  /** Empty: it is not refused. */
  const refusalOf = (response: Promise<unknown>) =>
    Effect.promise(() =>
      Promise.race([
        response.then(() => "", String),
        new Promise<string>((resolve) => {
          setImmediate(() => resolve(""))
        })
      ])
    )

  it.effect("a question of a call that has ended is not given to another call", () =>
    Effect.gen(function*() {
      const calls = OpenCalls.make<string, never>(yield* Effect.scope)
      let late = () => calls.onRequest(request, signal)
      const ended = yield* calls.open(caller("ended"), (within) =>
        Effect.sync(() => {
          late = within(() => AsyncResource.bind(() => calls.onRequest(request, signal)))
          return "done"
        }))
      yield* ended.next
      yield* calls.open(caller("other"), () => Effect.never)
      assert.match(yield* refusalOf(late()), /not known which of the open calls asks/)
    }))

  it.effect("after an aborted call, no other call gets a question until there is a new connection", () =>
    Effect.gen(function*() {
      const calls = OpenCalls.make<string, never>(yield* Effect.scope)
      const aborted = yield* calls.open(caller("aborted"), () => Effect.never)
      yield* aborted.abort
      const other = yield* calls.open(caller("other"), () => Effect.never)
      assert.match(yield* refusalOf(calls.onRequest(request, signal)), /not known which of the open calls asks/)
      assert.isFalse(calls.mustReconnect())
      yield* other.abort
      assert.isTrue(calls.mustReconnect())
      calls.connecting(() => undefined)
      assert.isFalse(calls.mustReconnect())
      const next = yield* calls.open(caller("next"), () => Effect.never)
      void calls.onRequest(request, signal).catch(() => undefined)
      assert.strictEqual((yield* next.next)._tag, "Requested")
      yield* next.abort
    }))

  it.effect("a user cannot hold all the calls of a server open", () =>
    Effect.gen(function*() {
      const calls = OpenCalls.make<string, never>(yield* Effect.scope)
      for (let index = 0; index < 10; index++) {
        const open = yield* calls.open(caller(`waiting ${index}`), () => Effect.never)
        yield* open.waiting
      }
      assert.isTrue(calls.isFull("u"))
      assert.isFalse(calls.isFull("other"))
    }))

  it.effect("questions that are left are refused when the call ends", () =>
    Effect.gen(function*() {
      const calls = OpenCalls.make<string, never>(yield* Effect.scope)
      const open = yield* calls.open(caller("open"), () => Effect.never)
      const left = calls.onRequest(request, signal)
      void left.catch(() => undefined)
      yield* open.abort
      assert.match(yield* refusalOf(left), /The call has ended/)
      assert.strictEqual((yield* open.next)._tag, "Ended")
    }))
})
