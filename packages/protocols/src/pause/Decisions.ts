// The decisions of a request that continues a run, from answers to its questions.
import type * as Json from "@svc-runtime/domain/Json"
import * as NameList from "@svc-runtime/domain/NameList"
import { Result } from "effect"
import * as Answer from "./Answer.ts"
import { AnswerRejected } from "./AnswerRejected.ts"
import type { Question } from "./Question.ts"
import * as Questions from "./Questions.ts"

/** Each list is left out if it is empty. */
export interface Decisions {
  readonly requirements?: ReadonlyArray<Json.Object>
  readonly step_requirements?: ReadonlyArray<Json.Object>
  readonly error_requirements?: ReadonlyArray<Json.Object>
}

type Decided = Result.Result<Json.Object, AnswerRejected>

const malformed = ({ id, kind, name }: Question): Decided =>
  Result.fail(
    new AnswerRejected({ reason: "malformed", id, message: `'${name}' (${id}) needs another answer: ${kind}` })
  )

/** The model reads it. */
const noteOf = ({ note }: { readonly note?: string }): Json.Object =>
  note === undefined ? {} : { confirmation_note: note }

/** A confirmation counts for a call that needs one beside its values. */
const onCall = (question: Question, answer: Answer.Answer): Decided => {
  const { calledAs, id, kind } = question
  switch (answer._tag) {
    case "Accepted":
      return kind === "confirmation" || kind === "unknown_outcome"
        ? Result.succeed({
          id,
          confirmed: true,
          ...noteOf(answer),
          ...(answer.args === undefined
            ? {}
            : { tool_execution: { tool_call_id: calledAs, tool_args: answer.args, confirmed: true } })
        })
        : malformed(question)
    case "Rejected":
      return Result.succeed({
        id,
        confirmed: false,
        ...noteOf(answer)
      })
    case "Values":
      return kind === "user_input"
        ? Result.succeed({
          id,
          confirmed: true,
          user_input_schema: Object.entries(answer.values).map(([name, value]) => ({ name, value })),
          ...noteOf(answer)
        })
        : malformed(question)
    case "ExternalResult":
      return kind === "external_execution" || kind === "unknown_outcome"
        ? Result.succeed({
          id,
          external_execution_result: answer.result,
          ...(answer.media === undefined || answer.media.length === 0 ? {} : { result_media: [...answer.media] }),
          ...noteOf(answer)
        })
        : malformed(question)
    default:
      return malformed(question)
  }
}

/** No model reads it. */
const noteOnStep = ({ id, name }: Question): Decided =>
  Result.fail(
    new AnswerRejected({
      reason: "malformed",
      id,
      message: `The answer to '${name}' (${id}) does not fit: a step takes a note with a rejection only`
    })
  )

type StepTarget = Extract<Question["target"], { readonly list: "step_requirements" | "error_requirements" }>

const onStep = (question: Question, step: StepTarget, answer: Answer.Answer): Decided => {
  const { kind } = question
  const { id, step_id } = step
  const named = { ...(id === undefined ? {} : { id }), step_id }
  if (answer._tag !== "Rejected" && "note" in answer) return noteOnStep(question)
  switch (answer._tag) {
    case "Accepted":
      return kind === "step_confirmation" || kind === "output_review"
        ? Result.succeed({
          ...named,
          confirmed: true,
          ...(answer.output === undefined ? {} : { edited_output: answer.output })
        })
        : malformed(question)
    case "Rejected":
      return Result.succeed({
        ...named,
        confirmed: false,
        ...(answer.note === undefined ? {} : { rejection_feedback: answer.note })
      })
    case "Values":
      return kind === "step_input"
        ? Result.succeed({ ...named, confirmed: true, user_input: answer.values })
        : malformed(question)
    case "Choices":
      return kind === "route_choice"
        ? Result.succeed({ ...named, selected_choices: [...answer.choices] })
        : malformed(question)
    case "FailedStep":
      return kind === "failed_step" ? Result.succeed({ ...named, decision: answer.decision }) : malformed(question)
    case "ExternalResult":
      return malformed(question)
  }
}

const decide = (question: Question, answer: Answer.Answer): Decided => {
  const { target } = question
  return target.list === "requirements" || target.list === "executor_requirements"
    ? onCall(question, answer)
    : onStep(question, target, answer)
}

const missing = ({ id, message }: Question) =>
  Result.fail(new AnswerRejected({ reason: "missing", id, message: `There is no answer to '${id}'. ${message}` }))

export const unknown = (id: string, questions: ReadonlyArray<Question>) =>
  Result.fail(
    new AnswerRejected({
      reason: "unknown",
      id,
      message: `The run does not wait for '${id}'${Questions.openText(questions)}`
    })
  )

/** Whether the answer says the opposite of the approval of the call. */
const contradicts = ({ approval }: Question, { _tag }: Answer.Answer): boolean =>
  (_tag === "Rejected") !== (approval === "rejected")

/** The note of a rejection changes nothing. */
const isPlain = (answer: Answer.Answer): boolean =>
  answer._tag === "Rejected" || (answer._tag === "Accepted" && Object.keys(answer).length === 1)

/** The run follows the approval. */
const decided = (question: Question, questions: ReadonlyArray<Question>) => {
  const open = questions.flatMap((each) => each.approval === undefined ? [`${each.name} (${each.id})`] : [])
  return Result.fail(
    Answer.decided(
      question,
      open.length === 0 ? "" : `, and send a decision on each other call: ${NameList.first(open)}`
    )
  )
}

/**
 * By the ids of the questions. Every question needs an answer, except one that an approval decides. If it is resolved,
 * the opposite is refused, a plain yes or no is passed over, and what has more is compared when the run is continued.
 */
export const of = (
  questions: ReadonlyArray<Question>,
  answers: ReadonlyMap<string, Answer.Answer>
): Result.Result<Decisions, AnswerRejected> => {
  for (const id of answers.keys()) {
    if (questions.some((question) => question.id === id)) continue
    return unknown(id, questions)
  }
  const requirements: Array<Json.Object> = []
  const steps: Array<Json.Object> = []
  const errors: Array<Json.Object> = []
  const inner = new Map<string, Array<Json.Object>>()
  for (const question of questions) {
    const answer = answers.get(question.id)
    if (answer === undefined) {
      if (question.needsApproval) continue
      return missing(question)
    }
    if (question.approval !== undefined) {
      if (contradicts(question, answer)) return decided(question, questions)
      if (isPlain(answer)) continue
    }
    const decision = decide(question, answer)
    if (Result.isFailure(decision)) return Result.fail(decision.failure)
    const { target } = question
    if (target.list === "requirements") requirements.push(decision.success)
    else if (target.list === "step_requirements") steps.push(decision.success)
    else if (target.list === "error_requirements") errors.push(decision.success)
    else inner.set(target.step_id, [...inner.get(target.step_id) ?? [], decision.success])
  }
  for (const [step_id, executor_requirements] of inner) steps.push({ step_id, executor_requirements })
  return Result.succeed({
    ...(requirements.length === 0 ? {} : { requirements }),
    ...(steps.length === 0 ? {} : { step_requirements: steps }),
    ...(errors.length === 0 ? {} : { error_requirements: errors })
  })
}
