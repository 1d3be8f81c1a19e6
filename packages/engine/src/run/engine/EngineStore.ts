// The store of runs as an engine uses it: journal entries get the version of their format, and ends get the jobs that
// follow from them. Other parts of this process get signals of ends, jobs and resumed runs.
import { Effect, Option } from "effect"
import { JobSignal } from "../../signals/JobSignal.ts"
import { RunEndSignal } from "../../signals/RunEndSignal.ts"
import { RunResumeSignal } from "../../signals/RunResumeSignal.ts"
import { withJobs } from "../CompletionJobs.ts"
import { StoredFormat, withVersion } from "../journal/StoredFormat.ts"
import { RunStore } from "../store/RunStore.ts"
import type { RunCompletion } from "../store/RunWrites.ts"
import * as RefusedStarts from "./RefusedStarts.ts"

export const make = Effect.gen(function*() {
  const format = yield* StoredFormat
  const store = yield* RefusedStarts.counting
  const [ends, jobs, resumes] = [yield* RunEndSignal, yield* JobSignal, yield* RunResumeSignal]

  const notifyEnd = (completion: RunCompletion) =>
    Effect.sync(() => {
      ends.notify()
      if ((completion.jobs ?? []).length > 0) jobs.notify()
    })

  return RunStore.of({
    ...store,
    record: (recorded) => store.record({ ...recorded, entry: withVersion(format, recorded.entry) }),
    resume: (resumption) =>
      Effect.tap(
        store.resume(resumption),
        (held) => Option.isSome(held) ? Effect.sync(() => resumes.notify(resumption.run_id)) : Effect.void
      ),
    finish: (ended) =>
      Effect.flatMap(
        withJobs(ended),
        (completion) => Effect.tap(store.finish(completion), () => notifyEnd(completion))
      ),
    finishAndDequeue: (ended, node) =>
      Effect.flatMap(
        withJobs(ended),
        (completion) => Effect.tap(store.finishAndDequeue(completion, node), () => notifyEnd(completion))
      )
  })
})
