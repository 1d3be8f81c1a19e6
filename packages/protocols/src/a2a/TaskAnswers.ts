// The answers of a message to what its task asks. A data part answers the question that it names, or all that no
// other part names; text answers the questions without data.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Json from "@svc-runtime/domain/Json"
import { Result } from "effect"
import * as Answer from "../pause/Answer.ts"
import * as Decisions from "../pause/Decisions.ts"
import type { Question } from "../pause/Question.ts"
import * as Questions from "../pause/Questions.ts"
import * as A2aError from "./A2aError.ts"
import type { Message } from "./Model.ts"
import * as Origin from "./Origin.ts"
import * as Tasks from "./Tasks.ts"

/** The id of a question counts more than that of its call, which another run of the same id can have. */
const isAbout = ({ id, toolCallId }: Question, data: Json.Object): boolean =>
  typeof data["id"] === "string" ? data["id"] === id : data["tool_call_id"] === toolCallId

const namesOne = (data: Json.Value): data is Json.Object =>
  Json.isObject(data) && (typeof data["id"] === "string" || typeof data["tool_call_id"] === "string")

/** Without the keys that name the question. */
const payloadOf = ({ id: _, tool_call_id: __, ...payload }: Json.Object): Json.Object => payload

/** The text beside data that reject says why. */
const withNote = (answer: Answer.Answer, text: string): Answer.Answer =>
  answer._tag === "Rejected" && answer.note === undefined && text !== "" ? { ...answer, note: text } : answer

/** It can be late, so it is no result of another call, whatever it has beside the id. */
const unknown = (data: Json.Object, questions: ReadonlyArray<Question>) =>
  Result.fail(
    A2aError.make(
      "INVALID_PARAMS",
      `The task does not ask '${data["id"] ?? data["tool_call_id"]}'${Questions.openText(questions)}. ` +
        "A result with an id of its own goes into `result`, beside the id of its question"
    )
  )

const repeated = A2aError.make("INVALID_PARAMS", "Several data parts answer the same question: send one for each")

const beside = A2aError.make("INVALID_PARAMS", "A data part without an id is beside answers to all questions")

const contradicting = A2aError.make("INVALID_PARAMS", "The text says the opposite of the data: send one of them")

/** The client was not shown what waits now. */
const notShown = (questions: ReadonlyArray<Question>) =>
  Result.fail(
    A2aError.make(
      "INVALID_PARAMS",
      `Something was decided elsewhere since the last message${Questions.openText(questions)}. ` +
        "Read the task, and answer in a data part with the `id` of its question"
    )
  )

export interface Answered {
  readonly decisions: Decisions.Decisions
  /** The metadata of the run, with the message. */
  readonly metadata: Json.Object
}

interface Answering {
  readonly message: Message
  /** Of the request around the message. */
  readonly requested: Json.Object | undefined
  /** Of the run. */
  readonly metadata: Json.Object | null
}

/** The decisions that continue the run. */
export const of = (
  run: AnyRun.Output,
  { message, metadata, requested }: Answering
): Result.Result<Answered, A2aError.A2aError> => {
  const { parts } = message
  const before = Questions.decidedIn(run)
  const isShown = before <= Origin.decidedIn(metadata)
  const sent = parts.flatMap(({ data }) => data === undefined ? [] : [data])
  const named = sent.filter(namesOne)
  const questions = Questions.meantOf(run, (question) => named.some((data) => isAbout(question, data)))
  const others = sent.filter((data) => !namesOne(data))
  const [other] = others
  const text = parts.flatMap(({ text }) => text ?? []).join("\n")
  const stray = named.find((data) => !questions.some((question) => isAbout(question, data)))
  if (stray !== undefined) return unknown(stray, questions)
  if (others.length > 1) return Result.fail(repeated)
  const answers = new Map<string, Answer.Answer>()
  let isOtherRead = false
  let isTextRead = false
  for (const question of questions) {
    const [own, another] = named.filter((data) => isAbout(question, data))
    if (another !== undefined) return Result.fail(repeated)
    // text and other data are about what is still open
    if (own === undefined && question.approval !== undefined) continue
    isOtherRead ||= own === undefined
    const payload = own === undefined ? other : payloadOf(own)
    // a message without any answer rejects, too, unless it answers other questions
    const isEmpty = payload === undefined && text === ""
    if (isEmpty && (named.length > 0 || question.needsApproval || !Answer.isConfirming(question))) continue
    if (own === undefined && !isShown) return notShown(questions)
    isTextRead ||= payload === undefined
    const answer = payload === undefined ? Answer.fromText(question, text) : Answer.fromJson(question, payload)
    if (Result.isFailure(answer)) return Result.fail(A2aError.make("INVALID_PARAMS", answer.failure.message))
    const noted = withNote(answer.success, text)
    isTextRead ||= noted !== answer.success && !Answer.isContradictedBy(noted, text)
    answers.set(question.id, noted)
  }
  // a person would believe that it counts
  if (!isTextRead && [...answers.values()].some((answer) => Answer.isContradictedBy(answer, text))) {
    return Result.fail(contradicting)
  }
  if (other !== undefined && !isOtherRead) return Result.fail(beside)
  const decided = before + Questions.decidedBy(questions)
  return Result.mapBoth(Decisions.of(questions, answers), {
    onFailure: ({ message }) => A2aError.make("INVALID_PARAMS", message),
    onSuccess: (decisions) => ({ decisions, metadata: Origin.continued(metadata, message, requested, decided) })
  })
}

/** The messages of the user, with the one that continues the run. */
export const historyOf = (run: AnyRun.Output, metadata: Json.Object): ReadonlyArray<Message> =>
  Origin.historyOf({ id: run.run_id, contextId: run.session_id, metadata }, Tasks.inputParts(AnyRun.inputOf(run)))
