// The end of a run that cannot be executed. It ends as ERROR with the reason as its content, so that the next run of
// its session begins. Its journal is kept: continuing the run retries it.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Time from "@svc-runtime/domain/Time"
import { Instruments } from "@svc-runtime/telemetry/Instruments"
import { Clock, Effect, Stream } from "effect"
import type { Acquired } from "../../node/LeasedRuns.ts"
import * as NewRun from "../NewRun.ts"
import { refOf, type RunHandle } from "../RunHandle.ts"
import type { RunLifecycle } from "../store/RunLifecycle.ts"
import type { RunSnapshot } from "../store/RunReads.ts"
import * as UnexecutedEnd from "./UnexecutedEnd.ts"

type Ended = Pick<Acquired, "component_id" | "eventCount" | "kind" | "run_id" | "session_id">

const endOf = (output: AnyRun.Output, run: Ended, reason: string) =>
  Effect.map(Clock.currentTimeMillis, (time) => {
    const updated_at = Time.fromMillis(time)
    const ended: AnyRun.Output = { ...output, status: "ERROR", content: reason }
    return { ended, events: UnexecutedEnd.failed(run, output, updated_at, reason), updated_at }
  })

const logged = ({ component_id, run_id, session_id }: Ended, reason: string) =>
  Effect.logWarning(`A run is set aside and ends as failed: ${reason}`).pipe(
    Effect.annotateLogs({ run_id, session_id, component_id })
  )

const count = (isStored: boolean, { component_id, kind }: Ended, isEvaluation: boolean) =>
  Effect.map(Instruments, ({ runNotExecuted }) => {
    if (isStored) runNotExecuted({ kind, id: component_id }, isEvaluation)
  })

/** Ends a run that can be read. */
export const end = Effect.fnUntraced(
  function*(lifecycle: RunLifecycle["Service"], snapshot: RunSnapshot, reason: string) {
    const { ended, events, updated_at } = yield* endOf(snapshot.output, snapshot, reason)
    yield* logged(snapshot, reason)
    const isStored = yield* lifecycle.finish({
      attempt: snapshot.attempt,
      run: ended,
      events: events.length === 0 ? null : events,
      state_changes: undefined,
      usage: AnyRun.usageOf(ended),
      updated_at
    })
    yield* count(isStored, snapshot, NewRun.isEvaluation(snapshot))
    const handle: RunHandle = {
      _tag: "Started",
      run: refOf(snapshot),
      events: Stream.fromIterable(events),
      output: Effect.succeed(ended),
      // it has ended
      cancel: Effect.void
    }
    return handle
  }
)

/** Ends a run that is not read. What was stored is kept until the run is continued. */
export const setAside = Effect.fnUntraced(
  function*(lifecycle: RunLifecycle["Service"], acquired: Acquired, reason: string) {
    const running = AnyRun.running({ ...acquired, input: { input_content: "" } })
    const { ended, events: [last], updated_at } = yield* endOf(running, acquired, reason)
    yield* logged(acquired, reason)
    const { attempt, run_id } = acquired
    const isStored = yield* lifecycle.setAside({ run_id, attempt, reason, output: ended, last, updated_at })
    // the option `evaluation` is in the stored data, which is not read
    yield* count(isStored, acquired, false)
  }
)
