// The results of calls among the messages that a run begins with. A decision about a call of the service, in whichever
// form, counts for the run that has asked: the model of another run reads what the call has done.
import type { Caller } from "@svc-runtime/agents/runService/Caller"
import type { RunService } from "@svc-runtime/agents/runService/RunService"
import type { EarlierMessage } from "@svc-runtime/domain/EarlierMessage"
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import type { Tool } from "@svc-runtime/engine/tool/Tool"
import { toWire } from "@svc-runtime/http/wire/runErrors"
import * as CallAnswers from "@svc-runtime/protocols/openai/CallAnswers"
import type { RunAddress } from "@svc-runtime/protocols/openai/OpaqueId"
import { Effect, Option } from "effect"

/** Whether calls of the tool wait for a decision or for values of a person. */
export const asks = ({ approval, confirms, externalExecution, requiresConfirmation, userInputFields }: Tool): boolean =>
  !externalExecution &&
  (approval !== undefined || confirms !== undefined || requiresConfirmation || userInputFields !== undefined)

export interface Known {
  /** The names of the tools of the service that ask a person. */
  readonly asking: ReadonlySet<string>
  /** The functions of the client: what it says of them is never replaced. */
  readonly own: ReadonlySet<string>
  /** Bytes of all that is shown: a small message can name a large result, and often. */
  readonly limit: number
}

type Messages = ReadonlyArray<EarlierMessage>

/** Of a result for which there is no room. */
const leftOut = "(The result of this call is left out here: it is too large.)"

/** Newest first: the first ones are read if not all fit. */
const runsOf = (service: RunService["Service"], caller: Caller, sent: ReadonlyArray<CallAnswers.SentResult>) => {
  const keys = sent.map(({ address: { run_id, session_id } }) => ({
    run_id: Run.Id.make(run_id),
    session_id: Session.Id.make(session_id)
  }))
  const runs = [...new Map(keys.toReversed().map((key) => [keyOf(key), key])).values()]
  return Effect.map(
    service.outlines({ caller, partOf: "start", runs }),
    (found) => new Map(found.map((run) => [keyOf(run), run]))
  )
}

const keyOf = ({ run_id, session_id }: RunAddress): string => JSON.stringify([run_id, session_id])

/**
 * Changes a message to what its call has done, as long as all changes have room for this many bytes. Of a run that is
 * gone, the name of the call says what it asked.
 */
export const make = Effect.fnUntraced(
  function*(service: RunService["Service"], caller: Caller, messages: Messages, { asking, limit, own }: Known) {
    const sent = CallAnswers.sentIn(messages).filter(({ name = "" }) => !own.has(name) || asking.has(name))
    if (sent.length === 0) return (each: EarlierMessage) => each
    const runs = yield* runsOf(service, caller, sent)
    const shownAs = new Map(sent.map(({ address, id, name = "" }) => {
      const run = runs.get(keyOf(address))
      const known = run === undefined ? Option.none() : CallAnswers.shownFor(run, address.toolCallId)
      const isDecision = asking.has(name) && !own.has(name)
      return [id, Option.getOrElse(known, () => isDecision ? CallAnswers.decisionOfGone : undefined)]
    }))
    let room = limit
    return (each: EarlierMessage): EarlierMessage => {
      const content = each.role === "tool" ? shownAs.get(each.tool_call_id ?? "") : undefined
      if (content === undefined) return each
      room -= content.length
      return { ...each, content: room < 0 ? leftOut : content }
    }
  },
  toWire
)
