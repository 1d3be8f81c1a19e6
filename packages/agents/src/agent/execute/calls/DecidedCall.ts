// A call with the decision of a person.
import type * as ToolExecution from "@svc-runtime/domain/ToolExecution"
import { cut } from "@svc-runtime/engine/limits/ByteLimits"
import type { Decision } from "../AgentJournal.ts"

/** No decision is needed any more. */
const completed = { requires_confirmation: false, requires_user_input: false, external_execution_required: false }

/** From then on the decision is part of the call. */
export const decided = (execution: ToolExecution.ToolExecution, decision: Decision | undefined) => {
  if (decision === undefined) return execution
  const waited = execution.requires_user_input === true || decision.user_input_schema !== undefined
  return {
    ...execution,
    ...completed,
    ...(decision.confirmed === undefined ? {} : { confirmed: decision.confirmed }),
    ...(decision.note === undefined ? {} : { confirmation_note: decision.note }),
    ...(decision.tool_args === undefined ? {} : { tool_args: decision.tool_args }),
    ...(decision.user_input_schema === undefined ? {} : { user_input_schema: decision.user_input_schema }),
    ...(waited ? { answered: true } : {})
  }
}

const rejection = "Tool call was rejected"

/** A call that a person rejected, or executed elsewhere. */
export const closed = (given: ToolExecution.ToolExecution, decision: Decision, limit: number) => {
  const isMade = decision.result !== undefined
  const note = decision.note ?? rejection
  return {
    ...decided(given, decision),
    ...(isMade ? {} : { confirmation_note: note }),
    result: cut(decision.result ?? note, limit),
    tool_call_error: !isMade
  }
}

/** Whether the call is not executed here. */
export const isClosedBy = ({ confirmed, result }: Decision): boolean => confirmed === false || result !== undefined
