// What a request answers to the questions of a paused run: entries of `resume`, or tool messages at its end.
import * as Json from "@svc-runtime/domain/Json"
import { Option, Result } from "effect"
import * as Answer from "../pause/Answer.ts"
import { AnswerRejected } from "../pause/AnswerRejected.ts"
import * as Decisions from "../pause/Decisions.ts"
import type { Question } from "../pause/Question.ts"
import type { ResumeEntry, ToolAnswer } from "./RunAgentInput.ts"

type Read = Result.Result<Answer.Answer, AnswerRejected>

const ofEntry = (question: Question, { payload = null, status }: ResumeEntry): Read => {
  if (status !== "cancelled") return Answer.fromJson(question, payload)
  const { note, reason, ...others } = Json.isObject(payload) ? payload : { note: payload }
  return Answer.rejection(question, {
    ...others,
    ...(note ?? reason ?? null) === null
      ? { note: "The user cancelled it" }
      : { note: note ?? null, reason: reason ?? null }
  })
}

/** Text does not confirm, and is the result of a call that is executed elsewhere. */
const ofTool = (question: Question, { content, isError }: ToolAnswer): Read => {
  if (question.kind === "external_execution") {
    return Result.succeed({ _tag: "ExternalResult", result: content })
  }
  if (isError) return Result.succeed({ _tag: "Rejected", note: content })
  const payload = Json.parseInput(content)
  return Option.isSome(payload) || Answer.isConfirming(question)
    ? Answer.fromJson(question, Option.getOrElse(payload, () => content))
    : Answer.fromText(question, content)
}

export interface Answered {
  readonly decisions: Decisions.Decisions
  /** The calls that are rejected, with the reason. */
  readonly rejected: ReadonlyArray<{ readonly toolCallId: string; readonly content: string }>
}

const repeated = (id: string) =>
  Result.fail(new AnswerRejected({ reason: "malformed", id, message: `'${id}' is answered more than once` }))

const settle = (
  questions: ReadonlyArray<Question>,
  read: ReadonlyArray<readonly [Question, Read]>
): Result.Result<Answered, AnswerRejected> => {
  const answers = new Map<string, Answer.Answer>()
  const rejected: Array<Answered["rejected"][number]> = []
  for (const [{ id, toolCallId }, answer] of read) {
    if (Result.isFailure(answer)) return Result.fail(answer.failure)
    const { success } = answer
    if (success._tag === "Rejected") rejected.push({ toolCallId, content: success.note ?? "Tool call was rejected" })
    answers.set(id, success)
  }
  return Result.map(Decisions.of(questions, answers), (decisions) => ({ decisions, rejected }))
}

/** Messages about calls that have a result already are passed over. */
const ofMessages = (questions: ReadonlyArray<Question>, answers: ReadonlyArray<ToolAnswer>) =>
  answers.flatMap((answer) => {
    const question = questions.find(({ toolCallId }) => toolCallId === answer.toolCallId)
    return question === undefined ? [] : [[question, ofTool(question, answer)] as const]
  })

/** The tool messages answer what no entry answers: calls of tools of the client. */
export const ofResume = (
  questions: ReadonlyArray<Question>,
  entries: ReadonlyArray<ResumeEntry>,
  answers: ReadonlyArray<ToolAnswer> = []
) => {
  const read: Array<readonly [Question, Read]> = []
  for (const entry of entries) {
    const question = questions.find(({ id }) => id === entry.interruptId)
    if (question === undefined) return Decisions.unknown(entry.interruptId, questions)
    if (read.some(([{ id }]) => id === question.id)) return repeated(entry.interruptId)
    read.push([question, ofEntry(question, entry)])
  }
  const others = questions.filter((question) => !read.some(([answered]) => answered === question))
  return settle(questions, [...read, ...ofMessages(others, answers)])
}

export const ofTools = (questions: ReadonlyArray<Question>, answers: ReadonlyArray<ToolAnswer>) =>
  settle(questions, ofMessages(questions, answers))
