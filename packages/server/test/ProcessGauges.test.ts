// Metrics of the process, with its real times.
import { assert, describe, it } from "@effect/vitest"
import * as ProcessGauges from "@svc-runtime/http/process/ProcessGauges"
import * as Instruments from "@svc-runtime/telemetry/Instruments"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Layer } from "effect"
import * as PrometheusText from "./PrometheusText.ts"

const block = (milliseconds: number) =>
  Effect.sync(() => {
    const until = performance.now() + milliseconds
    while (performance.now() < until);
  })

const started = Effect.gen(function*() {
  const instruments = Instruments.make()
  yield* Effect.provideService(Layer.build(ProcessGauges.layer), Instruments.Instruments, instruments)
  return () => PrometheusText.parse(instruments.format())
})

describe("metrics of the process", () => {
  it.live.runIf(Tier.isWhole)(
    "each time that the event loop is blocked is counted once, at whatever moment it ends",
    () =>
      Effect.gen(function*() {
        const read = yield* started
        const longer = () => {
          const { value } = read()
          const under = value("svc_event_loop_delay_seconds_bucket", { le: "0.25" }) ?? 0
          return (value("svc_event_loop_delay_seconds_count", {}) ?? 0) - under
        }
        for (let blocks = 1; blocks <= 4; blocks++) {
          yield* block(500)
          while (longer() < blocks) yield* Effect.sleep("20 millis")
        }
        const { families, value } = read()
        assert.strictEqual(families.get("svc_event_loop_delay_seconds"), "histogram")
        assert.isAtLeast(value("svc_event_loop_delay_seconds_sum", {}) ?? 0, 4 * 0.4)
      })
  )

  it.live("no gauge has the labels that Prometheus keeps for summaries and histograms", () =>
    Effect.gen(function*() {
      const { families, samples } = (yield* started)()
      const kept = samples.filter(({ labels, name }) =>
        families.get(name) === "gauge" && ("quantile" in labels || "le" in labels)
      )
      assert.deepStrictEqual(kept, [])
    }))

  it.live("the start of the process is a time that stays the same, so that Prometheus sees restarts", () =>
    Effect.gen(function*() {
      const read = yield* started
      const start = () => read().value("process_start_time_seconds", {}) ?? 0
      const first = start()
      assert.closeTo(first, Date.now() / 1000 - process.uptime(), 2)
      yield* block(20)
      assert.strictEqual(start(), first)
    }))
})
