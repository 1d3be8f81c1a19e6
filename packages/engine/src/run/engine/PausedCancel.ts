// Cancelling a paused run. No node executes it, so it is ended in the store, by the node that gets the request and
// without its component: a factory is not called, and a missing component does not matter.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Json from "@svc-runtime/domain/Json"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type * as TeamRun from "@svc-runtime/domain/TeamRun"
import * as Time from "@svc-runtime/domain/Time"
import * as UnfinishedTurn from "@svc-runtime/domain/UnfinishedTurn"
import * as WaitingCalls from "@svc-runtime/domain/WaitingCalls"
import { Clock, Effect, Option } from "effect"
import type { RunLifecycle } from "../store/RunLifecycle.ts"
import type { RunLog } from "../store/RunLog.ts"
import type { RunReading } from "../store/RunReading.ts"
import type { RunSnapshot } from "../store/RunReads.ts"
import * as Cancellation from "./Cancellation.ts"
import * as UnexecutedEnd from "./UnexecutedEnd.ts"

/** The end of an agent or a team, with the member runs that have not ended. */
const cancelledResponse = <A extends TeamRun.MemberResponse>(output: A, reason: string): A => {
  const { messages, requirements: _, ...kept } = output
  const ended = { ...kept, status: "CANCELLED", content: reason, content_type: "str" } as A
  const inner = AnyRun.innerOf(output).map((member) => memberEnd(member, reason))
  const tools = WaitingCalls.ended(output)
  return AnyRun.withInner(
    {
      ...ended,
      ...(messages === undefined ? {} : { messages: UnfinishedTurn.closed(messages, tools) }),
      ...(output.tools === undefined ? {} : { tools })
    },
    inner
  )
}

const memberEnd = (member: AnyRun.Output, reason: string): AnyRun.Output =>
  Run.hasEnded(member.status) ? member : outputEnd(member, reason)

const outputEnd = (output: AnyRun.Output, reason: string): AnyRun.Output => {
  if (AnyRun.isAgentOrTeam(output)) return cancelledResponse(output, reason)
  const {
    error_requirements: _,
    pause_kind: __,
    paused_step_index: ___,
    paused_step_name: ____,
    wake_at: _____,
    ...kept
  } = output
  const ended = { ...kept, status: "CANCELLED", content: reason, content_type: "str" } as const
  const { step_executor_runs: runs } = output
  return runs === undefined
    ? ended
    : { ...ended, step_executor_runs: runs.map((run) => executorEnd(run, reason)) }
}

/** A workflow keeps the runs of its executors as JSON. */
export const executorEnd = (run: Json.Object, reason: string): Json.Object =>
  AnyRun.isOutput(run) ? Json.of(memberEnd(run, reason)) : run

export interface Options {
  readonly lifecycle: RunLifecycle["Service"]
  readonly log: RunLog["Service"]
  readonly reading: RunReading["Service"]
  readonly node: string
  /** Closes the approvals that the run and those inside of it wait for. */
  readonly closeApprovals: (output: AnyRun.Output) => Effect.Effect<void, StorageUnavailable>
  /** Acquires the run by a statement that may have done so even if it fails. */
  readonly into: <A, E>(run_id: Run.Id, statement: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** The run has ended. */
  readonly onEnd: (run: RunSnapshot) => Effect.Effect<void>
}

export interface Named {
  readonly run_id: Run.Id
  readonly session_id: Session.Id
}

/** Ends a paused run whose cancellation was requested. Any other run stays as it is. */
export const make = ({ closeApprovals, into, lifecycle, log, node, onEnd, reading }: Options) =>
  Effect.fnUntraced(function*({ run_id, session_id }: Named): Effect.fn.Return<void, StorageUnavailable> {
    const found = Option.getOrUndefined(yield* reading.snapshot(session_id, run_id, { owner: Owner.anyone }))
    if (found?.status !== "PAUSED" || !found.isCancelRequested) return
    const { attempt, output } = found
    const reason = Cancellation.reasonOf(run_id)
    const updated_at = Time.fromMillis(yield* Clock.currentTimeMillis)
    const run = AnyRun.withTotal(outputEnd(output, reason))
    const event = UnexecutedEnd.descriptionOf(output).cancelledEvent
    const events = UnexecutedEnd.of(found, output, updated_at, { event, reason, content: reason })
    // before the run is ended: if it is resumed at this moment, it finds the request and ends
    yield* closeApprovals(output)
    const finish = (attempt: number) => {
      const inner = AnyRun.membersOf(run)
      return Effect.andThen(
        inner.length === 0 ? Effect.void : log.recordMembers({ run_id, attempt }, inner),
        lifecycle.finish({
          attempt,
          run,
          events: events.length === 0 ? null : events,
          state_changes: undefined,
          usage: AnyRun.usageOf(run),
          updated_at
        })
      )
    }
    // without limits, of which none can refuse it
    const resume = Effect.catchTag(
      lifecycle.resume({ run_id, attempt, node, entry: undefined }),
      "LimitReached",
      Effect.die
    )
    const ended = yield* Effect.uninterruptible(into(
      run_id,
      Effect.flatMap(
        resume,
        Option.match({ onNone: () => Effect.succeed(false), onSome: finish })
      )
    ))
    if (ended) yield* onEnd(found)
  })
