// The end of a run that cannot be executed. It ends as ERROR with the reason as its content, so that the next run of
// its session begins. Its journal is kept: continuing the run of an agent or a team retries it.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Time from "@svc-runtime/domain/Time"
import { Instruments } from "@svc-runtime/telemetry/Instruments"
import { Clock, Effect, Stream } from "effect"
import type { Acquired } from "../../node/LeasedRuns.ts"
import * as ShownWords from "../events/ShownWords.ts"
import * as NewRun from "../NewRun.ts"
import { refOf, type RunHandle } from "../RunHandle.ts"
import type { Runners } from "../Runners.ts"
import type { RunLifecycle } from "../store/RunLifecycle.ts"
import type { RunSnapshot } from "../store/RunReads.ts"
import * as UnexecutedEnd from "./UnexecutedEnd.ts"

/** The content of such a run. Agents and teams can be continued when they have failed, and workflows cannot. */
export const textOf = (kind: ComponentKind.ComponentKind, reason: string): string =>
  kind === "workflow"
    ? `${reason}. A failed workflow cannot be continued: start a new run.`
    : `${reason}. Continue the run to try again.`

/** The event of a run that ends as failed; none for a run without events. */
const failed = (
  run: UnexecutedEnd.Unexecuted,
  output: AnyRun.Output,
  updated_at: Time.EpochSeconds,
  reason: string
) => {
  const { errorEvent: event, errorField, errorType: error_type } = UnexecutedEnd.descriptionOf(output)
  return UnexecutedEnd.of(run, output, updated_at, { event, [errorField]: reason, error_type })
}

type Ended = Pick<Acquired, "component_id" | "eventCount" | "kind" | "run_id" | "session_id">

const endOf = (output: AnyRun.Output, run: Ended, reason: string) =>
  Effect.map(Clock.currentTimeMillis, (time) => {
    const updated_at = Time.fromMillis(time)
    const ended = AnyRun.withTotal<AnyRun.Output>({ ...output, status: "ERROR", content: reason })
    return { ended, events: failed(run, output, updated_at, reason), updated_at }
  })

const logged = ({ component_id, run_id, session_id }: Ended, reason: string) =>
  Effect.logWarning(`A run is set aside and ends as failed: ${reason}`).pipe(
    Effect.annotateLogs({ run_id, session_id, component_id })
  )

const count = (isStored: boolean, { component_id, kind }: Ended, isEvaluation: boolean) =>
  Effect.map(Instruments, ({ runNotExecuted }) => {
    if (isStored) runNotExecuted({ kind, id: component_id }, isEvaluation)
  })

interface Ports {
  readonly lifecycle: RunLifecycle["Service"]
  readonly runners: Pick<Runners["Service"], "messagesIn">
}

/** The run with the messages of its journal, which later runs of its session are shown. */
const withMessages = ({ messagesIn }: Ports["runners"], snapshot: RunSnapshot): Effect.Effect<AnyRun.Output> =>
  Effect.map(messagesIn(snapshot), (messages) => AnyRun.withLog(snapshot.output, { messages }))

/** Ends a run that can be read. */
export const end = Effect.fnUntraced(
  function*({ lifecycle, runners }: Ports, snapshot: RunSnapshot, reason: string) {
    const { ended, events, updated_at } = yield* endOf(yield* withMessages(runners, snapshot), snapshot, reason)
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
    const { ended, events, updated_at } = yield* endOf(running, acquired, reason)
    const { attempt, eventCount, run_id, status } = acquired
    // words may have been shown behind the events, which are not read
    const event_index = eventCount + (status === "RUNNING" ? ShownWords.maxAhead : 0)
    const last = events[0] && { ...events[0], event_index }
    yield* logged(acquired, reason)
    const isStored = yield* lifecycle.setAside({ run_id, attempt, reason, output: ended, last, updated_at })
    // the option `evaluation` is in the stored data, which is not read
    yield* count(isStored, acquired, false)
  }
)
