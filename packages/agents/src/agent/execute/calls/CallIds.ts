// Ids of tool calls must be unique, because people and tools refer to calls by id. Some model servers leave them empty
// or repeat them: such a call gets a new id before it is shown or stored.
import * as ModelAnswer from "../model/ModelAnswer.ts"
import type { RunRecorder } from "../RunRecorder.ts"

/** The ids of the calls of the run so far. */
const known = ({ messages, tools }: Pick<RunRecorder, "messages" | "tools">): Set<string> =>
  new Set([
    ...messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id)),
    ...tools.map(({ tool_call_id }) => tool_call_id)
  ])

/** The answer with call ids that are unique in the run. */
export const unique = <A extends Pick<ModelAnswer.ModelAnswer, "calls" | "parts">>(
  answer: A,
  { messages, newId, tools }: Pick<RunRecorder, "messages" | "newId" | "tools">
): A => {
  if (answer.calls.length === 0) return answer
  const taken = known({ messages, tools })
  const idOf = (id: string) => {
    const given = id === "" || taken.has(id) ? `call_${newId()}` : id
    taken.add(given)
    return given
  }
  const parts = answer.parts.map((part) => ModelAnswer.isCall(part) ? { ...part, id: idOf(part.id) } : part)
  return { ...answer, parts, calls: parts.filter(ModelAnswer.isCall).map(ModelAnswer.callOf) }
}
