// The background job that executes an attempt of a schedule. An attempt that is resumed after a crash waits for the run
// that it had started.
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import * as Share from "@svc-runtime/engine/limits/Share"
import { NewId } from "@svc-runtime/engine/NewId"
import * as TraceContext from "@svc-runtime/telemetry/TraceContext"
import { Effect, Option, Schema } from "effect"
import * as Schedule from "./Schedule.ts"
import { jobAttempts, jobKind } from "./ScheduleJobs.ts"
import { type Ending, ScheduleRunStore } from "./ScheduleRunStore.ts"
import { Scheduling } from "./Scheduling.ts"

const Payload = Schema.Struct({ schedule_run_id: Schedule.RunId })

const orphaned = "Its job ended without a result. The log of the service says why"

export const kinds = Effect.gen(function*() {
  const [store, scheduling, newId] = [yield* ScheduleRunStore, yield* Scheduling, yield* NewId]
  const { limits } = scheduling
  if (!limits.isEnabled) return []

  const endingOf = (outcome: Schedule.Outcome, target?: Ending["target"]): Effect.Effect<Ending> =>
    Effect.map(TraceContext.around, (trace) => ({
      outcome,
      target,
      next_id: Schedule.RunId.make(newId()),
      pauseAfter: limits.failures,
      trace
    }))

  const handle = Effect.fnUntraced(
    function*(
      { schedule_run_id: id }: typeof Payload.Type,
      { guard, postpone }: JobKind.JobContext
    ) {
      const begun = yield* Effect.catchTag(
        store.begin(id),
        "EarlierRunUnfinished",
        ({ seconds }) => Effect.as(postpone(seconds), Option.none())
      )
      if (Option.isNone(begun)) return
      const outcome = yield* scheduling.execute({
        ...begun.value,
        isOver: Effect.orElseSucceed(Effect.map(store.isRunning(id), (isRunning) => !isRunning), () => false),
        started: (run) => Effect.ignore(store.note(id, run), { log: true })
      })
      yield* guard(store.finish(id, yield* endingOf(outcome, begun.value.schedule)))
      if (outcome.status === "failed") yield* Effect.logWarning("A run of a schedule failed", outcome.error)
    },
    (effect, { schedule_run_id }) =>
      effect.pipe(
        Effect.ensuring(Effect.sync(() => scheduling.ends.ended(schedule_run_id))),
        Effect.annotateLogs({ schedule_run_id })
      )
  )

  const failOrphaned = Effect.gen(function*() {
    const found = yield* store.orphaned()
    const outcome = { ...Schedule.noOutcome, status: "failed", error: orphaned } as const
    yield* Effect.forEach(
      found,
      ({ id, run_id, session_id }) =>
        Effect.flatMap(endingOf({ ...outcome, run_id, session_id }), (ending) => store.finish(id, ending)),
      { discard: true }
    )
    if (found.length > 0) {
      yield* Effect.logWarning(`${found.length} run(s) of schedules had no job anymore, and are failed now`)
    }
  })

  return [
    JobKind.make({
      name: jobKind,
      payload: Payload,
      concurrency: limits.concurrency,
      // long runs of one user do not keep those of others waiting
      perUser: Share.shareOf(limits.concurrency),
      maxAttempts: jobAttempts,
      // longer than the longest timeout of a schedule
      timeout: "25 hours",
      handle
    }),
    JobKind.repeating({ name: "abandoned_schedule_runs", every: "1 minute", handle: () => failOrphaned })
  ]
})
