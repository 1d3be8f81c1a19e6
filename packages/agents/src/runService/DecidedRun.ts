// A run with what was decided about it. The stored run does not have it before it pauses again or ends, but its journal
// has it. The calls of a step have what was sent, and are shown as those of other runs.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Json from "@svc-runtime/domain/Json"
import * as Requirement from "@svc-runtime/domain/Requirement"
import * as Run from "@svc-runtime/domain/Run"
import type * as StepRequirement from "@svc-runtime/domain/StepRequirement"
import * as RunJournal from "@svc-runtime/engine/run/journal/RunJournal"
import { Effect, Option, Schema } from "effect"
import { sentCall, SentRequirement } from "../agent/continue/SentRequirement.ts"
import * as AgentJournal from "../agent/execute/AgentJournal.ts"
import * as WorkflowJournal from "../workflow/execute/WorkflowJournal.ts"

type Entries = ReadonlyArray<Json.Object>

/** The requirements of the last decision. */
const resolvedIn = Effect.fnUntraced(function*(entries: Entries) {
  const own = yield* Effect.orElseSucceed(AgentJournal.decode(RunJournal.ownEntries(entries)), () => [])
  return own.flatMap((entry) => entry.kind === "resolved" ? [entry.requirements] : []).at(-1) ?? []
})

const waitingIn = Effect.fnUntraced(function*(entries: Entries) {
  const journal = WorkflowJournal.make(
    yield* Effect.orElseSucceed(WorkflowJournal.decode(entries), () => []),
    () => Effect.void
  )
  const step_requirements = yield* Effect.forEach(journal.requirements(), ({ key, requirement }) => {
    const decided = { ...requirement, id: key, resolved: !journal.isOpen(key) }
    const { executor_run_id } = requirement
    return executor_run_id === undefined
      ? Effect.succeed(decided)
      : Effect.map(resolvedIn(journal.inner(Run.Id.make(executor_run_id))), (resolved) => withCalls(decided, resolved))
  })
  return { step_requirements, error_requirements: journal.openErrors() }
})

const decode = Schema.decodeUnknownOption(SentRequirement)

/** A rejected step rejects each call, with the note of the call or its own. */
const callIn = (
  { confirmed: ofStep, rejection_feedback: feedback }: StepRequirement.StepRequirement,
  requirement: Requirement.Requirement
): Requirement.Requirement => {
  const sent = decode(requirement)
  if (Option.isNone(sent)) return requirement
  const { confirmation_note: own, confirmed, result, user_input_schema } = sentCall("", sent.value)
  const isRejected = ofStep === false || confirmed === false
  const note = own ?? (isRejected ? feedback : null)
  return {
    ...requirement,
    ...(note === null ? {} : { confirmation_note: note }),
    ...(isRejected ? { confirmation: false } : {
      ...(confirmed === true ? { confirmation: true } : {}),
      ...(typeof result === "string" ? { external_execution_result: result } : {}),
      ...(user_input_schema?.some(({ value }) => value !== null && value !== undefined) === true
        ? { user_input_schema: Json.of(user_input_schema) }
        : {})
    })
  }
}

/** `resolved`: as the run of the executor has them, which also knows of approvals. */
const withCalls = (
  step: StepRequirement.StepRequirement,
  resolved: ReadonlyArray<Requirement.Requirement>
): StepRequirement.StepRequirement => {
  if (step.executor_requirements === undefined || step.resolved === false) return step
  const calls = step.executor_requirements.filter(Requirement.isRequirement).map((each) =>
    resolved.find(({ id, ...one }) => id === each.id && !Requirement.isOpen({ id, ...one })) ?? callIn(step, each)
  )
  return { ...step, executor_requirements: calls.map(Json.of) }
}

/** `entries`: of a run that executes. */
export const shown = Effect.fnUntraced(function*(run: AnyRun.Output, entries: Entries | undefined) {
  if (!AnyRun.isWorkflow(run)) {
    const requirements = entries === undefined ? [] : yield* resolvedIn(entries)
    return requirements.length === 0 ? run : { ...run, requirements }
  }
  if (entries !== undefined) return { ...run, ...yield* waitingIn(entries) }
  const resolved = AnyRun.allIn(run).flatMap((each) => AnyRun.isWorkflow(each) ? [] : each.requirements ?? [])
  return { ...run, step_requirements: (run.step_requirements ?? []).map((step) => withCalls(step, resolved)) }
})
