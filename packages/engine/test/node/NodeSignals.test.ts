// What nodes that share a database tell each other, and what happens when they cannot.
import { assert, describe, it } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Run from "@svc-runtime/domain/Run"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text } from "@svc-runtime/test-support/ScriptedModel"
import { Deferred, Effect, Fiber, Option, PubSub, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { Channel } from "../../src/node/Notifications.ts"
import { open, type Options, scripted, session } from "../run/Engine.ts"

const run_id = Run.Id.make("run")
const request = { run_id, session_id: session, filter: { owner: Owner.anyone } }

/** All nodes of a test, and a connection that may be cut. */
const hub = Effect.gen(function*() {
  const texts = yield* PubSub.unbounded<string>()
  const sent: Array<string> = []
  let cut = yield* Deferred.make<never, StorageUnavailable>()
  let isUp = true
  const away = new StorageUnavailable({ cause: "cut" })
  const channel: Channel = {
    send: (text) =>
      isUp
        ? Effect.andThen(Effect.sync(() => sent.push(text)), Effect.asVoid(PubSub.publish(texts, text)))
        : Effect.fail(away),
    listen: Effect.suspend(() =>
      isUp
        ? Effect.map(PubSub.subscribe(texts), (subscription) =>
          Stream.merge(Stream.fromSubscription(subscription), Stream.fromEffect(Deferred.await(cut))))
        : Effect.fail(away)
    )
  }
  return {
    sent,
    open: (options: Options) => open({ ...options, notifications: channel }),
    lose: Effect.suspend(() => {
      isUp = false
      return Deferred.fail(cut, away)
    }),
    restore: Effect.gen(function*() {
      cut = yield* Deferred.make<never, StorageUnavailable>()
      isUp = true
    })
  }
})

const talking = Effect.gen(function*() {
  const [streaming, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const { command } = yield* scripted([
    [text("One"), Script.wait(Deferred.succeed(streaming, undefined)), Script.wait(gate), text("two")],
    [text("Next")]
  ])
  return { command, streaming: Deferred.await(streaming), release: Deferred.succeed(gate, undefined) }
})

const millis = (count: number) => Effect.forEach(Array.from({ length: count }), () => TestClock.adjust("1 milli"))

const changes = (sent: ReadonlyArray<string>) => sent.flatMap((text) => JSON.parse(text).changed as Array<number>)

describe("nodes that share a database", () => {
  it.effect("nodes see the events of each other's runs at once, without waiting for a poll", () =>
    Effect.gen(function*() {
      const { open, sent } = yield* hub
      const first = yield* open({ node: "first" })
      const second = yield* open({ node: "second", memory: first.memory })
      const { command, release, streaming } = yield* talking
      yield* first.engine.start(command())
      yield* streaming
      yield* millis(50)
      assert.deepStrictEqual(changes(sent), [], "without watchers elsewhere no signal is sent")
      const watched = yield* Effect.flatMap(second.engine.watch({ ...request, after: -1 }), Effect.fromOption)
      const watching = yield* Effect.forkChild(Stream.runLast(watched.events))
      const output = yield* Effect.forkChild(second.engine.output(request))
      yield* millis(100)
      yield* release
      yield* millis(100)
      assert.strictEqual(Option.getOrThrow(yield* Fiber.join(watching)).event, "RunCompleted")
      assert.strictEqual(Option.getOrThrow(yield* Fiber.join(output)).status, "COMPLETED")
      assert.strictEqual(new Set(changes(sent)).size, 1)
    }))

  it.effect("nodes cancel each other's runs at once", () =>
    Effect.gen(function*() {
      const { open } = yield* hub
      const first = yield* open({ node: "first" })
      const second = yield* open({ node: "second", memory: first.memory })
      const { command, streaming } = yield* talking
      const handle = yield* first.engine.start(command())
      yield* streaming
      yield* millis(50)
      assert.isTrue(yield* second.engine.cancel(request))
      yield* millis(50)
      assert.strictEqual((yield* handle.output).status, "CANCELLED")
    }))

  it.effect("a run that waits on another node is dequeued at once", () =>
    Effect.gen(function*() {
      const { open } = yield* hub
      const first = yield* open({ node: "first" })
      const second = yield* open({ node: "second", memory: first.memory })
      const { command, release, streaming } = yield* talking
      yield* first.engine.start(command({ if_busy: "reject" }))
      yield* streaming
      const waiting = command({ run_id: Run.Id.make("next"), if_busy: "interrupt" })
      yield* millis(50)
      const next = yield* second.engine.start(waiting)
      yield* release
      yield* millis(200)
      assert.strictEqual((yield* next.output).status, "COMPLETED")
    }))

  it.effect("nodes find by polling what a lost connection did not deliver, and listen again when it is back", () =>
    Effect.gen(function*() {
      const { lose, open, restore } = yield* hub
      const first = yield* open({ node: "first" })
      const second = yield* open({ node: "second", memory: first.memory })
      yield* millis(50)
      yield* lose
      const { command, release, streaming } = yield* talking
      yield* first.engine.start(command())
      yield* streaming
      const watched = yield* Effect.flatMap(second.engine.watch({ ...request, after: -1 }), Effect.fromOption)
      const watching = yield* Effect.forkChild(Stream.runLast(watched.events))
      yield* millis(100)
      yield* release
      yield* TestClock.adjust("2 seconds")
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(Option.getOrThrow(yield* Fiber.join(watching)).event, "RunCompleted")
      yield* restore
      yield* TestClock.adjust("3 seconds")
      yield* millis(50)
      const again = yield* talking
      const handle = yield* first.engine.start(again.command({ run_id: Run.Id.make("again") }))
      yield* again.streaming
      yield* millis(50)
      yield* second.engine.cancel({ ...request, run_id: Run.Id.make("again") })
      yield* millis(50)
      assert.strictEqual((yield* handle.output).status, "CANCELLED")
    }))
})
