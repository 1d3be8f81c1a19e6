// Signals the worker of jobs after the end of a run that webhooks want: the database announces it, so this process has
// stored no job itself. A node reads what webhooks want when runs end, and not more often than it can have changed.
import * as BackgroundLoops from "@svc-runtime/engine/node/BackgroundLoops"
import { JobSignal } from "@svc-runtime/engine/signals/JobSignal"
import { RunEndSignal } from "@svc-runtime/engine/signals/RunEndSignal"
import { Clock, Effect, Latch, Layer } from "effect"
import { ServiceWebhooks } from "./ServiceWebhooks.ts"

/** Milliseconds between two reads: while no event is wanted, and while one is. */
const [whileUnwanted, whileWanted] = [5000, 60_000]

const make = Effect.gen(function*() {
  const [webhooks, ends, jobs] = [yield* ServiceWebhooks, yield* RunEndSignal, yield* JobSignal]
  const clock = yield* Clock.Clock
  const millis = () => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)
  const hasEnded = Latch.makeUnsafe(false)
  let isWanted = false
  let readAt = millis()

  const signalIfWanted = Effect.gen(function*() {
    hasEnded.closeUnsafe()
    const time = millis()
    if (time >= readAt) {
      isWanted = (yield* webhooks.wanted()).length > 0
      readAt = time + (isWanted ? whileWanted : whileUnwanted)
    }
    if (isWanted) jobs.notify()
  })

  ends.follow(() => hasEnded.openUnsafe())
  yield* BackgroundLoops.fork({}, { webhookEvents: { when: hasEnded.await, task: signalIfWanted, every: "10 millis" } })
})

export const layer: Layer.Layer<never, never, ServiceWebhooks> = Layer.effectDiscard(make)
