// Memory, processor time, the start and delays of the event loop, for the metrics.
import { Instruments } from "@svc-runtime/telemetry/Instruments"
import { Effect, Layer } from "effect"

/** Milliseconds between two measurements. */
const interval = 50

// Measured here, and not by `monitorEventLoopDelay`: that is read and reset after a time, and a block at this moment is
// lost. A scrape comes less often, and would miss the blocks between two of them too.
const delays = Effect.gen(function*() {
  const { eventLoopDelay } = yield* Instruments
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      let last = performance.now()
      const measure = () => {
        const now = performance.now()
        eventLoopDelay(Math.max(0, now - last - interval) / 1000)
        last = now
      }
      // @effect-diagnostics-next-line globalTimersInEffect:off because a fiber would wait for other fibers too
      return setInterval(measure, interval).unref()
    }),
    (timer) => Effect.sync(() => clearInterval(timer))
  )
})

const usage = Effect.gen(function*() {
  const { count, observe } = yield* Instruments
  observe("process_resident_memory_bytes", "Memory of the process", () => process.memoryUsage.rss())
  observe("svc_heap_used_bytes", "Memory of the objects of the process", () => process.memoryUsage().heapUsed)
  count("process_cpu_seconds_total", "Processor time of the process", () => {
    const { system, user } = process.cpuUsage()
    return (system + user) / 1e6
  })
  const startedAt = (performance.timeOrigin + performance.now()) / 1000 - process.uptime()
  observe("process_start_time_seconds", "Start of the process, as seconds since 1970", () => startedAt)
  observe("process_uptime_seconds", "Time since the start of the process", () => process.uptime())
})

/** Bytes of what the process holds in its heap and beside it. */
export const usedMemory = (): number => {
  const { arrayBuffers, external, heapUsed } = process.memoryUsage()
  return arrayBuffers + external + heapUsed
}

export const layer: Layer.Layer<never> = Layer.effectDiscard(Effect.andThen(usage, delays))
