// At most two large responses are between their read and their encoded form, and one of each caller.
import { assert, describe, it } from "@effect/vitest"
import * as ReadLimiter from "@svc-runtime/engine/limits/ReadLimiter"
import * as Agent from "@svc-runtime/features/Agent"
import * as RequestReadLimiter from "@svc-runtime/http/middleware/RequestReadLimiter"
import { Route } from "@svc-runtime/server"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { always, ask, get, serve, upload } from "./Wire.ts"

Tier.oneIn(4)

const mebibyte = 1024 * 1024

const others = Effect.promise(() => new Promise<void>((resolve) => setTimeout(resolve, 0)))
const settle = Effect.repeat(others, { times: 20 })

/** A service with a large and a small route. A large read ends when it may. */
const serveReads = Effect.gen(function*() {
  const mayEnd = yield* Deferred.make<void>()
  const seen = { now: 0, most: 0, ended: 0 }
  const read = Effect.suspend(() => {
    seen.now++
    seen.most = Math.max(seen.most, seen.now)
    return Effect.ensuring(Deferred.await(mayEnd), Effect.sync(() => (seen.now--, seen.ended++)))
  })
  const large = Effect.matchEffect(ReadLimiter.admit(Effect.succeed({ text: mebibyte })), {
    onFailure: ({ message }) => Effect.succeed(HttpServerResponse.text(message, { status: 503 })),
    onSuccess: () => Effect.as(read, HttpServerResponse.text("large"))
  })
  const small = Effect.as(
    Effect.orDie(ReadLimiter.admit(Effect.succeed({ text: 1000 }))),
    HttpServerResponse.text("small")
  )
  const routes = HttpRouter.addAll([
    HttpRouter.route("GET", "/large", large),
    HttpRouter.route("PATCH", "/large", large),
    HttpRouter.route("POST", "/large", large),
    HttpRouter.route("POST", "/reading", ReadLimiter.reading(large)),
    HttpRouter.route("GET", "/small", small)
  ])
  return {
    server: yield* serve({
      routes: [
        Route.layer(routes, {
          "GET /large": "none",
          "PATCH /large": "none",
          "POST /large": "none",
          "POST /reading": "none",
          "GET /small": "none"
        })
      ]
    }),
    seen,
    mayEnd
  }
})

describe("large reads", () => {
  it.effect("the large reads of two callers are executed at a time, and one of each caller", () =>
    Effect.gen(function*() {
      const { turns } = RequestReadLimiter.budgetsOf({ responsesInFlight: 64 * mebibyte })
      const order: Array<string> = []
      const take = (caller: string) =>
        Effect.forkChild(
          Effect.tap(turns.take(caller, 1, () => Effect.die("late")), () => Effect.sync(() => order.push(caller)))
        )
      yield* Effect.forEach(["ann", "ann", "bob", "eve"], take)
      yield* settle
      assert.deepStrictEqual(order, ["ann", "bob"])
      turns.release("bob", 1)
      yield* settle
      assert.deepStrictEqual(order, ["ann", "bob", "eve"])
      turns.release("ann", 1)
      yield* settle
      assert.deepStrictEqual(order, ["ann", "bob", "eve", "ann"])
    }))

  it.effect("clients of three callers that do not read leave more than half of the bytes to the next caller", () =>
    Effect.gen(function*() {
      const total = 64 * mebibyte
      const { bytes } = RequestReadLimiter.budgetsOf({ responsesInFlight: total })
      for (const caller of ["ann", "bob", "eve"]) while (!bytes.isFull(caller)) bytes.occupy(caller, mebibyte)
      assert.isBelow(bytes.taken(), total / 2)
      yield* bytes.take("next", 4 * mebibyte, () => Effect.die("late"))
    }))

  it.effect("the response to a PATCH has its turn like the response to a GET", () =>
    Effect.gen(function*() {
      const { mayEnd, seen, server } = yield* serveReads
      const patch = ask(server, "/large", { method: "PATCH" })
      const patches = yield* Effect.forEach(Array.from({ length: 4 }), () => Effect.forkChild(patch))
      yield* settle
      assert.strictEqual(seen.now, 1)
      yield* Deferred.succeed(mayEnd, undefined)
      for (const each of patches) assert.strictEqual((yield* Fiber.join(each)).status, 200)
      assert.deepInclude(seen, { now: 0, most: 1 })
    }))

  it.effect("a read within a POST has its turn, and what else a POST reads has none", () =>
    Effect.gen(function*() {
      const { mayEnd, seen, server } = yield* serveReads
      const four = (path: string) =>
        Effect.forEach(
          Array.from({ length: 4 }),
          () => Effect.forkChild(ask(server, path, { method: "POST" }))
        )
      const readings = yield* four("/reading")
      yield* settle
      assert.strictEqual(seen.now, 1)
      const others = yield* four("/large")
      yield* settle
      assert.strictEqual(seen.now, 5)
      yield* Deferred.succeed(mayEnd, undefined)
      for (const each of [...readings, ...others]) assert.strictEqual((yield* Fiber.join(each)).status, 200)
    }))

  it.effect("a caller's large reads follow each other with pauses while other requests arrive", () =>
    Effect.gen(function*() {
      const { mayEnd, seen, server } = yield* serveReads
      const first = yield* Effect.forkChild(get(server, "/large"))
      yield* settle
      yield* get(server, "/small")
      yield* TestClock.adjust("100 millis")
      yield* Deferred.succeed(mayEnd, undefined)
      yield* Fiber.join(first)
      const second = yield* Effect.forkChild(get(server, "/large"))
      yield* settle
      yield* TestClock.adjust("1400 millis")
      yield* settle
      assert.strictEqual(seen.ended, 1)
      assert.strictEqual((yield* get(server, "/small")).status, 200)
      yield* TestClock.adjust("100 millis")
      assert.strictEqual((yield* Fiber.join(second)).status, 200)
    }))

  it.effect("large reads follow each other without pauses while no other request arrives", () =>
    Effect.gen(function*() {
      const { mayEnd, seen, server } = yield* serveReads
      const first = yield* Effect.forkChild(get(server, "/large"))
      yield* settle
      yield* TestClock.adjust("100 millis")
      yield* Deferred.succeed(mayEnd, undefined)
      yield* Fiber.join(first)
      yield* get(server, "/large")
      assert.strictEqual(seen.ended, 2)
    }))

  it.effect("ten large reads of a caller are executed one at a time, and a small read does not wait for them", () =>
    Effect.gen(function*() {
      const { mayEnd, seen, server } = yield* serveReads
      const reads = yield* Effect.forEach(Array.from({ length: 10 }), () => Effect.forkChild(get(server, "/large")))
      yield* settle
      assert.strictEqual(seen.now, 1)
      assert.strictEqual((yield* get(server, "/small")).status, 200)
      yield* Deferred.succeed(mayEnd, undefined)
      for (const each of reads) assert.strictEqual((yield* Fiber.join(each)).status, 200)
      assert.deepInclude(seen, { now: 0, most: 1 })
    }))

  it.effect("a large read that takes longer than five seconds no longer delays the others", () =>
    Effect.gen(function*() {
      const { seen, server } = yield* serveReads
      yield* Effect.forEach(Array.from({ length: 3 }), () => Effect.forkChild(get(server, "/large")))
      yield* settle
      assert.strictEqual(seen.now, 1)
      yield* TestClock.adjust("5 seconds")
      yield* settle
      assert.strictEqual(seen.now, 2)
    }))

  it.effect("a large read that has no turn within ten seconds is refused", () =>
    Effect.gen(function*() {
      const { server } = yield* serveReads
      yield* Effect.forEach(Array.from({ length: 10 }), () => Effect.forkChild(get(server, "/large")))
      yield* settle
      const last = yield* Effect.forkChild(get(server, "/large"))
      yield* settle
      yield* TestClock.adjust("10 seconds")
      const refused = yield* Fiber.join(last)
      assert.strictEqual(refused.status, 503)
      assert.match(refused.text, /MAX_RESPONSE_BYTES_IN_FLIGHT/)
    }))

  it.effect("the turn of a large read is free when its client disconnects", () =>
    Effect.gen(function*() {
      const { mayEnd, seen, server } = yield* serveReads
      const gone = new AbortController()
      const leave = Effect.exit(server.fetch("/large", { signal: gone.signal }))
      yield* Effect.forEach(Array.from({ length: 4 }), () => Effect.forkChild(leave))
      yield* settle
      const next = yield* Effect.forkChild(get(server, "/large"))
      yield* settle
      gone.abort()
      yield* settle
      assert.strictEqual(seen.now, 1)
      yield* Deferred.succeed(mayEnd, undefined)
      assert.strictEqual((yield* Fiber.join(next)).status, 200)
      assert.strictEqual(seen.now, 0)
    }))

  it.effect("clients that do not read their large responses do not delay the next large read", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.text("Hello."))
      const server = yield* serve({ agents: [Agent.make({ id: "plain", model })] })
      const file = new File(["x".repeat(mebibyte)], "a.txt", { type: "text/plain" })
      yield* upload(server, "plain", { message: "hi", stream: "false", session_id: "s", run_id: "r" }, [file])
      for (let unread = 0; unread < 4; unread++) {
        const { status } = yield* server.fetch("/agents/plain/runs/r?session_id=s")
        assert.strictEqual(status, 200)
      }
    }))
})
