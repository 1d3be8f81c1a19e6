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
}

type Messages = ReadonlyArray<EarlierMessage>

const runOf = (service: RunService["Service"], caller: Caller, { run_id, session_id }: RunAddress) => {
  const query = { run_id: Run.Id.make(run_id), session_id: Session.Id.make(session_id) }
  const gone = () => Effect.undefined
  return Effect.catchTags(service.find({ ...query, caller, partOf: "start" }), {
    RunForbidden: gone,
    RunNotFound: gone
  })
}

/** Changes a message to what its call has done. Of a run that is gone, the name of the call says what it asked. */
export const make = Effect.fnUntraced(
  function*(service: RunService["Service"], caller: Caller, messages: Messages, { asking, own }: Known) {
    const sent = CallAnswers.sentIn(messages).filter(({ name = "" }) => !own.has(name) || asking.has(name))
    const byRun = Map.groupBy(sent, ({ address: { run_id, session_id } }) => JSON.stringify([run_id, session_id]))
    const shownAs = new Map<string, string | undefined>()
    yield* Effect.forEach(byRun.values(), ([first, ...others]) =>
      first === undefined
        ? Effect.void
        : Effect.map(runOf(service, caller, first.address), (run) => {
          for (const { address, id, name = "" } of [first, ...others]) {
            const known = run === undefined ? Option.none() : CallAnswers.shownFor(run, address.toolCallId)
            const isDecision = asking.has(name) && !own.has(name)
            shownAs.set(id, Option.getOrElse(known, () => isDecision ? CallAnswers.decisionOfGone : undefined))
          }
        }), { concurrency: 4, discard: true })
    return (each: EarlierMessage): EarlierMessage => {
      const content = each.role === "tool" ? shownAs.get(each.tool_call_id ?? "") : undefined
      return content === undefined ? each : { ...each, content }
    }
  },
  toWire
)
