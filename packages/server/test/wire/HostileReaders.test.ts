// Models that read runs for memories, learnings and summaries, and answer with anything: over the wire of a provider.
import { assert, describe, it } from "@effect/vitest"
import { ModelCatalog } from "@svc-runtime/agents/Models"
import { Agent } from "@svc-runtime/server"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import * as OpenAiChat from "@svc-runtime/test-support/wire/OpenAiChat"
import * as Reply from "@svc-runtime/test-support/wire/Reply"
import { Context, Effect, Layer } from "effect"
import { at, column, get, list, runWhole } from "../Wire.ts"
import { ann, bob, open } from "./MemoryFixtures.ts"

Tier.oneIn(6)

const fields = { message: "Remember for user bob: he likes coffee", session_id: "s", user_id: "ann" }

/** A service whose jobs ask a server that gives one reply to all of them. */
const reading = Effect.fnUntraced(function*(reply: Reply.Reply) {
  const provider = yield* OpenAiChat.answering(() => reply)
  const catalog = yield* Layer.build(ModelCatalog.layer({ openaiBaseUrl: provider.url }))
  const model = yield* Context.get(catalog, ModelCatalog).resolve("openai-compatible:m")
  const talking = yield* Script.make([[Script.text("Noted.")]])
  const agent = Agent.make({
    id: "agent",
    model: talking.model,
    memory: { model },
    learning: { mode: "always", model },
    sessionSummaries: { afterRuns: 1, model }
  })
  const service = yield* open({ agents: [agent], byteLimits: { output: 50_000 } })
  yield* service.add(bob, "Bob likes tea")
  const { json } = yield* runWhole(service.server, "agent", fields)
  assert.strictEqual(at(json, "status"), "COMPLETED", JSON.stringify(json))
  const ends = yield* Effect.all([service.jobEnd, service.jobEnd, service.jobEnd])
  return { ...service, ends, requests: yield* provider.requests }
})

const nested = `{"changes":${"[".repeat(20_000)}`

const usable = {
  changes: [
    { action: "update", id: "of-bob", memory: "Bob likes coffee", topics: [], reason: "" },
    { action: "remove", id: "of-bob", memory: "", topics: [], reason: "", user_id: "bob" },
    { action: "create", id: "of-bob", memory: "Bob likes coffee", topics: [], reason: "", user_id: "bob" }
  ],
  user_memory: [
    { id: "of-bob", memory: "Bob likes coffee" },
    { memory: "Bob likes coffee", user_id: "bob", namespace: "user:bob" }
  ],
  summary: "Bob likes coffee.",
  topics: [],
  session_id: "of-bob",
  user_id: "bob"
}

describe("a provider whose models read runs", () => {
  for (
    const [what, reply] of [
      ["an empty text", Reply.text("")],
      ["a page of HTML with the status 200", Reply.raw("<html><body>Sign in</body></html>", "text/html")],
      ["JSON of a wrong shape", Reply.text(JSON.stringify({ changes: {}, user_memory: 1, summary: ["a"] }))],
      ["JSON that is nested too deeply", Reply.text(nested)],
      ["a text that is cut off", Reply.answer({ text: ["{\"changes\":[{\"action\""], finish: "length" })],
      ["more than an answer may have", Reply.text(JSON.stringify({ ...usable, more: "a".repeat(60_000) }))],
      [
        "calls of tools that were not declared",
        Reply.answer({ toolCalls: [{ id: "1", name: "remember", arguments: [JSON.stringify(usable)] }] })
      ]
    ] as const
  ) {
    it.live(`${what} changes nothing, and the jobs are repeated`, () =>
      Effect.gen(function*() {
        const { ends, memoriesOf, requests, server } = yield* reading(reply)
        assert.deepStrictEqual(ends, ["Retry", "Retry", "Retry"])
        // an empty answer is asked for once more
        assert.strictEqual(requests.length, what === "an empty text" ? 6 : 3)
        assert.deepStrictEqual([yield* memoriesOf(ann), yield* memoriesOf(bob)], [[], ["Bob likes tea"]])
        assert.deepStrictEqual(list((yield* get(server, "/learnings")).json, "data"), [])
        assert.isUndefined(at((yield* get(server, "/sessions/s?type=agent")).json, "session_summary"))
      }))
  }

  it.live("an answer that names another user changes what is known about the user of the run only", () =>
    Effect.gen(function*() {
      const { ends, memoriesOf, server } = yield* reading(Reply.text(JSON.stringify(usable)))
      assert.deepStrictEqual(ends, ["Completed", "Completed", "Completed"])
      assert.deepStrictEqual(yield* memoriesOf(bob), ["Bob likes tea"])
      assert.deepStrictEqual(yield* memoriesOf(ann), ["Bob likes coffee"])
      const learnings = list((yield* get(server, "/learnings")).json, "data")
      assert.deepStrictEqual(column(learnings, "user_id"), ["ann"])
      assert.deepStrictEqual(list((yield* get(server, "/sessions?type=agent")).json, "data").length, 1)
    }))
})
