// The results of calls as the answers to the questions of a paused run.
import type { EarlierMessage } from "@svc-runtime/domain/EarlierMessage"
import * as Json from "@svc-runtime/domain/Json"
import type * as Media from "@svc-runtime/domain/Media"
import { Option, Result } from "effect"
import * as Answer from "../pause/Answer.ts"
import { AnswerRejected } from "../pause/AnswerRejected.ts"
import * as Decisions from "../pause/Decisions.ts"
import type { Question } from "../pause/Question.ts"
import * as OpaqueId from "./OpaqueId.ts"

export interface CallResult {
  /** The id of the call in the run. */
  readonly toolCallId: string
  readonly output: string
  readonly media?: ReadonlyArray<Media.File> | undefined
  /** Passed over if the run does not wait for it. */
  readonly isEarlier?: boolean | undefined
}

const read = (question: Question, { media, output }: CallResult) => {
  if (question.kind === "external_execution") {
    return Result.succeed<Answer.Answer>({ _tag: "ExternalResult", result: output, media })
  }
  const payload = Json.parseInput(output)
  return Option.isSome(payload) && Json.isObject(payload.value)
    ? Answer.fromJson(question, payload.value)
    : Answer.fromText(question, output)
}

/** Of a call of the service, as the model reads it that has not made the call. */
const nothingDone = "(This was a decision about a call that another run has asked for. It has not executed the call.)"

/**
 * Messages that a run begins with. A decision about a call of the service counts for the run that has asked, so here
 * nothing was executed, whatever the client has decided. `own` are the functions of the client.
 */
export const withoutDecisions = (
  messages: ReadonlyArray<EarlierMessage>,
  own: ReadonlySet<string>
): ReadonlyArray<EarlierMessage> => {
  const names = new Map(
    messages.flatMap(({ tool_calls = [] }) => tool_calls.map((call) => [call.id, call.function.name]))
  )
  return messages.map((message) => {
    const { content, role, tool_call_id: id } = message
    if (role !== "tool" || id === undefined || typeof content !== "string" || own.has(names.get(id) ?? "")) {
      return message
    }
    const payload = OpaqueId.readCall(id) === undefined ? Option.none() : Json.parseInput(content)
    const isDecision = Option.exists(payload, (value) => Json.isObject(value) && Answer.acceptedIn(value) !== undefined)
    return isDecision ? { ...message, content: nothingDone } : message
  })
}

export const notWaiting = (call: string) =>
  new AnswerRejected({
    reason: "unknown",
    id: call,
    message: `The run does not wait for a result of call '${call}'`
  })

/** By the id that the client has of the call. */
const missing = ({ id, name, toolCallId }: Question, address: OpaqueId.RunAddress) =>
  new AnswerRejected({
    reason: "missing",
    id,
    message: `There is no result of the call '${OpaqueId.ofCall({ ...address, toolCallId })}' of ${name}. ` +
      "Send the results of all calls of a response together"
  })

export const of = (
  questions: ReadonlyArray<Question>,
  results: ReadonlyArray<CallResult>,
  address: OpaqueId.RunAddress
): Result.Result<Decisions.Decisions, AnswerRejected> => {
  const answers = new Map<string, Answer.Answer>()
  for (const result of results) {
    const { isEarlier = false, toolCallId } = result
    const question = questions.find((each) => each.toolCallId === toolCallId)
    if (question === undefined && isEarlier) continue
    if (question === undefined) return Result.fail(notWaiting(toolCallId))
    const answer = read(question, result)
    if (Result.isFailure(answer)) return Result.fail(answer.failure)
    answers.set(question.id, answer.success)
  }
  const open = questions.find(({ id, needsApproval }) => !needsApproval && !answers.has(id))
  return open === undefined ? Decisions.of(questions, answers) : Result.fail(missing(open, address))
}
