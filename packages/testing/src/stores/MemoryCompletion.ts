// How runs in memory end, and how the next run of their session begins.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import * as Usage from "@svc-runtime/domain/Usage"
import * as UsageHour from "@svc-runtime/domain/UsageHour"
import type { JobAfterRun } from "@svc-runtime/engine/jobs/JobsAfterRun"
import type { Lease } from "@svc-runtime/engine/node/LeasedRuns"
import { millisOf } from "@svc-runtime/engine/run/endedTimes"
import type { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import * as StateChange from "@svc-runtime/engine/session/StateChange"
import { Clock, Effect, Option } from "effect"
import { markDayChanged, type MemoryDatabase, type StoredRun, type StoredSession } from "./MemoryDatabase.ts"
import * as MemoryEvents from "./MemoryEvents.ts"
import { enqueueIn } from "./MemoryJobs.ts"
import * as MemoryPath from "./MemoryPath.ts"
import * as MemoryRunReading from "./MemoryRunReading.ts"
import * as MemorySummaries from "./MemorySummaries.ts"

type Runs = RunStore["Service"]

/** A copy that executes is still one. */
const continued = (output: AnyRun.Output, { forked_from_session_id }: AnyRun.Output): AnyRun.Output =>
  forked_from_session_id === undefined
    ? output
    : AnyRun.asCopy(output, { run_id: output.run_id, session_id: output.session_id, forked_from_session_id })

interface Options {
  readonly held: (lease: Lease) => StoredRun | undefined
  readonly unfinished: (session: Session.Id) => ReadonlyArray<StoredRun>
  readonly history: ReturnType<typeof MemoryRunReading.make>["history"]
}

export const make = (database: MemoryDatabase["Service"], { held, history, unfinished }: Options) => {
  const { runs, sessions } = database
  const enqueue = enqueueIn(database)
  const { unsummarized } = MemorySummaries.make(database)

  /** Counts it. */
  const isWithinDay = ({ component_id, kind: component }: StoredRun, kind: string, perDay: number) =>
    Effect.map(Clock.currentTimeMillis, (millis) => {
      const day = Math.floor(millis / 86_400_000)
      const key = JSON.stringify([kind, component, component_id])
      const before = database.dailyJobs.get(key)
      const count = before?.day === day ? before.count + 1 : 1
      database.dailyJobs.set(key, { day, count })
      return count <= perDay
    })

  const isWanted =
    (run: StoredRun, { isEvaluation = false, session }: StoredSession) =>
    ({ ifDue, ifMemoryOn = false, kind, perDay, user_id }: JobAfterRun) =>
      ifMemoryOn && user_id !== null && database.withoutMemory.has(user_id)
        ? Effect.succeed(false)
        : perDay !== undefined
        ? isEvaluation ? Effect.succeed(false) : isWithinDay(run, kind, perDay)
        : ifDue === undefined
        ? Effect.succeed(true)
        : Effect.map(unsummarized(session.session_id, ifDue), Option.isSome)
  const isHolding = ({ output, isSerialized }: StoredRun) => isSerialized && output.status === "RUNNING"

  /** The run that waits first in a session, if it need not wait any longer. */
  const nextOf = (session: Session.Id): StoredRun | undefined => {
    const open = unfinished(session)
    const at = open.findIndex(({ output }) => output.status === "PENDING")
    return at <= 0 && !open.some(isHolding) && open[at]?.waitsFor === undefined ? open[at] : undefined
  }

  const dequeue: Runs["dequeue"] = ({ node, sessions: requested, uncertain: unsure }) =>
    Effect.sync(() => {
      const had = unsure.flatMap((id) => runs.get(id) ?? []).filter(({ output }) => output.status === "RUNNING")
      return [...had, ...requested.flatMap((session) => nextOf(session) ?? [])]
        .filter((run) => run.node === node)
        .map((run) => {
          const { run_id } = run.output
          const session = run.output.session_id as Session.Id
          runs.set(run_id, { ...run, output: { ...run.output, status: "RUNNING" } })
          return {
            run_id,
            session_state: sessions.get(session)?.session.session_state ?? {},
            history: history(
              session,
              { count: run.historyRuns, skipsUnfinished: run.skipsUnfinished === true },
              MemoryPath.before(run)
            )
          }
        })
    })

  const finish: Runs["finish"] = ({ attempt, events, jobs = [], run, state_changes, updated_at, usage }) =>
    Effect.suspend(() => {
      const stored = held({ run_id: run.run_id, attempt })
      const owner = sessions.get(stored?.output.session_id as Session.Id)
      if (stored === undefined || owner === undefined) {
        const known = runs.get(run.run_id)
        return Effect.succeed(known === undefined || (known.attempt === attempt && !MemoryRunReading.isRunning(known)))
      }
      runs.set(run.run_id, {
        ...stored,
        output: continued(AnyRun.withoutLog(run), stored.output),
        updatedAt: updated_at,
        messages: AnyRun.messagesOf(run),
        events: MemoryEvents.appended(stored.events, events ?? []),
        command: Run.isContinuable(run.status) ? stored.command : null,
        entries: Run.isContinuable(run.status) ? stored.entries : [],
        counted: run.status === "PAUSED" ? stored.counted : usage
      })
      sessions.set(owner.session.session_id, {
        ...owner,
        session: {
          ...owner.session,
          session_metrics: run.status === "PAUSED"
            ? owner.session.session_metrics
            : Usage.addToSession(owner.session.session_metrics ?? {}, Usage.since(stored.counted, usage)),
          session_state: state_changes === undefined
            ? owner.session.session_state
            : StateChange.apply(owner.session.session_state ?? {}, state_changes),
          updated_at
        }
      })
      markDayChanged(database, owner.session)
      if (run.status !== "PAUSED" && owner.isEvaluation !== true) {
        const { duration, time_to_first_token } = millisOf(run)
        database.endedRuns.push({
          hour: UsageHour.hourOf(updated_at),
          kind: stored.kind,
          component_id: stored.component_id,
          user_id: owner.session.user_id ?? "",
          model_id: run.model ?? "",
          model_provider: run.model_provider ?? "",
          status: run.status,
          runs: 1,
          durations: duration === null ? [] : [duration],
          first_tokens: time_to_first_token === null ? [] : [time_to_first_token],
          usages: [Usage.since(stored.counted, usage)]
        })
      }
      const wanted = Effect.filter(jobs, isWanted(stored, owner))
      return Effect.as(Effect.flatMap(wanted, enqueue), true)
    })

  const finishAndDequeue: Runs["finishAndDequeue"] = (ending, node) =>
    Effect.gen(function*() {
      const before = runs.get(ending.run.run_id)
      const isHeld = yield* finish(ending)
      if (before === undefined || !isHolding(before)) return { isHeld, next: undefined }
      const session = before.output.session_id as Session.Id
      const [dequeued] = yield* dequeue({ node, sessions: [session], uncertain: [] })
      if (dequeued === undefined) return { isHeld, next: undefined }
      const { run_id, ...snapshot } = dequeued
      return { isHeld, next: { run_id, snapshot } }
    })

  return { dequeue, finish, finishAndDequeue }
}
