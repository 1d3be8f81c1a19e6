// The stores of runs and of approvals, with points around everything that a run waits for in it. It also tells what a
// run was when it was taken over: what the journal held is what the rest has to be judged by.
import type { ApprovalStore } from "@svc/runtime/approval/ApprovalStore"
import type { JobStore } from "@svc/runtime/jobs/JobStore"
import type { LearningStore } from "@svc/runtime/learning/LearningStore"
import type { MemoryStore } from "@svc/runtime/memory/MemoryStore"
import type { RunSnapshot } from "@svc/runtime/run/RunReads"
import type { RunStore } from "@svc/runtime/run/RunStore"
import { Effect, Option } from "effect"
import * as Points from "./Points.ts"

const around = <A, E>(run: string, kind: string, effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    Points.reach(run, kind, "before")
    Points.enter(run, kind)
    return Effect.tap(effect, () => Effect.sync(() => Points.reach(run, kind, "after")))
  })

const summaryOf = ({ attempt, entries, eventCount, run_id }: RunSnapshot) => {
  Points.held(run_id, attempt)
  Points.say(`taken ${JSON.stringify({ run_id, attempt, entries, eventCount })}`)
}

export const approvals = (store: ApprovalStore["Service"]): ApprovalStore["Service"] => ({
  ...store,
  // an approval's id begins with that of its run
  resolve: (id, ...resolving) => around(Points.runIn(id) ?? "", "resolve", store.resolve(id, ...resolving))
})

export const jobs = (store: JobStore["Service"]): JobStore["Service"] => ({
  ...store,
  acquire: (acquisition) =>
    Effect.tap(store.acquire(acquisition), (acquired) =>
      Effect.sync(() => {
        for (const { attempts, id } of acquired) {
          Points.held(id, attempts)
          Points.reach(id, "acquire", "after")
        }
      })),
  finish: (lease, end) => around(lease.id, "finish", store.finish(lease, end))
})

/** The changes of a job are named by the job. */
export const memories = (store: MemoryStore["Service"]): MemoryStore["Service"] => ({
  ...store,
  apply: (user, changes, source, at) => around(source.lease?.id ?? "", "apply", store.apply(user, changes, source, at))
})

export const learnings = (store: LearningStore["Service"]): LearningStore["Service"] => ({
  ...store,
  apply: (update, at) => around(update.lease?.id ?? "", "apply", store.apply(update, at))
})

export const make = (store: RunStore["Service"]): RunStore["Service"] => ({
  ...store,
  create: (beginning) => {
    Points.held(beginning.run_id, 1)
    return around(beginning.run_id, "begin", store.create(beginning))
  },
  resume: (continuation) => {
    Points.held(continuation.run_id, continuation.attempt + 1)
    return around(continuation.run_id, "resume", store.resume(continuation))
  },
  record: (recorded) => around(recorded.run_id, "record", store.record(recorded)),
  recordMembers: (outer, runs) => around(outer.run_id, "inner", store.recordMembers(outer, runs)),
  finish: (ending) => around(ending.run.run_id, "finish", store.finish(ending)),
  finishAndDequeue: (ending, node) => around(ending.run.run_id, "finish", store.finishAndDequeue(ending, node)),
  // those of one run: the points of several in one statement would be one and the same
  appendEvents: (happened) => around(happened[0]?.run_id ?? "", "append", store.appendEvents(happened)),
  load: (held) => Effect.tap(store.load(held), (loaded) => Effect.sync(() => Option.map(loaded, summaryOf)))
})
