// The results of calls as the answers to the questions of a paused run.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import type { EarlierMessage } from "@svc-runtime/domain/EarlierMessage"
import * as Json from "@svc-runtime/domain/Json"
import type * as Media from "@svc-runtime/domain/Media"
import { Option, Result } from "effect"
import * as Answer from "../pause/Answer.ts"
import { AnswerRejected } from "../pause/AnswerRejected.ts"
import * as Decisions from "../pause/Decisions.ts"
import type { Question } from "../pause/Question.ts"
import * as Questions from "../pause/Questions.ts"
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

/** A result of a call that a run of the service has asked for, among messages that another run begins with. */
export interface SentResult {
  /** The id of the call, as the client has it. */
  readonly id: string
  readonly name: string | undefined
  readonly address: OpaqueId.CallAddress
}

export const sentIn = (messages: ReadonlyArray<EarlierMessage>): ReadonlyArray<SentResult> => {
  const names = new Map(
    messages.flatMap(({ tool_calls = [] }) => tool_calls.map((call) => [call.id, call.function.name]))
  )
  return messages.flatMap(({ role, tool_call_id: id }) => {
    const address = role === "tool" && id !== undefined ? OpaqueId.readCall(id) : undefined
    return id === undefined || address === undefined ? [] : [{ id, name: names.get(id), address }]
  })
}

const nothingDone = "This was a decision about a call that another run has asked for. It has not executed the call"

/** Of a run that is gone. */
export const decisionOfGone = `(${nothingDone}, as far as is known: that run is gone.)`

/** What a client executes, or knows of. */
const isResult = ({ kind }: Question): boolean => kind === "external_execution" || kind === "unknown_outcome"

/**
 * What a model is shown in the place of a decision about a call of a run: the result of the call, if there is one by
 * now. Undefined for a result of the client: it is shown as it is. None: the run has not asked for such a call.
 */
export const shownFor = (run: AnyRun.Output, toolCallId: string): Option.Option<string | undefined> => {
  const questions = Questions.ofAny(run).filter((each) => each.toolCallId === toolCallId)
  const [question] = questions
  if (question === undefined) return Option.none()
  if (questions.some(isResult)) return Option.some(undefined)
  const made = AnyRun.allIn(run).flatMap((each) => AnyRun.isWorkflow(each) ? [] : each.tools ?? [])
  const result = made.findLast(({ tool_call_id }) => tool_call_id === question.calledAs)?.result ?? null
  return Option.some(result ?? `(${nothingDone}.)`)
}

/** What is still open, by the ids that the client has of the calls. */
export const openText = (questions: ReadonlyArray<Question>, address: OpaqueId.RunAddress): string =>
  Questions.openText(questions, ({ toolCallId }) => OpaqueId.ofCall({ ...address, toolCallId }))

/** `open`: what it waits for. */
export const notWaiting = (call: string, open = "") =>
  new AnswerRejected({
    reason: "unknown",
    id: call,
    message: `The run does not wait for a result of call '${call}'${open}`
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
    if (question === undefined) return Result.fail(notWaiting(toolCallId, openText(questions, address)))
    const answer = read(question, result)
    if (Result.isFailure(answer)) return Result.fail(answer.failure)
    const added = Answer.add(answers, question, answer.success)
    if (Result.isFailure(added)) return Result.fail(added.failure)
  }
  const open = questions.find(({ id, needsApproval }) => !needsApproval && !answers.has(id))
  return open === undefined ? Decisions.of(questions, answers) : Result.fail(missing(open, address))
}
