// Where an agent that does a step waits for people: the workflow waits with it, asks in its words, and hands it the answer.
// An answer that says too little has the same question asked again.
import { type Approval, type Json, Requirement, type Run, type StepRequirement } from "@svc/domain"
import { Effect, Schema } from "effect"
import type { Agent } from "../agent/Agent.ts"
import * as AgentContinuation from "../agent/AgentContinuation.ts"
import { about, type Execution, tell } from "./Execution.ts"
import * as Gate from "./Gate.ts"
import type { Halt } from "./Halt.ts"
import type { Decision } from "./Journal.ts"
import type { Node } from "./Node.ts"
import type { Place } from "./Place.ts"

export interface Waiting {
  readonly agent: Agent
  readonly execution: Execution
  readonly node: Node
  readonly place: Place
  readonly run_id: Run.Id
}

const keyOf = ({ place, run_id }: Waiting, round: number) => `${place.key}@${run_id}?${round}`

const executorOf = ({ agent, run_id }: Waiting) => ({
  executor_id: agent.id,
  executor_name: agent.name,
  executor_run_id: run_id,
  executor_type: "agent" as const
})

/** Without its own word a rejected executor ends the workflow's wait by rejecting what it asked for. */
const pause = {
  message: undefined,
  onReject: "cancel",
  maxRetries: 3,
  timeout: undefined,
  onTimeout: "cancel"
} as const

const question = Effect.fnUntraced(function*(waiting: Waiting, requirements: ReadonlyArray<Json.Value>, round: number) {
  const { execution, node, place } = waiting
  const requirement: StepRequirement.StepRequirement = {
    ...yield* Gate.requirementOf(execution, node, place, pause),
    requires_executor_input: true,
    executor_requirements: requirements,
    ...executorOf(waiting),
    executor_session_id: execution.asking.session_id,
    retry_count: round
  }
  const announce = () =>
    tell(execution, {
      event: "StepExecutorPaused",
      ...about(execution, node, place),
      ...executorOf(waiting),
      executor_requirements: requirements
    })
  return { key: keyOf(waiting, round), requirement, kind: "executor" as const, announce }
})

/** Has the workflow wait. It never goes on from here: started again, it finds the answer before it comes to this. */
export const ask = Effect.fnUntraced(function*(
  waiting: Waiting,
  { requirements = [] }: Pick<Run.Output, "requirements">,
  round: number
): Effect.fn.Return<never, Halt> {
  const asked = yield* question(waiting, requirements as unknown as ReadonlyArray<Json.Value>, round)
  yield* Gate.ask(waiting.execution, asked)
  return yield* Effect.die(new Error("An agent asks for what it was told"))
})

const maybe = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** A requirement as it is sent back: with its own words, or those of the call in it, which count for more. */
const Sent = Schema.Struct({
  id: maybe(Schema.String),
  confirmation: maybe(Schema.Boolean),
  confirmation_note: maybe(Schema.String),
  external_execution_result: maybe(Schema.String),
  user_input_schema: AgentContinuation.SentTool.fields.user_input_schema,
  tool_execution: Schema.optionalKey(Schema.Struct({
    ...AgentContinuation.SentTool.fields,
    tool_call_id: Schema.String
  }))
})

const decodeSent = Schema.decodeUnknownOption(Schema.Array(Sent))
const decodeAsked = Schema.decodeUnknownSync(Schema.Array(Requirement.Requirement))

type Asked = ReturnType<typeof decodeAsked>

const toolsOf = (asked: Asked, { executor_requirements }: Decision): ReadonlyArray<AgentContinuation.SentTool> => {
  const sent = decodeSent(executor_requirements ?? [])
  if (sent._tag === "None") return []
  return sent.value.flatMap(
    ({ confirmation, confirmation_note, external_execution_result, id, tool_execution, user_input_schema }) => {
      const of = asked.find((each) =>
        each.id === id || each.tool_execution.tool_call_id === tool_execution?.tool_call_id
      )
      return of === undefined ? [] : [{
        tool_call_id: of.tool_execution.tool_call_id,
        confirmed: tool_execution?.confirmed ?? confirmation ?? null,
        confirmation_note: tool_execution?.confirmation_note ?? confirmation_note ?? null,
        result: tool_execution?.result ?? external_execution_result ?? null,
        user_input_schema: user_input_schema ?? tool_execution?.user_input_schema ?? null
      }]
    }
  )
}

/** What the agent goes on with. None when the answer says too little. */
const planned = (
  { execution, run_id }: Waiting,
  asked: Asked,
  decision: Decision,
  approvals: ReadonlyArray<Approval.Approval>
) => {
  const { attempt, journal } = execution
  const output = { requirements: asked, tools: asked.map(({ tool_execution }) => tool_execution) }
  return Effect.option(AgentContinuation.plan(
    { attempt: attempt - 1, status: "PAUSED", output, entries: journal.inner(run_id) },
    { tools: toolsOf(asked, decision), input: undefined },
    // what needs an approval goes by that: whoever continues a workflow need not be one who may give it
    { approvals, mayApprove: false }
  ))
}

const isResolved = (entry: Json.Object) => entry["kind"] === "resolved"

/** Hands the agent what people have said since it asked, and gives how often it has asked. */
export const answered = Effect.fnUntraced(function*(waiting: Waiting): Effect.fn.Return<number, Halt> {
  const { execution, node, place, run_id } = waiting
  const { journal } = execution
  let handed = 0
  for (let round = 0;; round++) {
    const asked = journal.asked(keyOf(waiting, round))
    if (asked === undefined || !("executor_requirements" in asked)) return round
    const requirements = asked.executor_requirements ?? []
    const { decision } = yield* Gate.ask(execution, yield* question(waiting, requirements, round))
    const isHanded = journal.inner(run_id).filter(isResolved).length > handed
    if (!isHanded) {
      const approvals = yield* execution.approvalsOf(run_id)
      const entry = yield* planned(waiting, decodeAsked(requirements), decision, approvals)
      if (entry._tag === "None") {
        if (journal.asked(keyOf(waiting, round + 1)) === undefined) {
          return yield* ask(waiting, { requirements: requirements as never }, round + 1)
        }
        continue
      }
      tell(execution, { event: "StepExecutorContinued", ...about(execution, node, place), ...executorOf(waiting) })
      yield* journal.append({ type: "inner", run_id, entry: entry.value })
    }
    handed++
  }
})
