// The store of runs as an engine uses it: the one place where something is added to its calls. A refused start is
// counted, a journal entry gets the version of its format, an end gets the jobs that follow from it, and other parts of
// this process get signals of ends, jobs and resumed runs.
import { Instruments } from "@svc-runtime/telemetry/Instruments"
import { Effect, Layer, Option } from "effect"
import { JobSignal } from "../../signals/JobSignal.ts"
import { RunEndSignal } from "../../signals/RunEndSignal.ts"
import { RunResumeSignal } from "../../signals/RunResumeSignal.ts"
import { StoredFormat, withVersion } from "../journal/StoredFormat.ts"
import type { LimitReached } from "../RunErrors.ts"
import { Runners } from "../Runners.ts"
import { withWakes } from "../RunWakes.ts"
import { type Ports, RunStore } from "../store/RunStore.ts"
import type { RunCompletion } from "../store/RunWrites.ts"

const make = Effect.gen(function*() {
  const [store, format, { runRefused }] = [yield* RunStore, yield* StoredFormat, yield* Instruments]
  const runners = yield* Runners

  /** The jobs are stored with the end, whichever node stores it. */
  const withJobs = (completion: RunCompletion): Effect.Effect<RunCompletion> =>
    Effect.flatMap(runners.withJobs(completion), withWakes)

  const [ends, jobs, resumes] = [yield* RunEndSignal, yield* JobSignal, yield* RunResumeSignal]

  const countRefusal = ({ name, scope }: LimitReached) => Effect.sync(() => runRefused(scope, name))

  const notifyEnd = (completion: RunCompletion) =>
    Effect.sync(() => {
      ends.notify()
      if ((completion.jobs ?? []).length > 0) jobs.notify()
    })

  const ending = <A, E>(ended: RunCompletion, finish: (completion: RunCompletion) => Effect.Effect<A, E>) =>
    Effect.flatMap(withJobs(ended), (completion) => Effect.tap(finish(completion), () => notifyEnd(completion)))

  return RunStore.of({
    ...store,
    create: (newRun) => Effect.tapErrorTag(store.create(newRun), "LimitReached", countRefusal),
    resume: (resumption) =>
      Effect.tapErrorTag(store.resume(resumption), "LimitReached", countRefusal).pipe(
        Effect.tap((held) => Option.isSome(held) ? Effect.sync(() => resumes.notify(resumption.run_id)) : Effect.void)
      ),
    record: (recorded) => store.record({ ...recorded, entry: withVersion(format, recorded.entry) }),
    finish: (ended) => ending(ended, store.finish),
    finishAndDequeue: (ended, node) => ending(ended, (completion) => store.finishAndDequeue(completion, node))
  })
})

export const layer: Layer.Layer<
  Ports,
  never,
  JobSignal | RunEndSignal | RunResumeSignal | Runners | RunStore
> = Layer.effectContext(Effect.map(make, RunStore.portsOf))
