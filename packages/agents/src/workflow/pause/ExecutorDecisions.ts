// Whether a request decides what the executor of a paused step waits for. An agent needs every decision, and a team
// can leave some out. Whether a call with an approval is decided is seen when the step is resumed.
import * as Requirement from "@svc-runtime/domain/Requirement"
import type * as StepRequirement from "@svc-runtime/domain/StepRequirement"
import type { EpochSeconds } from "@svc-runtime/domain/Time"
import { ContinueRejected } from "@svc-runtime/engine/run/ContinueRejected"
import * as DecisionList from "@svc-runtime/engine/run/DecisionList"
import { Effect, Result, Schema } from "effect"
import { checkShown, decideBy, unresolved } from "../../agent/continue/CallDecision.ts"
import * as InnerContinuation from "../../agent/continue/InnerContinuation.ts"
import { matched } from "../../agent/continue/RequirementMatching.ts"
import { SentRequirement } from "../../agent/continue/SentRequirement.ts"

const decodeSent = DecisionList.decoder(SentRequirement)
const decodeRequirements = Schema.decodeUnknownSync(Schema.Array(Requirement.Requirement))

const malformed = (message: string) =>
  new ContinueRejected({ reason: "malformed", message, field: "step_requirements" })

const isOver = ({ tool_execution: { wake_at } }: Requirement.Requirement, at: EpochSeconds): boolean =>
  wake_at !== undefined && wake_at <= at

const isDecided = (requirement: Requirement.Requirement, sent: SentRequirement | undefined) => {
  const tool = InnerContinuation.sentFor(requirement, sent)
  return tool === undefined
    ? Effect.succeed(false)
    : Effect.map(
      Effect.result(decideBy({ call: 0, tool: requirement.tool_execution }, { sent: tool })),
      // what is sent to a function that waits is not complete later
      (decided) =>
        Result.isFailure(decided) && decided.failure.reason === "malformed"
          ? Effect.fail(malformed(decided.failure.message))
          : Effect.succeed(Result.isSuccess(decided))
    ).pipe(Effect.flatten)
}

/** Fails when the decisions are not complete. Rejecting the step decides everything. */
export const check = Effect.fnUntraced(function*(
  { executor_requirements = [], executor_type }: StepRequirement.StepRequirement,
  { confirmed, executor_requirements: given }: StepRequirement.DecisionInput,
  at: EpochSeconds
) {
  const sent = yield* Effect.mapError(
    decodeSent(given ?? []),
    (cause) => malformed(cause?.message ?? DecisionList.tooMany)
  )
  const requirements = decodeRequirements(executor_requirements)
  const decisions = yield* matched(requirements, sent)
  for (const { id, tool_execution } of requirements) {
    yield* checkShown(tool_execution, decisions.get(id)?.tool_execution ?? {})
  }
  if (confirmed === false) return
  const waiting = requirements.filter((each) =>
    Requirement.isOpen(each) && each.tool_execution.approval_type !== "required" && !isOver(each, at)
  )
  const isPartial = executor_type === "team" && decisions.size > 0
  const needed = isPartial ? waiting.filter(({ id }) => decisions.has(id)) : waiting
  const undecided = yield* Effect.filter(
    needed,
    (each) => Effect.map(isDecided(each, decisions.get(each.id)), (isDecided) => !isDecided)
  )
  // who may approve can decide on the others too
  for (const each of requirements.filter(Requirement.isOpen)) yield* isDecided(each, decisions.get(each.id))
  if (undecided.length > 0) return yield* unresolved(undecided.map(({ tool_execution }) => tool_execution))
})
