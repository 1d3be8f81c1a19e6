// The end of a run that cannot be executed. It ends as ERROR with the reason as its content, so that the next run of
// its session begins. Its journal is kept: continuing the run of an agent or a team retries it.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Time from "@svc-runtime/domain/Time"
import { Instruments } from "@svc-runtime/telemetry/Instruments"
import { Clock, Effect, Option, Stream } from "effect"
import { Spending } from "../../limits/Spending.ts"
import type { Acquired } from "../../node/LeasedRuns.ts"
import * as ShownWords from "../events/ShownWords.ts"
import * as NewRun from "../NewRun.ts"
import { refOf, type RunHandle } from "../RunHandle.ts"
import { Runners } from "../Runners.ts"
import { RunLifecycle } from "../store/RunLifecycle.ts"
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

type Ended = Pick<Acquired, "attempt" | "component_id" | "eventCount" | "kind" | "run_id" | "session_id" | "user_id">

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

interface Ports {
  readonly lifecycle: RunLifecycle["Service"]
  readonly runners: Pick<Runners["Service"], "messagesIn">
  readonly spending: Option.Option<Spending["Service"]>
}

export const ports = Effect.gen(function*() {
  const ports: Ports = {
    lifecycle: yield* RunLifecycle,
    runners: yield* Runners,
    spending: yield* Effect.serviceOption(Spending)
  }
  return ports
})

/** Charges what its attempts have reserved, and counts it. Another node holds a run whose end is not stored. */
const afterEnd = Effect.fnUntraced(function*(
  { spending }: Ports,
  { attempt, component_id: id, kind, run_id, user_id }: Ended,
  isEvaluation: boolean
) {
  const component = { kind, id }
  const { runNotExecuted } = yield* Instruments
  runNotExecuted(component, isEvaluation)
  if (Option.isSome(spending)) yield* spending.value.purseOf({ id: run_id, attempt, user_id, component }).ended
})

/** The run with the messages of its journal, which later runs of its session are shown. */
const withMessages = ({ messagesIn }: Ports["runners"], snapshot: RunSnapshot): Effect.Effect<AnyRun.Output> =>
  Effect.map(messagesIn(snapshot), (messages) => AnyRun.withLog(snapshot.output, { messages }))

/** Ends a run that can be read. */
export const end = Effect.fnUntraced(
  function*(ports: Ports, snapshot: RunSnapshot, reason: string) {
    const { lifecycle, runners } = ports
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
    if (isStored) yield* afterEnd(ports, snapshot, NewRun.isEvaluation(snapshot))
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
  function*(ports: Ports, acquired: Acquired, reason: string) {
    const running = AnyRun.running({ ...acquired, input: { input_content: "" } })
    const { ended, events, updated_at } = yield* endOf(running, acquired, reason)
    const { attempt, eventCount, run_id, status } = acquired
    // words may have been shown behind the events, which are not read
    const event_index = eventCount + (status === "RUNNING" ? ShownWords.maxAhead : 0)
    const last = events[0] && { ...events[0], event_index }
    yield* logged(acquired, reason)
    const isStored = yield* ports.lifecycle.setAside({ run_id, attempt, reason, output: ended, last, updated_at })
    // the option `evaluation` is in the stored data, which is not read
    if (isStored) yield* afterEnd(ports, acquired, false)
  }
)
