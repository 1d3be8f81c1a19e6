// Memory, processor time and delays of the event loop, for the metrics.
import { Instruments } from "@svc/telemetry/Instruments"
import { Effect, Layer } from "effect"
import { monitorEventLoopDelay } from "node:perf_hooks"

/** The delays are those of the last whole period. */
const period = "10 seconds"

/** Milliseconds. */
const resolution = 50

const quantiles = [["0.5", 50], ["0.99", 99], ["1", 100]] as const

/** Node counts the interval of its measurements as a delay. */
const delayOf = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e9 - resolution / 1000)

const delays = Effect.gen(function*() {
  const { observe } = yield* Instruments
  const histogram = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const measured = monitorEventLoopDelay({ resolution })
      measured.enable()
      return measured
    }),
    (measured) => Effect.sync(() => measured.disable())
  )
  const last = new Map<string, number>()
  const turn = Effect.sync(() => {
    for (const [name, percent] of quantiles) last.set(name, delayOf(histogram.percentile(percent)))
    histogram.reset()
  })
  for (const [quantile] of quantiles) {
    const description = "Delays of the event loop in the last ten seconds"
    observe("svc_event_loop_delay_seconds", description, () => last.get(quantile) ?? 0, { quantile })
  }
  yield* Effect.forkScoped(Effect.forever(Effect.delay(turn, period)))
})

const usage = Effect.gen(function*() {
  const { count, observe } = yield* Instruments
  observe("process_resident_memory_bytes", "Memory of the process", () => process.memoryUsage.rss())
  observe("svc_heap_used_bytes", "Memory of the objects of the process", () => process.memoryUsage().heapUsed)
  count("process_cpu_seconds_total", "Processor time of the process", () => {
    const { system, user } = process.cpuUsage()
    return (system + user) / 1e6
  })
  observe("process_uptime_seconds", "Time since the start of the process", () => process.uptime())
})

/** Bytes of what the process holds in its heap and beside it. */
export const usedMemory = (): number => {
  const { arrayBuffers, external, heapUsed } = process.memoryUsage()
  return arrayBuffers + external + heapUsed
}

export const layer: Layer.Layer<never> = Layer.effectDiscard(Effect.andThen(usage, delays))
