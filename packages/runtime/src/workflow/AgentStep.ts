// A step that an agent does: a run of its own, whose events stand among those of the workflow.
import { type Json, Run, type RunEvent } from "@svc/domain"
import { Effect, Option } from "effect"
import type { Agent } from "../agent/Agent.ts"
import type { AgentCommand } from "../agent/AgentCommand.ts"
import { NewId } from "../NewId.ts"
import { now } from "../now.ts"
import type { RunJournal } from "../run/RunJournal.ts"
import * as AgentPause from "./AgentPause.ts"
import { about, type Before, type Execution, type Performed } from "./Execution.ts"
import type { Halt } from "./Halt.ts"
import type { Node } from "./Node.ts"
import type { Place } from "./Place.ts"
import * as StateDraft from "./StateDraft.ts"
import { StepFailure } from "./StepFailure.ts"
import * as StepOutputs from "./StepOutputs.ts"

const teller = (execution: Execution, agent: Agent, run_id: Run.Id, node: Node, place: Place) => {
  const { asking: { run_id: workflow_run_id, session_id }, tell, workflow } = execution
  const { parent_step_id: _, ...step } = about(execution, node, place)
  return (payload: RunEvent.Payload | RunEvent.Inner) =>
    tell({
      ...payload,
      agent_id: agent.id,
      agent_name: agent.name,
      run_id,
      session_id,
      workflow_id: workflow.id,
      workflow_run_id,
      ...step,
      nested_depth: 0
    } as RunEvent.Inner)
}

/** What the step before gave, or, where there is none, what the workflow was asked. */
const inputOf = ({ asking }: Execution, { additional, previous }: Before): Run.Input => {
  const asked = previous ?? asking.input
  const said = Object.keys(additional).length === 0
    ? asked
    : `${Run.textOf(asked)}\n\n<additional_data>\n${JSON.stringify(additional)}\n</additional_data>`
  return { input_content: said, ...asking.media }
}

/** The one that it was begun with, as long as that has not failed. */
const runIdOf = Effect.fnUntraced(function*({ journal }: Execution, place: Place, isAgain: boolean) {
  const key = `${place.key}/run`
  const known = isAgain ? undefined : journal.chosen(key)
  if (typeof known === "string") return { run_id: Run.Id.make(known), isKnown: true }
  const id = (yield* NewId)()
  yield* journal.append({ type: "chosen", key, choice: id })
  return { run_id: Run.Id.make(id), isKnown: false }
})

const commandOf = (
  { asking }: Execution,
  run_id: Run.Id,
  agent: Agent,
  input: Run.Input
): AgentCommand => ({
  agent,
  run_id,
  session_id: asking.session_id,
  user_id: asking.user_id,
  isolated: false,
  input,
  stream: asking.stream,
  background: false,
  session_state: undefined,
  dependencies: asking.dependencies,
  metadata: asking.metadata,
  outputSchema: undefined,
  // the session is the workflow's, and no conversation
  addHistoryToContext: false,
  addDependenciesToContext: false,
  addSessionStateToContext: false
})

/** The agent's own journal is a part of the workflow's, so that it goes on behind its last call as well. */
const journalOf = ({ attempt, journal }: Execution, run_id: Run.Id): RunJournal => ({
  attempt,
  entries: journal.inner(run_id),
  record: (entry) => journal.append({ type: "inner", run_id, entry })
})

/** One attempt. */
export const perform = Effect.fnUntraced(function*(
  execution: Execution,
  node: Node,
  place: Place,
  before: Before,
  agent: Agent,
  isAgain: boolean
): Effect.fn.Return<Performed, StepFailure | Halt> {
  const { asking, cancellation, state: { current }, workflow } = execution
  const { isKnown, run_id } = yield* runIdOf(execution, place, isAgain)
  const runnable = yield* execution.prepareAgent(commandOf(execution, run_id, agent, inputOf(execution, before)))
  const emit = workflow.streamExecutorEvents ? teller(execution, agent, run_id, node, place) : () => {}
  if (!isKnown) emit(runnable.opening)
  const waiting: AgentPause.Waiting = { agent, execution, node, place, run_id }
  const round = yield* AgentPause.answered(waiting)
  const end = yield* Effect.uninterruptible(runnable.run({
    begun: { session_state: current, history: [] },
    createdAt: yield* now,
    emit,
    cancellation,
    journal: journalOf(execution, run_id),
    isContinued: isKnown
  }))
  // somebody else goes on with the whole of it
  if (Option.isNone(end)) return yield* Effect.interrupt
  const { last, output, sessionState } = end.value
  emit(last)
  if (output.status === "PAUSED") return yield* AgentPause.ask(waiting, output, round)
  const run: Run.Output = { ...output, parent_run_id: asking.run_id, workflow_step_id: execution.idOf(place.path) }
  if (output.status !== "COMPLETED") {
    const message = Run.textOf(output.content ?? "The agent did not answer")
    return yield* new StepFailure({ message, error_type: "agent_run_error", runs: [run as Json.Object] })
  }
  return {
    output: StepOutputs.done(execution, node, place, {
      content: output.content ?? null,
      executor_type: "agent",
      executor_name: agent.name,
      step_run_id: run_id,
      metrics: output.metrics ?? null,
      images: output.images ?? null,
      files: output.files ?? null
    }),
    state: yield* StateDraft.changeOf(current, sessionState ?? current),
    runs: [run as Json.Object]
  }
})
