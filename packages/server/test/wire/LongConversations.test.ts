// Conversations that are longer than the context window of their model: they continue, and what was left out is found.
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import { TraceBuffer } from "@svc-runtime/features/traces/TraceWriter"
import { ModelCatalog } from "@svc-runtime/models/ModelCatalog"
import * as SpanSink from "@svc-runtime/telemetry/SpanSink"
import * as AnthropicMessages from "@svc-runtime/test-support/wire/AnthropicMessages"
import * as Reply from "@svc-runtime/test-support/wire/Reply"
import * as WireServer from "@svc-runtime/test-support/wire/WireServer"
import { Effect, Redacted, Schema } from "effect"
import { at, runWhole, serve } from "../Wire.ts"

/** Characters that the model takes. */
const window = 8000

let refusals = 0

const textOf = (body: Readonly<Record<string, unknown>>): string => JSON.stringify(body["messages"])

/** Calls a tool for a message that asks for it, and refuses what is too long. */
const reply = ({ body }: WireServer.RecordedRequest): Reply.Reply => {
  const text = textOf(body)
  if (text.length > window) {
    refusals++
    return Reply.failure(400, `prompt is too long: ${text.length} tokens > ${window} maximum`)
  }
  const last = JSON.stringify((body["messages"] as ReadonlyArray<unknown>).at(-1))
  const wanted = /(look|search_history) (\w+)/.exec(last)
  if (wanted === null || last.includes("tool_result")) return Reply.text("Noted.")
  const [, name = "", query = ""] = wanted
  return Reply.answer({ toolCalls: [{ id: `c${text.length}`, name, arguments: [JSON.stringify({ query })] }] })
}

const look = Tool.make({
  name: "look",
  parameters: Schema.Struct({ query: Schema.String }),
  effects: "read",
  execute: ({ query }) => `${query} is under the bed. ${"row ".repeat(700)}`
})

const serving = Effect.fnUntraced(function*(session: string, options: Partial<Agent.Options>) {
  refusals = 0
  const wire = yield* WireServer.make(AnthropicMessages.format, "/v1", reply)
  const model = yield* Effect.provide(
    ModelCatalog.use((catalog) => catalog.resolve("anthropic:claude-sonnet-4-5")),
    ModelCatalog.layer({ anthropicApiKey: Redacted.make("key"), anthropicBaseUrl: wire.url })
  )
  const agent = Agent.make({
    id: "agent",
    model,
    addHistoryToContext: true,
    numHistoryRuns: 100,
    tools: [look],
    ...options
  })
  const sink = SpanSink.memory()
  const svc = yield* serve({ agents: [agent], spans: sink, traces: new TraceBuffer({ hasContent: true }) })
  const say = Effect.fnUntraced(function*(message: string) {
    const { json } = yield* runWhole(svc, "agent", { session_id: session, message })
    assert.strictEqual(at(json, "status"), "COMPLETED", JSON.stringify(json))
    return json
  })
  const last = Effect.map(wire.requests, (requests) => textOf(requests.at(-1)?.body ?? {}))
  const span = Effect.sync((): Readonly<Record<string, unknown>> =>
    sink.spans.findLast(({ name }) => name.startsWith("chat "))?.attributes ?? {}
  )
  return { say, last, span }
})

describe("a conversation that is longer than the context window", () => {
  for (const promptCache of ["off", "auto"] as const) {
    it.effect(`a long conversation continues with less of it, and later runs know what fits, with promptCache ${promptCache}`, () =>
      Effect.gen(function*() {
        const { last, say, span } = yield* serving(promptCache, { promptCache, tools: [] })
        for (let turn = 0; turn < 12; turn++) yield* say(`Turn ${turn} ${"word ".repeat(200)}`)
        const text = yield* last
        assert.include(text, "Turn 11")
        assert.notInclude(text, "Turn 0 ")
        assert.isAtLeast(refusals, 1)
        assert.isAtMost(refusals, 2)
        assert.deepStrictEqual((yield* span)["svc.context.left_out.reasons"], ["the context window of the model"])
        assert.isAbove(Number((yield* span)["svc.context.left_out.messages"]), 5)
      }))
  }

  it.effect("large results of tools are left out before the turns, and the model finds them again", () =>
    Effect.gen(function*() {
      const { last, say } = yield* serving("search", { searchHistory: true, maxContextTokens: 2100 })
      yield* say("look keys")
      assert.include(yield* last, "keys is under the bed")
      yield* say("look cat")
      const trimmed = yield* say("look wallet")
      assert.deepStrictEqual(at(trimmed, "context_trimmed"), { messages: 0, tool_results: 1 })
      const text = yield* last
      assert.include(text, "look keys")
      assert.include(text, "Search the history for it")
      assert.notInclude(text, "keys is under the bed")
      yield* say("search_history keys")
      assert.include(yield* last, "keys is under the bed")
      assert.strictEqual(refusals, 0)
    }))
})
