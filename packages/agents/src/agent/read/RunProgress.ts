// The messages of a run that no node can execute, from its journal. Its component is not needed for them.
import type * as Json from "@svc-runtime/domain/Json"
import type * as Message from "@svc-runtime/domain/Message"
import * as ToolExecution from "@svc-runtime/domain/ToolExecution"
import * as UnfinishedTurn from "@svc-runtime/domain/UnfinishedTurn"
import * as RunJournal from "@svc-runtime/engine/run/journal/RunJournal"
import { Effect } from "effect"
import * as AgentJournal from "../execute/AgentJournal.ts"
import * as Turn from "../execute/Turn.ts"

interface Open {
  readonly calls: AgentJournal.ModelTurn["calls"]
  readonly begun: ReadonlySet<number>
  readonly answers: Map<number, AgentJournal.Answered>
  readonly decisions: Map<number, Turn.Decided>
}

const answersOf = ({ answers }: Open): ReadonlyArray<Message.Message> =>
  [...answers].toSorted(([one], [other]) => one - other).map(([, { failure, message }]) =>
    // a check has refused the result
    failure === undefined ? message : UnfinishedTurn.leftOut(message)
  )

/** Whether a call without a result has begun is known of the calls that needed no person. */
const toolsOf = (open: Open): ReadonlyArray<ToolExecution.ToolExecution> =>
  open.calls.map(({ id, input, name }, index) => {
    const tool = ToolExecution.requested({ tool_call_id: id, tool_name: name, tool_args: input, created_at: 0 })
    const hasBegun = open.begun.has(index)
    return ToolExecution.cutOff(hasBegun ? { ...tool, ...Turn.shownBefore(open, index) } : tool, hasBegun)
  })

const messagesOf = (entries: ReadonlyArray<AgentJournal.Entry>): ReadonlyArray<Message.Message> => {
  const messages: Array<Message.Message> = []
  let open: Open | undefined
  const close = () => {
    if (open !== undefined) messages.push(...answersOf(open))
  }
  for (const entry of entries) {
    switch (entry.kind) {
      case "based":
        messages.push(...entry.messages)
        break
      case "asked":
        close()
        messages.push(...entry.before, entry.message)
        open = { calls: entry.calls, begun: new Set(entry.begun), answers: new Map(), decisions: new Map() }
        break
      case "answered":
        open?.answers.set(entry.call, entry)
        break
      case "resolved":
        if (open === undefined) break
        for (const decision of entry.decisions) Turn.decide(open, decision)
        open = { ...open, begun: new Set([...open.begun, ...entry.begun ?? []]) }
        break
      case "hooked":
        for (const { call, tool_args } of entry.calls ?? []) {
          const decision = open?.decisions.get(call)
          if (decision !== undefined && tool_args !== undefined) open?.decisions.set(call, { ...decision, tool_args })
        }
        break
      case "sampled":
        break
    }
  }
  close()
  return open === undefined ? messages : UnfinishedTurn.closed(messages, toolsOf(open))
}

/** None, where the journal cannot be read. */
export const ofJournal = (entries: ReadonlyArray<Json.Object>): Effect.Effect<ReadonlyArray<Message.Message>> =>
  AgentJournal.decode(RunJournal.ownEntries(entries)).pipe(
    Effect.map(messagesOf),
    Effect.catch(() => Effect.succeed([]))
  )
