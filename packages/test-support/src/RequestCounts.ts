// What the metrics of a node count of requests to models.
import * as Instruments from "@svc-runtime/telemetry/Instruments"
import { Effect } from "effect"

/** Of a text in the format of Prometheus: the number of requests of each outcome, by model. */
export const of = (text: string): Readonly<Record<string, number>> =>
  Object.fromEntries(
    [...text.matchAll(/^svc_model_requests_total\{.*model="(.*)",outcome="(.*)"\} (\d+)$/gm)].map(
      ([, model, outcome, count]) => [`${model} ${outcome}`, Number(count)]
    )
  )

/** Counts the requests inside of effects. */
export const make = () => {
  const instruments = Instruments.make()
  return {
    counting: <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.provideService(effect, Instruments.Instruments, instruments),
    counts: () => of(instruments.format())
  }
}
