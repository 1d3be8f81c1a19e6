// The results of calls as the answers to the questions of a paused run.
import * as Json from "@svc-runtime/domain/Json"
import { Option, Result } from "effect"
import * as Answer from "../pause/Answer.ts"
import { AnswerRejected } from "../pause/AnswerRejected.ts"
import * as Decisions from "../pause/Decisions.ts"
import type { Question } from "../pause/Question.ts"

export interface CallResult {
  /** The id of the call in the run. */
  readonly toolCallId: string
  readonly output: string
  /** Passed over if the run does not wait for it. */
  readonly isEarlier?: boolean | undefined
}

const read = (question: Question, output: string) => {
  if (question.kind === "external_execution") return Answer.fromText(question, output)
  const payload = Json.parseInput(output)
  return Option.isSome(payload) && Json.isObject(payload.value)
    ? Answer.fromJson(question, payload.value)
    : Answer.fromText(question, output)
}

export const of = (
  questions: ReadonlyArray<Question>,
  results: ReadonlyArray<CallResult>
): Result.Result<Decisions.Decisions, AnswerRejected> => {
  const answers = new Map<string, Answer.Answer>()
  for (const { isEarlier = false, output, toolCallId } of results) {
    const question = questions.find((each) => each.toolCallId === toolCallId)
    if (question === undefined && isEarlier) continue
    if (question === undefined) {
      const message = `The run does not wait for a result of call '${toolCallId}'`
      return Result.fail(new AnswerRejected({ reason: "unknown", id: toolCallId, message }))
    }
    const answer = read(question, output)
    if (Result.isFailure(answer)) return Result.fail(answer.failure)
    answers.set(question.id, answer.success)
  }
  return Decisions.of(questions, answers)
}
