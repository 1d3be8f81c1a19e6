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
import type { Message, Part } from "./Model.ts"
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
const withNote = (payload: Json.Value | undefined, text: string): Json.Value | undefined =>
  Json.isObject(payload) && Answer.acceptedIn(payload) === false && payload["note"] === undefined && text !== ""
    ? { ...payload, note: text }
    : payload

const unknown = (data: Json.Object) =>
  Result.fail(A2aError.make("INVALID_PARAMS", `The task does not ask '${data["id"] ?? data["tool_call_id"]}'`))

/** The decisions that continue the run. */
export const of = (
  run: AnyRun.Output,
  parts: ReadonlyArray<Part>
): Result.Result<Decisions.Decisions, A2aError.A2aError> => {
  const questions = Questions.of(run)
  const sent = parts.flatMap(({ data }) => data === undefined ? [] : [data])
  const named = sent.filter(namesOne)
  const other = sent.find((data) => !namesOne(data))
  const text = parts.flatMap(({ text }) => text ?? []).join("\n")
  const stray = named.find((data) => !questions.some((question) => isAbout(question, data)))
  if (stray !== undefined) return unknown(stray)
  const answers = new Map<string, Answer.Answer>()
  for (const question of questions) {
    const own = named.find((data) => isAbout(question, data))
    const payload = withNote(own === undefined ? other : payloadOf(own), text)
    // a message without any answer rejects, too, unless it answers other questions
    const isEmpty = payload === undefined && text === ""
    if (isEmpty && (named.length > 0 || question.needsApproval || !Answer.isConfirming(question))) continue
    const answer = payload === undefined ? Answer.fromText(question, text) : Answer.fromJson(question, payload)
    if (Result.isFailure(answer)) return Result.fail(A2aError.make("INVALID_PARAMS", answer.failure.message))
    answers.set(question.id, answer.success)
  }
  return Result.mapError(
    Decisions.of(questions, answers),
    ({ message }) => A2aError.make("INVALID_PARAMS", message)
  )
}

/** The messages of the user, with the one that continues the run. */
export const historyOf = (run: AnyRun.Output, metadata: Json.Object): ReadonlyArray<Message> =>
  Origin.historyOf({ id: run.run_id, contextId: run.session_id, metadata }, Tasks.inputParts(AnyRun.inputOf(run)))
