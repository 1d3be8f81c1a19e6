// The metrics of all workers, from any of them: each series has the label `worker`. So the series of a worker that was
// replaced begin again, as those of a process that was restarted, and a sum over the workers is one of Prometheus.
import { type Answer, currentWorker } from "@svc-runtime/domain/Worker"
import { Instruments } from "@svc-runtime/telemetry/Instruments"
import { Effect } from "effect"

const topic = "metrics"

/** `# HELP name …` and `# TYPE name …` come before the samples of a metric. */
const aboutMetric = /^# \w+ (\S+)/

/** Each metric is described once, and all its samples follow. */
export const merged = (all: ReadonlyArray<Answer>): string => {
  const metrics = new Map<string, { readonly about: Set<string>; readonly samples: Array<string> }>()
  for (const { answer } of all) {
    let current = { about: new Set<string>(), samples: new Array<string>() }
    for (const line of typeof answer === "string" ? answer.split("\n") : []) {
      if (line === "") continue
      const name = aboutMetric.exec(line)?.[1]
      if (name === undefined) {
        current.samples.push(line)
        continue
      }
      current = metrics.get(name) ?? { about: new Set(), samples: [] }
      metrics.set(name, current)
      current.about.add(line)
    }
  }
  return [...metrics.values()].flatMap(({ about, samples }) => [...about, ...samples, ""]).join("\n")
}

/** Reads the metrics of the service. */
export const make = Effect.gen(function*() {
  const instruments = yield* Instruments
  const worker = yield* currentWorker
  if (worker === undefined) return { format: Effect.sync(() => instruments.format()) }
  const own = Effect.sync(() => instruments.format({ worker: String(worker.number) }))
  const { peers } = worker
  yield* peers.answer(topic, () => own)
  const all = Effect.map(
    Effect.all([own, peers.ask(topic, null)]),
    ([answer, others]) =>
      merged([{ worker: worker.number, answer }, ...others].toSorted((left, right) => left.worker - right.worker))
  )
  return { format: all }
})
