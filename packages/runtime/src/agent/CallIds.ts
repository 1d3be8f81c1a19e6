// Ids of tool calls. People and tools tell calls apart by them, and some model servers leave them empty or give one id to
// several calls: such a call gets an id of our own before anything of it is shown or stored.
import * as ModelAnswer from "./ModelAnswer.ts"
import type { RunRecorder } from "./RunRecorder.ts"

/** The ids of the calls that the run has made so far. */
const known = ({ messages, tools }: Pick<RunRecorder, "messages" | "tools">): Set<string> =>
  new Set([
    ...messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id)),
    ...tools.map(({ tool_call_id }) => tool_call_id)
  ])

/** The answer with calls that differ by their ids from each other and from all before them in the run. */
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
