// Memories that are found by their meaning.
import { assert, describe, it } from "@effect/vitest"
import { Agent } from "@svc-runtime/server"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import * as TopicEmbedder from "@svc-runtime/test-support/TopicEmbedder"
import { Effect, Queue } from "effect"
import { at, get, runWhole, send } from "../Wire.ts"

Tier.oneIn(8)

/** A service with an embedder, and the numbers of vectors that it has stored. */
const open = Effect.fnUntraced(function*(options: TestServer.Options = {}) {
  const stored = yield* Queue.unbounded<number>()
  const server = yield* TestServer.make({
    embedder: TopicEmbedder.make(),
    ...options,
    database: (opened) => ({
      ...opened,
      memoryVectors: {
        ...opened.memoryVectors,
        put: (model, vectors) =>
          Effect.tap(opened.memoryVectors.put(model, vectors), (count) => Queue.offerAll(stored, Array(count).fill(1)))
      }
    })
  })
  return {
    server,
    /** Stores memories of a user, and waits for their vectors. */
    remember: Effect.fnUntraced(function*(user_id: string, ...texts: ReadonlyArray<string>) {
      for (const memory of texts) {
        const { status } = yield* send(server, "POST", "/memories", { memory, user_id })
        assert.strictEqual(status, 200)
      }
      yield* Queue.takeN(stored, texts.length)
    })
  }
})

const textsOf = (json: unknown) =>
  (at(json, "data") as ReadonlyArray<{ readonly memory: string }>).map(({ memory }) => memory)

const search = (server: TestServer.TestServer, query: string) => get(server, `/memories?search_by=meaning&${query}`)

describe("a search by meaning", () => {
  it.live("a new memory is found by its meaning a moment later, the best first, and those of others never", () =>
    Effect.gen(function*() {
      const { remember, server } = yield* open()
      yield* remember("ann", "owns a violin", "likes tea", "goes to a concert by train")
      yield* remember("bob", "plays music")
      const { json } = yield* search(server, "user_id=ann&search_content=music")
      assert.deepStrictEqual(textsOf(json), ["owns a violin", "goes to a concert by train", "likes tea"])
      assert.deepInclude(at(json, "meta") as object, { page: 1, limit: 20, total_pages: 1, total_count: 3 })
      const { json: second } = yield* search(server, "user_id=ann&search_content=music&limit=1&page=2")
      assert.deepStrictEqual(textsOf(second), ["goes to a concert by train"])
      assert.deepStrictEqual(textsOf((yield* get(server, "/memories?search_content=music")).json), ["plays music"])
    }))

  it.live("a changed memory is found by its new meaning, and not by the old one", () =>
    Effect.gen(function*() {
      const { remember, server } = yield* open()
      yield* remember("ann", "owns a violin")
      const { json } = yield* get(server, "/memories")
      const id = String(at(json, "data", "0", "memory_id"))
      yield* send(server, "PATCH", `/memories/${id}`, { memory: "likes tea", user_id: "ann" })
      yield* remember("ann", "likes coffee")
      const found = yield* search(server, "user_id=ann&search_content=drinks")
      assert.sameMembers([...textsOf(found.json)], ["likes tea", "likes coffee"])
    }))

  it.live("a search by meaning without a text, a user or an embedder is refused with 400, and one without a vector with 503", () =>
    Effect.gen(function*() {
      const { server } = yield* open()
      const without = yield* TestServer.make()
      for (
        const [service, query, detail] of [
          [server, "user_id=ann", "search_by=meaning needs search_content"],
          [server, "user_id=ann&search_content=%20", "search_by=meaning needs search_content"],
          [server, "search_content=tea", "search_by=meaning needs user_id"],
          [without, "user_id=ann&search_content=tea", "no embedder (EMBEDDER)"]
        ] as const
      ) {
        const { json, status } = yield* search(service, query)
        assert.strictEqual(status, 400)
        assert.include(at(json, "detail"), detail)
      }
      assert.strictEqual((yield* get(server, "/memories?search_by=other")).status, 422)
      assert.strictEqual((yield* search(server, "user_id=ann&search_content=nothing")).status, 503)
    }))

  it.live("the vectors of a user are counted when the memory of the user is deleted", () =>
    Effect.gen(function*() {
      const { remember, server } = yield* open()
      yield* remember("ann", "likes tea", "owns a violin")
      const { json } = yield* send(server, "DELETE", "/users/ann/memory", {})
      assert.deepInclude(json as object, { memories: 2, vectors: 2 })
      assert.deepStrictEqual(textsOf((yield* search(server, "user_id=ann&search_content=tea")).json), [])
    }))
})

describe("an agent with memory and an embedder", () => {
  const answer = [Script.text("Noted.")]
  const fields = { message: "What shall I hear tonight? Some music.", session_id: "s", user_id: "ann" }
  const systemOf = ({ prompt }: Script.Call) =>
    prompt.content.flatMap(({ content, role }) => role === "system" ? [content as string] : []).join("\n")

  const memories = ["owns a violin", "likes tea, some", "takes the train"]
  // room for one of the three
  const memory = { update: "off", contextTokens: 44 } as const

  it.live("a run is shown the memories whose meaning is that of the message", () =>
    Effect.gen(function*() {
      const { calls, model } = yield* Script.make([answer])
      const { remember, server } = yield* open({ agents: [Agent.make({ id: "agent", model, memory })] })
      yield* remember("ann", ...memories)
      yield* runWhole(server, "agent", fields)
      const [call] = yield* calls
      assert.include(systemOf(call!), "violin")
      assert.notInclude(systemOf(call!), "tea")
    }))

  it.live("a run does not wait for an embedder that does not answer, and is shown memories by their words", () =>
    Effect.gen(function*() {
      const { calls, model } = yield* Script.make([answer])
      const embedder = TopicEmbedder.make({
        before: (texts) => texts.some((text) => text.includes("hear")) ? Effect.never : Effect.void
      })
      const { remember, server } = yield* open({ embedder, agents: [Agent.make({ id: "agent", model, memory })] })
      yield* remember("ann", ...memories)
      const { json } = yield* runWhole(server, "agent", fields)
      assert.strictEqual(at(json, "status"), "COMPLETED")
      assert.include(systemOf((yield* calls)[0]!), "likes tea, some")
    }))

  it.live("the message of a user who has switched memory off is not sent to the embedder", () =>
    Effect.gen(function*() {
      const { calls, model } = yield* Script.make([answer, answer])
      const embedded = yield* Queue.unbounded<string>()
      const embedder = TopicEmbedder.make({ before: (texts) => Queue.offerAll(embedded, texts) })
      const { remember, server } = yield* open({ embedder, agents: [Agent.make({ id: "agent", model, memory })] })
      yield* remember("ann", ...memories)
      yield* send(server, "PUT", "/users/ann/memory-settings", { enabled: false })
      yield* runWhole(server, "agent", fields)
      yield* runWhole(server, "agent", { message: "Which music for bob?", session_id: "t", user_id: "bob" })
      assert.strictEqual(systemOf((yield* calls)[0]!), "")
      // the text of another user is sent, after all that was sent before
      const texts = yield* Queue.takeN(embedded, memories.length + 1)
      assert.sameMembers(texts.slice(0, -1), memories)
      assert.strictEqual(texts.at(-1), "Which music for bob?")
    }))

  it.live("the tool recall finds memories by their meaning", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([[Script.toolCall("recall", { query: "drinks" }, "1")], answer])
      const agent = Agent.make({ id: "agent", model, memory: { update: "off", tools: true, context: false } })
      const { remember, server } = yield* open({ agents: [agent] })
      yield* remember("ann", "owns a violin", "likes tea", "takes the train")
      const { json } = yield* runWhole(server, "agent", fields)
      const found = JSON.parse(String(at(json, "tools", "0", "result"))) as ReadonlyArray<{ readonly memory: string }>
      assert.strictEqual(found[0]?.memory, "likes tea")
    }))
})
