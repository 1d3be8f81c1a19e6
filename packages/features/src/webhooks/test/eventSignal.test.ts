// When the worker of jobs is signalled about events that the database has announced.
import { assert, describe, it } from "@effect/vitest"
import * as Listeners from "@svc-runtime/engine/signals/Listeners"
import { JobSignal, RunEndSignal } from "@svc-runtime/engine/signals/Signals"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { eventSignal } from "../delivery.ts"
import { ServiceWebhooks } from "../WebhookStore.ts"

const opened = Effect.gen(function*() {
  const [jobs, ends] = [Listeners.make(), Listeners.make()]
  const counts = { signals: 0, reads: 0 }
  const webhooks = { events: [] as Array<string> }
  jobs.follow(() => counts.signals++)
  const wanted = () => Effect.sync(() => (counts.reads++, webhooks.events))
  yield* Layer.build(eventSignal).pipe(
    Effect.provideService(ServiceWebhooks, { wanted } as never),
    Effect.provideService(JobSignal, jobs),
    Effect.provideService(RunEndSignal, ends)
  )
  const end = Effect.andThen(Effect.sync(ends.notify), TestClock.adjust("10 millis"))
  return { counts, end, webhooks }
})

describe("the signal of announced events", () => {
  it.effect("an end of a run that a webhook wants signals the worker, and many ends read once what is wanted", () =>
    Effect.gen(function*() {
      const { counts, end, webhooks } = yield* opened
      webhooks.events.push("run.completed")
      for (let ended = 0; ended < 5; ended++) yield* end
      assert.deepStrictEqual(counts, { signals: 5, reads: 1 })
    }))

  it.effect("a service without webhooks is not signalled, and learns of a new one when a run ends later", () =>
    Effect.gen(function*() {
      const { counts, end, webhooks } = yield* opened
      yield* end
      yield* end
      assert.deepStrictEqual(counts, { signals: 0, reads: 1 })
      webhooks.events.push("run.failed")
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(counts.reads, 1)
      yield* end
      assert.deepStrictEqual(counts, { signals: 1, reads: 2 })
    }))
})
