// The end of a run that cannot be executed. It ends as ERROR with the reason as its content, so that the next run of its
// session begins. Its journal is kept: continuing the run tries it again.
import { AnyRun, type RunEvent, Time } from "@svc/domain"
import { Clock, Effect, Stream } from "effect"
import type { RunHandle } from "./RunHandle.ts"
import type { Acquired, RunSnapshot, RunStore } from "./RunStore.ts"

type Ended = Pick<Acquired, "component_id" | "eventCount" | "run_id" | "session_id">

const lastPayload = (component_id: string, output: AnyRun.Output, reason: string): RunEvent.Payload & RunEvent.Tags => {
  const failed = { content: reason, error_type: "agent_run_error" }
  if (AnyRun.isAgent(output)) {
    return { event: "RunError", agent_id: component_id, agent_name: output.agent_name ?? component_id, ...failed }
  }
  return AnyRun.isTeam(output)
    ? { event: "TeamRunError", team_id: component_id, team_name: output.team_name ?? component_id, ...failed }
    : {
      event: "WorkflowError",
      workflow_id: component_id,
      workflow_name: output.workflow_name ?? component_id,
      error: reason,
      error_type: "workflow_run_error"
    }
}

const endOf = (output: AnyRun.Output, { component_id, eventCount, run_id, session_id }: Ended, reason: string) =>
  Effect.map(Clock.currentTimeMillis, (time) => {
    const created_at = Time.fromMillis(time)
    const ended: AnyRun.Output = { ...output, status: "ERROR", content: reason }
    const last = {
      ...lastPayload(component_id, output, reason),
      created_at,
      run_id,
      session_id,
      nested_depth: 0,
      event_index: eventCount
    } as RunEvent.RunEvent
    // a run that stored no event has no watchers
    return { ended, events: eventCount === 0 ? [] : [last], updated_at: created_at }
  })

const logged = ({ component_id, run_id, session_id }: Ended, reason: string) =>
  Effect.logWarning(`A run is set aside and ends as failed: ${reason}`).pipe(
    Effect.annotateLogs({ run_id, session_id, component_id })
  )

/** Of a run that can be read. */
export const end = Effect.fnUntraced(function*(runs: RunStore["Service"], resting: RunSnapshot, reason: string) {
  const { ended, events, updated_at } = yield* endOf(resting.output, resting, reason)
  yield* logged(resting, reason)
  yield* runs.finish({
    attempt: resting.attempt,
    run: ended,
    events: events.length === 0 ? null : events,
    state_changes: undefined,
    usage: {},
    updated_at
  })
  const handle: RunHandle = { events: Stream.fromIterable(events), output: Effect.succeed(ended) }
  return handle
})

/** Of a run that is not read. What was stored is kept until the run is continued. */
export const setAside = Effect.fnUntraced(function*(runs: RunStore["Service"], acquired: Acquired, reason: string) {
  const running = AnyRun.running({ ...acquired, input: { input_content: "" } })
  const { ended, events: [last], updated_at } = yield* endOf(running, acquired, reason)
  yield* logged(acquired, reason)
  const { attempt, run_id } = acquired
  yield* runs.setAside({ run_id, attempt, reason, output: ended, last, updated_at })
})
