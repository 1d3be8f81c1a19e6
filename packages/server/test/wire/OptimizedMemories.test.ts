// `POST /optimize-memories`: the memories of a user become one.
import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber, Queue } from "effect"
import { at, badRequest, failed, get, hasKeys, invalid, list, notFound, post, send, serve } from "../Wire.ts"
import { create, texts } from "./MemoryRequests.ts"

Tier.oneIn(8)

describe("POST /optimize-memories", () => {
  const long = "The person likes a cup of green tea in the morning"

  it.effect("the memories of a user are replaced by one, which has their topics", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      yield* create(server, long, { topics: ["drinks"] })
      yield* create(server, `${long}.`, { topics: ["drinks", "habits"] })
      yield* create(server, "of bob", { user_id: "bob" })
      const answer = yield* post(server, "/optimize-memories", { user_id: "ann" })
      assert.strictEqual(answer.status, 200, answer.text)
      const [memory] = list(answer.json, "memories")
      hasKeys(memory, "memory_id", "memory", "topics", "agent_id", "team_id", "user_id", "updated_at")
      assert.deepStrictEqual<unknown>(answer.json, {
        memories: [{ ...(memory as object), memory: "Hello from a fixed model.", topics: ["drinks", "habits"] }],
        memories_before: 2,
        memories_after: 1,
        tokens_before: 26,
        tokens_after: 7,
        tokens_saved: 19,
        reduction_percentage: 19 / 26 * 100
      })
      assert.deepStrictEqual(texts((yield* get(server, "/memories?user_id=ann")).json), ["Hello from a fixed model."])
      assert.deepStrictEqual(texts((yield* get(server, "/memories?user_id=bob")).json), ["of bob"])
    }))

  it.effect("nothing is stored with apply=false", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      yield* create(server, long)
      const answer = yield* post(server, "/optimize-memories", { user_id: "ann", model: "fixed:x", apply: false })
      assert.strictEqual(at(answer.json, "memories", 0, "memory"), "Hello from a fixed model.")
      assert.deepStrictEqual(texts((yield* get(server, "/memories")).json), [long])
    }))

  it.effect("a result that is longer than the memories is not stored", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      yield* create(server, "likes tea")
      const answer = yield* post(server, "/optimize-memories", { user_id: "ann" })
      assert.deepStrictEqual(texts({ data: at(answer.json, "memories") }), ["likes tea"])
      const counts = ["memories_before", "memories_after", "tokens_saved", "reduction_percentage"]
      assert.deepStrictEqual(counts.map((key) => at(answer.json, key)), [1, 1, 0, 0])
      assert.deepStrictEqual(texts((yield* get(server, "/memories")).json), ["likes tea"])
    }))

  it.effect("an unknown user, and a model that cannot be used, are refused", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      notFound(yield* post(server, "/optimize-memories", { user_id: "ann" }), "No memories found for user ann")
      yield* create(server, long)
      const optimize = (model: string) => post(server, "/optimize-memories", { user_id: "ann", model })
      badRequest(yield* optimize("gpt-5"), /^Invalid model string format: 'gpt-5'\. Model strings should be in format/)
      badRequest(yield* optimize("unknown:x"), "Model provider 'unknown' is not supported.")
      badRequest(yield* optimize("openai:gpt-5"), /^OPENAI_API_KEY is not set/)
      invalid(yield* post(server, "/optimize-memories", {}), [["body", "user_id"], "missing"])
    }))

  it.effect("a single optimization of a user is executed at a time, and of at most 32 users", () =>
    Effect.gen(function*() {
      const [requested, released] = [yield* Queue.unbounded<void>(), yield* Deferred.make<void>()]
      const server = yield* serve({
        database: ({ memories, ...others }) => {
          const list: typeof memories.list = (...page) =>
            Effect.andThen(
              Effect.andThen(Queue.offer(requested, undefined), Deferred.await(released)),
              memories.list(...page)
            )
          return { ...others, memories: { ...memories, list } }
        }
      })
      const users = Array.from({ length: 32 }, (_, index) => `user ${index}`)
      yield* Effect.forEach(users, (user_id) => create(server, long, { user_id }))
      const optimize = (user_id: string) => post(server, "/optimize-memories", { user_id })
      const first = yield* Effect.forEach(users, (user_id) => Effect.forkChild(optimize(user_id)))
      yield* Queue.takeN(requested, users.length)
      failed(yield* optimize("user 0"), 409, "CONFLICT", "The memories of user user 0 are being optimized. Try again.")
      const refused = yield* optimize("another")
      failed(refused, 429, "TOO_MANY_REQUESTS", /^The service optimizes the memories of 32 users already/)
      assert.strictEqual(refused.headers.get("retry-after"), "1")
      yield* Deferred.succeed(released, undefined)
      for (const each of first) assert.strictEqual((yield* Fiber.join(each)).status, 200)
      assert.strictEqual((yield* optimize("user 0")).status, 200)
    }))

  it.effect("as many memories are optimized as the service keeps of a user, however many that are", () =>
    Effect.gen(function*() {
      const server = yield* serve({ storeLimits: { memories: 2 } })
      yield* Effect.forEach(["one", "two", "three", "four"], (text) => create(server, text))
      const answer = yield* post(server, "/optimize-memories", { user_id: "ann", apply: false })
      // one more is read, to see that there are too many
      assert.strictEqual(at(answer.json, "memories_before"), 3, answer.text)
    }))

  it.effect("a user has at most 1,000 memories", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      yield* Effect.forEach(Array.from({ length: 1000 }), () => create(server, "x"))
      const more = yield* post(server, "/memories", { memory: "y", user_id: "ann" })
      failed(more, 409, "CONFLICT", /MAX_MEMORIES_PER_USER is 1000/)
      failed(
        yield* send(server, "PATCH", "/memories/new", { memory: "y", user_id: "ann" }),
        409,
        "CONFLICT",
        /MAX_MEMORIES_PER_USER is 1000/
      )
    }))
})
