// Decisions on a paused workflow as clients send them: in `requirements`, or apart in `step_requirements` and
// `error_requirements`. The decision on a step is `confirmed` or `confirmation`.
import * as StepRequirement from "@svc-runtime/domain/StepRequirement"
import * as Continuation from "@svc-runtime/engine/run/Continuation"
import { unread } from "@svc-runtime/engine/run/DecisionList"
import { Effect, Predicate, Schema } from "effect"
import { confirmation, confirmationOf, contradictionIn } from "../../agent/continue/SentRequirement.ts"

const SentStep = Schema.Struct({
  ...unread(StepRequirement.StepRequirement.fields),
  ...StepRequirement.DecisionInput.fields,
  ...confirmation
}).check(Schema.makeFilter((sent) => contradictionIn(sent)))

const SentError = Schema.Struct({
  ...unread(StepRequirement.ErrorRequirement.fields),
  ...StepRequirement.ErrorResolution.fields
})

const inputOf = (sent: typeof SentStep.Type): StepRequirement.DecisionInput => {
  const { confirmation: _, ...input } = sent
  const confirmed = confirmationOf(sent)
  return confirmed === null ? input : { ...input, confirmed }
}

const stepsIn = Continuation.listIn("step_requirements", SentStep)
const errorsIn = Continuation.listIn("error_requirements", SentError)
const stepsAmong = Continuation.listIn("requirements", SentStep)
const errorsAmong = Continuation.listIn("requirements", SentError)

/** Requirements of failed steps have a `decision`. */
const isError = (requirement: unknown): boolean => Predicate.hasProperty(requirement, "decision")

const among = (requirements: unknown, isWanted: (requirement: unknown) => boolean) => ({
  requirements: Array.isArray(requirements) ? requirements.filter(isWanted) : requirements
})

export const decode = Effect.fnUntraced(function*(sent: Continuation.SentDecisions) {
  const { requirements } = sent
  const apart = (yield* stepsIn(sent)) ?? []
  const steps = (yield* stepsAmong(among(requirements, (each) => !isError(each)))) ?? []
  const errors = (yield* errorsAmong(among(requirements, isError))) ?? []
  return {
    steps: [...apart, ...steps].map(inputOf),
    errors: [...(yield* errorsIn(sent)) ?? [], ...errors],
    /** The field of the decisions, if it is not one of the two. */
    field: steps.length + errors.length > 0 ? "requirements" as const : undefined
  }
})

const isNothing = (list: unknown): boolean =>
  list === undefined || list === null || (Array.isArray(list) && list.length === 0)

export const hasDecisions = ({ error_requirements, requirements, step_requirements }: Continuation.SentDecisions) =>
  ![error_requirements, requirements, step_requirements].every(isNothing)
