// Streams of the client without Effect whose connection is cut.
import { assert, describe, it } from "@effect/vitest"
import { Svc, SvcConnectionError } from "@svc-runtime/client"
import * as Agent from "@svc-runtime/features/Agent"
import { ScriptedModel } from "@svc-runtime/test-support"
import * as TcpProxy from "@svc-runtime/test-support/TcpProxy"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber } from "effect"

Tier.oneIn(4)

/** A service behind a wire that can be cut, with an agent that waits in the middle of its answer. */
const setUp = Effect.gen(function*() {
  const go = yield* Deferred.make<void>()
  const { calls, model } = yield* ScriptedModel.make([
    [ScriptedModel.text("one "), ScriptedModel.wait(go), ScriptedModel.text("two")]
  ])
  const { url } = yield* TestServer.listen({ agents: [Agent.make({ id: "slow", model })] })
  const proxy = yield* TcpProxy.make(Number(new URL(url).port))
  const svc = new Svc({ baseUrl: `http://127.0.0.1:${proxy.port}` })
  return { calls, go, proxy, svc }
})

describe("a stream of the client whose connection is cut", () => {
  it.live("the stream connects again and gives each event once, in its order", () =>
    Effect.scoped(Effect.gen(function*() {
      const { go, proxy, svc } = yield* setUp
      const stream = svc.agent("slow").stream({ message: "count", session_id: "s" })
      const names: Array<string> = []
      const content: Array<unknown> = []
      yield* Effect.promise(async () => {
        for await (const event of stream) {
          names.push(event.event)
          if (event.event !== "RunContent") continue
          content.push(event.content)
          if (content.length === 1) {
            await Effect.runPromise(Effect.andThen(proxy.drop, Deferred.succeed(go, undefined)))
          }
        }
      })
      assert.deepStrictEqual(content, ["one ", "two"])
      assert.strictEqual(names.at(-1), "RunCompleted")
      assert.lengthOf(names.filter((name) => name === "RunStarted"), 1)
    })))

  it.live("A loop that is left while it waits for an event closes its connection.", () =>
    Effect.scoped(Effect.gen(function*() {
      const { svc } = yield* setUp
      const events = svc.agent("slow").stream("count")[Symbol.asyncIterator]()
      yield* Effect.promise(async () => {
        let content: unknown
        while (content !== "one ") {
          const { value } = await events.next()
          content = value?.event === "RunContent" ? value.content : undefined
        }
        const waiting = events.next()
        assert.deepStrictEqual(await events.return(), { done: true, value: undefined })
        assert.deepStrictEqual(await waiting, { done: true, value: undefined })
      })
    })))

  it.live("a start whose response was cut is sent again and is about the same run", () =>
    Effect.scoped(Effect.gen(function*() {
      const { calls, go, proxy, svc } = yield* setUp
      const run = yield* Effect.forkChild(
        Effect.promise(() => svc.agent("slow").run({ message: "count", session_id: "s" }))
      )
      yield* Effect.repeat(Effect.delay(calls, "10 millis"), { until: (all) => all.length > 0 })
      yield* proxy.drop
      yield* Deferred.succeed(go, undefined)
      assert.strictEqual((yield* Fiber.join(run)).content, "one two")
      assert.lengthOf(yield* calls, 1)
    })))

  it.live("a request to a service that stays away ends with an error of the connection", () =>
    Effect.scoped(Effect.gen(function*() {
      const { proxy } = yield* setUp
      yield* proxy.cut
      const svc = new Svc({ baseUrl: `http://127.0.0.1:${proxy.port}`, retries: 1 })
      const error = yield* Effect.promise(() =>
        svc.agent("slow").run("count").then(() => undefined, (thrown) => thrown)
      )
      assert.instanceOf(error, SvcConnectionError)
    })))

  it.live("a stream that was cut tries again until it is aborted", () =>
    Effect.scoped(Effect.gen(function*() {
      const { proxy, svc } = yield* setUp
      const abort = new AbortController()
      const stream = svc.agent("slow").stream("count", { signal: abort.signal })
      stream.onCut = (attempts) => {
        if (attempts === 2) abort.abort(new Error("enough"))
      }
      const error = yield* Effect.promise(async () => {
        try {
          for await (const { event } of stream) if (event === "RunStarted") await Effect.runPromise(proxy.cut)
          return undefined
        } catch (thrown) {
          return thrown
        }
      })
      assert.strictEqual(error, abort.signal.reason)
    })))

  it.live("a stream of an address where nothing listens fails like a run, with the same sentence", () =>
    Effect.promise(async () => {
      const svc = new Svc({ baseUrl: "http://127.0.0.1:1" })
      const sentences = await Promise.all(
        [svc.agent("slow").run("count"), svc.agent("slow").stream("count").result()].map((work) =>
          work.then(() => undefined, (thrown: unknown) => String(thrown))
        )
      )
      assert.match(String(sentences[0]), /^SvcConnectionError: No response from/)
      assert.strictEqual(sentences[1], sentences[0])
    }))
})
