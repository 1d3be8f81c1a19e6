// Resumes a paused run of a workflow with decisions. Only the decisions are taken from the request; the requirements
// come from the run. An invalid decision is refused, and the run stays paused.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Json from "@svc-runtime/domain/Json"
import * as Run from "@svc-runtime/domain/Run"
import * as StepRequirement from "@svc-runtime/domain/StepRequirement"
import * as Time from "@svc-runtime/domain/Time"
import type * as WorkflowRun from "@svc-runtime/domain/WorkflowRun"
import type { ApprovalContext, Approver } from "@svc-runtime/engine/approval/ApprovalContext"
import * as Continuation from "@svc-runtime/engine/run/Continuation"
import { ContinueRejected } from "@svc-runtime/engine/run/ContinueRejected"
import { unread } from "@svc-runtime/engine/run/DecisionList"
import type { RunSnapshot } from "@svc-runtime/engine/run/store/RunReads"
import { Clock, Effect, Equal, Option, Predicate, Result, Schema } from "effect"
import * as Former from "../../agent/continue/FormerRequirements.ts"
import { confirmation, confirmationOf, contradictionIn } from "../../agent/continue/SentRequirement.ts"
import * as StepKey from "../execute/StepKey.ts"
import * as WorkflowJournal from "../execute/WorkflowJournal.ts"
import * as ExecutorApprovals from "./ExecutorApprovals.ts"
import * as ExecutorDecisions from "./ExecutorDecisions.ts"
import * as LateDecision from "./LateDecision.ts"
import * as StepValues from "./StepValues.ts"
import * as Undecided from "./Undecided.ts"

// Decisions on a paused workflow as clients send them: in `requirements`, or apart in `step_requirements` and
// `error_requirements`. The decision on a step is `confirmed` or `confirmation`.

const SentStep = Schema.Struct({
  ...unread(StepRequirement.StepRequirement.fields),
  ...StepRequirement.DecisionInput.fields,
  ...confirmation
}).check(Schema.makeFilter((sent) => contradictionIn(sent)))

const SentError = Schema.Struct({
  ...unread(StepRequirement.ErrorRequirement.fields),
  /** Which failure of the step is meant. */
  retry_count: Schema.optionalKey(Schema.Unknown),
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

const decode = Effect.fnUntraced(function*(sent: Continuation.SentDecisions) {
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

const hasDecisions = ({ error_requirements, requirements, step_requirements }: Continuation.SentDecisions) =>
  ![error_requirements, requirements, step_requirements].every(isNothing)

type Decided = Result.Result<WorkflowJournal.Decision, ContinueRejected>

const notWaiting = ({ id, step_id }: Named) => `the run does not wait for a decision about '${id ?? step_id}'`

const twice = ({ step_name }: Requested) => `the step '${step_name}' is decided twice`

const malformed = (message: string) =>
  Result.fail(new ContinueRejected({ reason: "malformed", message, field: "step_requirements" }))

/** What is sent beside what the step waits for. A person would believe that it counts. */
const lostIn = (
  requirement: StepRequirement.StepRequirement,
  { confirmed, edited_output, rejection_feedback, selected_choices, user_input }: StepRequirement.DecisionInput
): string | undefined => {
  const given = [
    { what: "values", isGiven: Object.keys(user_input ?? {}).length > 0, isTaken: requirement.requires_user_input },
    { what: "choices", isGiven: (selected_choices ?? []).length > 0, isTaken: requirement.requires_route_selection },
    {
      what: "edited output",
      isGiven: edited_output !== undefined && edited_output !== null,
      isTaken: requirement.requires_output_review
    }
  ]
  const lost = given.find(({ isGiven, isTaken }) => isGiven && (confirmed === false || isTaken !== true))
  const isFeedbackLost = confirmed !== false && !Predicate.isNullish(rejection_feedback) && rejection_feedback !== "" &&
    rejection_feedback !== requirement.rejection_feedback
  if (isFeedbackLost) return "takes no feedback without a rejection"
  return lost && (confirmed === false ? `is both rejected and given ${lost.what}` : `takes no ${lost.what}`)
}

/** A rejection needs no other fields. */
const decisionFromInput = (
  requirement: StepRequirement.StepRequirement,
  input: StepRequirement.DecisionInput
): Decided => {
  const { id: _, step_id: __, ...decision } = input
  const { confirmed, selected_choices, user_input } = input
  const missing = (step = requirement) => Undecided.missingIn(step)
  const needsConfirmation = requirement.requires_confirmation || requirement.requires_output_review
  if (needsConfirmation && typeof confirmed !== "boolean") return missing()
  const lost = lostIn(requirement, input)
  if (lost !== undefined) return malformed(`the step '${requirement.step_name}' ${lost}`)
  if (confirmed === false) return Result.succeed(decision)
  if (requirement.requires_user_input) {
    if (user_input === undefined || user_input === null) return missing()
    const names = StepValues.missingIn(requirement, user_input)
    if (names.length > 0) return missing(Undecided.asking(requirement, names))
    const problem = StepValues.userInputProblem(requirement, user_input)
    if (problem !== undefined) return malformed(problem)
  }
  if (requirement.requires_route_selection) {
    if (selected_choices === undefined || selected_choices === null || selected_choices.length === 0) {
      return missing()
    }
    const problem = StepValues.choicesProblem(requirement, selected_choices)
    if (problem !== undefined) return malformed(problem)
  }
  return Result.succeed(decision)
}

export interface Sent {
  /** The last requirement is open; earlier ones are history. */
  readonly steps: ReadonlyArray<StepRequirement.DecisionInput>
  readonly errors: ReadonlyArray<StepRequirement.ErrorResolution & { readonly retry_count?: unknown }>
  /** The caller, if they may approve. */
  readonly approver?: Approver | undefined
  /** Changes the metadata of the run. */
  readonly metadata?: Json.Object | undefined
}

/** What a decision is about. */
interface Named {
  readonly id?: string | null | undefined
  readonly step_id: string
  /** They have ids of their own. */
  readonly executor_requirements?: ReadonlyArray<Json.Value> | null | undefined
}

interface Requested extends Named {
  readonly step_name: string
}

const idsIn = ({ executor_requirements }: Named): ReadonlyArray<Json.Value> =>
  (executor_requirements ?? []).flatMap((each) =>
    Json.isObject(each) && typeof each["id"] === "string" ? [each["id"]] : []
  )

/** What a person reads before the decision. */
const shown = ["step_input", "confirmation_message", "output_review_message", "user_input_message", "error_message"]

/**
 * The ids of steps are those of the definition: a run that was deleted and started again under its id can wait with
 * another input.
 */
const showsSame = (expected: object, sent: object): boolean => {
  const stored = new Map<string, unknown>(Object.entries(expected))
  const given = new Map<string, unknown>(Object.entries(sent))
  return shown.every((key) => Predicate.isNullish(given.get(key)) || Equal.equals(given.get(key), stored.get(key)))
}

interface History {
  readonly former: ReadonlyArray<Named>
  /** The step has asked before. */
  readonly isAgain: boolean
  /** The decision is sent with what else shows which question is meant. */
  readonly isPlaced: boolean
}

/**
 * A step can ask several times, and an answer can be sent twice: it counts for one question. A decision without an id
 * is about the first question of a step, or about the one in whose place it is sent back.
 */
const about = (expected: Requested, sent: Named, { former, isAgain, isPlaced }: History) => {
  const { step_id, step_name } = expected
  const id = sent.id ?? undefined
  const isOther = id !== undefined && expected.id !== undefined && id !== expected.id
  if (isOther && (sent.step_id === step_id || former.some((each) => each.id === id))) {
    return Result.fail(Former.conflict(id))
  }
  if (sent.step_id !== step_id) {
    return malformed(`the run waits for a decision about step '${step_name}' (step_id ${step_id})`)
  }
  const inner = idsIn(sent)
  const decided = former.flatMap(idsIn)
  const late = inner.find((each) => decided.includes(each) && !idsIn(expected).includes(each))
  if (late !== undefined) return Result.fail(Former.conflict(String(late)))
  const isNamed = id !== undefined || expected.id === undefined || isPlaced ||
    (inner.length > 0 && inner.length === sent.executor_requirements?.length)
  return isAgain && !isNamed
    ? malformed(
      `step '${step_name}' has asked before. A decision that is sent twice must not count for the next question: send ` +
        `the \`id\` of its requirement (${expected.id}), too`
    )
    : showsSame(expected, sent)
    ? undefined
    : Result.fail(Former.conflict(id ?? step_id))
}

type OfStep = WorkflowJournal.DecisionOfStep

type Failed = StepRequirement.ErrorRequirement

/** A failure that does not wait any more, with what was decided. */
interface FormerFailure {
  readonly requirement: Failed
  readonly decision: WorkflowJournal.Decision["error"]
}

interface Failures {
  readonly open: ReadonlyArray<Failed>
  readonly former: ReadonlyArray<FormerFailure>
}

/** Whether the failure before was another one of the same number: that of another iteration of a loop. */
const historyOf = (
  { retry_count, step_id }: Failed,
  sent: Sent["errors"][number],
  all: Failures["former"]
): History => {
  const former = all.flatMap(({ requirement }) => requirement.step_id === step_id ? [requirement] : [])
  const isPlaced = sent.retry_count === retry_count && former.every((each) => each.retry_count !== retry_count)
  return { former, isAgain: retry_count > 0 || former.length > 0, isPlaced }
}

/** The decisions on failed steps. The ones left out, or sent back as they are, wait on. */
const ofErrors = (
  { former, open }: Failures,
  errors: Sent["errors"]
): Result.Result<ReadonlyArray<OfStep>, ContinueRejected> => {
  const decided = new Map<string, OfStep>()
  let known: FormerFailure | undefined
  for (const each of errors) {
    const { decision: error, id, step_id } = each
    if (error === undefined || error === null) continue
    const isMeant = (one: Failed) => Predicate.isNullish(id) ? one.step_id === step_id : one.id === id
    const expected = open.find(isMeant) ?? open.find((one) => one.step_id === step_id)
    if (expected === undefined) {
      known = former.findLast(({ requirement }) => isMeant(requirement))
      if (known === undefined) return malformed(notWaiting(each))
      if (known.decision !== error) return Result.fail(Former.conflict(id ?? step_id))
      continue
    }
    const problem = about(expected, each, historyOf(expected, each, former))
    if (problem !== undefined) return problem
    if (decided.has(step_id)) return malformed(twice(expected))
    decided.set(step_id, { step_id, decision: { error } })
  }
  return known === undefined || decided.size > 0
    ? Result.succeed([...decided.values()])
    : Result.fail(Former.conflict(known.requirement.id ?? known.requirement.step_id))
}

const ofStep = (
  requirement: StepRequirement.StepRequirement,
  former: ReadonlyArray<StepRequirement.StepRequirement>,
  sent: Sent,
  now: number
): Result.Result<WorkflowJournal.Decision | undefined, ContinueRejected> => {
  const last = sent.steps.at(-1)
  if (LateDecision.isLate(requirement, now) && (last === undefined || !ExecutorDecisions.decides(requirement, last))) {
    return LateDecision.lacksValues(requirement)
      ? Undecided.missingIn(requirement)
      : Result.succeed({ late: requirement.on_timeout })
  }
  const awaited = requirement.executor_requirements === undefined ? undefined : ExecutorApprovals.awaited(requirement)
  // what is sent after the time is too late
  const isOver = awaited?.approvals.length === 0 && awaited.wakesAt <= Time.fromMillis(now)
  if (isOver || (last === undefined && awaited !== undefined)) return Result.succeed(undefined)
  if (last === undefined) return Undecided.missingIn(requirement)
  const history: History = {
    former,
    isAgain: former.some(({ step_id }) => step_id === requirement.step_id),
    isPlaced: sent.steps.length === former.length + 1
  }
  const other = about(requirement, last, history)
  if (other !== undefined) return other
  const late = LateDecision.problemOf(requirement, last, now)
  if (late !== undefined) return Result.fail(late)
  const decided = Result.map(
    decisionFromInput(requirement, last),
    (decision) => LateDecision.of(requirement, decision, now)
  )
  const { approver } = sent
  return approver === undefined || requirement.executor_requirements === undefined
    ? decided
    : Result.map(decided, (decision) => ({ ...decision, approver }))
}

/** The decision on the step that is shown: the last one. */
const ofShown = (
  { step_requirements }: Partial<WorkflowRun.Output>,
  sent: Sent,
  now: number
): Result.Result<ReadonlyArray<OfStep>, ContinueRejected> => {
  const requirement = step_requirements?.at(-1)
  if (requirement === undefined) return malformed("the run waits for nothing")
  const { id: key, step_id } = requirement
  const ofKey = key === undefined || !StepKey.isOfDurableCall(key) ? { step_id } : { step_id, key }
  return Result.map(
    ofStep(requirement, step_requirements?.slice(0, -1) ?? [], sent, now),
    (decision) => decision === undefined ? [] : [{ ...ofKey, decision }]
  )
}

const decidedIn = (
  run: AnyRun.Output,
  sent: Sent,
  now: number
): Result.Result<ReadonlyArray<OfStep>, ContinueRejected> => {
  const output: Partial<WorkflowRun.Output> = AnyRun.isWorkflow(run) ? run : {}
  const open = output.error_requirements ?? []
  const failed = open.at(-1)
  if (failed === undefined) return ofShown(output, sent, now)
  return Result.flatMap(
    ofErrors({ open, former: [] }, sent.errors),
    (decided) =>
      decided.length === 0
        ? Result.fail(Undecided.unresolved("error", [Undecided.ofError(failed)]))
        : Result.succeed(decided)
  )
}

const entryWith = ({ metadata }: Pick<Sent, "metadata">, [first, ...others]: ReadonlyArray<OfStep>) =>
  first && WorkflowJournal.encode({
    kind: "decided",
    ...first,
    ...(others.length === 0 ? {} : { others }),
    ...(metadata === undefined ? {} : { metadata })
  })

/** The journal entry of the decisions, `now` in milliseconds. Undefined if approvals decide. */
export const entryOf = (
  run: AnyRun.Output,
  sent: Sent,
  now: number
): Result.Result<Json.Object | undefined, ContinueRejected> =>
  Result.map(decidedIn(run, sent, now), (decided) => entryWith(sent, decided))

/** The open requirement if it is one of an executor. */
const executorRequirementOf = (run: AnyRun.Output): StepRequirement.StepRequirement | undefined => {
  if (!AnyRun.isWorkflow(run) || run.error_requirements?.at(-1) !== undefined) return undefined
  const requirement = run.step_requirements?.at(-1)
  return requirement?.executor_requirements === undefined ? undefined : requirement
}

const statusTexts: Readonly<Partial<Record<RunSnapshot["status"], string>>> = {
  RUNNING: "run is already running",
  PENDING: "run is already running",
  COMPLETED: "run is already completed",
  ERROR: "run has errored",
  CANCELLED: "run is already cancelled"
}

const notPaused = (status: RunSnapshot["status"]) =>
  new ContinueRejected({
    reason: "notPaused",
    message: statusTexts[status] ?? `run is not paused (status=${status})`,
    status
  })

/** A problem with a decision names the field of the decision. */
const namedBy = (field: ContinueRejected["field"]) => (error: ContinueRejected) =>
  field === undefined || error.field !== "step_requirements"
    ? error
    : new ContinueRejected({ reason: error.reason, message: error.message, field })

type Stored = StepRequirement.StepRequirement

/** The requirements of a run, as if this one were shown: the last one. */
const showing = (output: WorkflowRun.Output, shown: Stored): WorkflowRun.Output => {
  const { error_requirements: _, step_requirements = [], ...rest } = output
  return { ...rest, step_requirements: [...step_requirements.filter((each) => each !== shown), shown] }
}

const journalOf = ({ entries }: RunSnapshot) =>
  Effect.map(
    Effect.orDie(WorkflowJournal.decode(entries)),
    (decoded) => WorkflowJournal.make(decoded, () => Effect.void)
  )

/** The run shows all failed steps that wait. */
const failuresIn = (
  { error_requirements: open = [] }: Partial<WorkflowRun.Output>,
  { asked, decisionOf }: WorkflowJournal.WorkflowJournal
): Failures => ({
  open,
  former: asked().flatMap(([key, requirement]) =>
    !("error_message" in requirement) || open.some(({ id }) => id === key)
      ? []
      : [{ requirement: { ...requirement, id: key }, decision: decisionOf(key)?.error }]
  )
})

interface Meant {
  readonly requirement: Stored
  readonly sent: StepRequirement.DecisionInput
}

/** What is sent, each with the requirement that it is about, if the run has it. */
const placedIn = (all: ReadonlyArray<Stored>, steps: ReadonlyArray<StepRequirement.DecisionInput>) =>
  steps.map((sent, index) => {
    const inPlace = steps.length === all.length && all[index]?.step_id === sent.step_id ? all[index] : undefined
    const requirement = Predicate.isNullish(sent.id)
      ? inPlace ?? all.findLast(({ step_id }) => step_id === sent.step_id)
      : all.find(({ id }) => id === sent.id)
    return { requirement, sent }
  })

const hasDecision = (placed: { readonly requirement: Stored | undefined; readonly sent: Meant["sent"] }) =>
  placed.requirement !== undefined && ExecutorDecisions.decides(placed.requirement, placed.sent)

/** Several steps wait, and what is sent back of them, in any order, is as it was. */
const decidesNone = (output: AnyRun.Output, steps: ReadonlyArray<StepRequirement.DecisionInput>): boolean => {
  const all = AnyRun.isWorkflow(output) ? output.step_requirements ?? [] : []
  return Undecided.waitingIn(output).length > 1 &&
    placedIn(all, steps).every((placed) => placed.requirement?.resolved === false && !hasDecision(placed))
}

/**
 * Several steps can wait, and each decision counts. Steps that are sent back without one wait on. Those of earlier
 * versions without an id are not known here.
 */
const meantIn = (
  all: ReadonlyArray<Stored>,
  steps: ReadonlyArray<StepRequirement.DecisionInput>,
  { isOpen }: WorkflowJournal.WorkflowJournal
): ReadonlyArray<Meant> =>
  placedIn(all, steps).flatMap((placed) => {
    const { requirement, sent } = placed
    const isMeant = requirement?.id !== undefined && hasDecision(placed) && isOpen(requirement.id)
    return isMeant ? [{ requirement, sent }] : []
  })

/** What of several decisions can not count. One alone is refused by the question that it is compared with. */
const lostAmong = (
  all: ReadonlyArray<Stored>,
  steps: ReadonlyArray<StepRequirement.DecisionInput>,
  meant: ReadonlyArray<Meant>
): ContinueRejected | undefined => {
  for (const placed of placedIn(all, steps)) {
    const { requirement, sent } = placed
    if (meant.some((each) => each.sent === sent)) continue
    if (requirement === undefined) {
      return new ContinueRejected({ reason: "malformed", field: "step_requirements", message: notWaiting(sent) })
    }
    // decided ones are sent back as they are
    const id = sent.id ?? idsIn(sent)[0] ?? requirement.id
    if (id !== undefined && hasDecision(placed)) return Former.conflict(String(id))
  }
  const again = meant.find(({ requirement }, index) =>
    meant.findIndex((one) => one.requirement === requirement) < index
  )
  return again && new ContinueRejected({
    reason: "malformed",
    field: "step_requirements",
    message: twice(again.requirement)
  })
}

/** The decision about one of several steps that wait. */
const ofMeant = Effect.fnUntraced(function*(
  output: AnyRun.Output,
  sent: Sent,
  { approvals, at }: { readonly approvals: ApprovalContext["approvals"]; readonly at: number }
) {
  const decided = yield* Effect.fromResult(decidedIn(output, sent, at))
  const requirement = executorRequirementOf(output)
  const last = sent.steps.at(-1)
  if (requirement !== undefined && last !== undefined) {
    yield* ExecutorDecisions.check(requirement, last, { approvals, at: Time.fromMillis(at) })
  }
  return decided
})

const plan = Effect.fnUntraced(function*(
  run: RunSnapshot,
  { decisions, metadata }: Continuation.SentInput,
  { approvals, approver }: ApprovalContext
) {
  const { errors, field, steps } = yield* decode(decisions)
  const at = yield* Clock.currentTimeMillis
  const sent: Sent = { steps, errors, approver, metadata }
  const { output } = run
  if (!AnyRun.isWorkflow(output)) return yield* Effect.fromResult(malformed("the run waits for nothing"))
  const { step_requirements: all = [] } = output
  const journal = yield* journalOf(run)
  const failures = failuresIn(output, journal)
  const failed = failures.open.at(-1)
  const meant = meantIn(all, steps, journal)
  const isOfShown = meant.length === 0 && failed === undefined
  const lost = isOfShown && steps.length < 2 ? undefined : lostAmong(all, steps, meant)
  if (lost !== undefined) return yield* namedBy(field)(lost)
  const ofFailed = yield* Effect.mapError(
    Effect.fromResult(ofErrors(failures, errors)),
    namedBy(field ?? "error_requirements")
  )
  if (isOfShown && ofFailed.length === 0) {
    const decided = Effect.mapError(
      ofMeant(output, decidesNone(output, steps) ? { ...sent, steps: [] } : sent, { approvals, at }),
      Undecided.withOthers(output)
    )
    return entryWith(sent, yield* Effect.mapError(decided, namedBy(field)))
  }
  const ofSteps = yield* Effect.forEach(meant, ({ requirement, sent: one }) => {
    const others = steps.filter((each) => each !== one)
    return ofMeant(showing(output, requirement), { ...sent, errors: [], steps: [...others, one] }, { approvals, at })
  }).pipe(Effect.mapError(namedBy(field)))
  const decided = [...ofFailed, ...ofSteps.flat()]
  return failed !== undefined && decided.length === 0
    ? yield* Undecided.withOthers(output)(Undecided.unresolved("error", [Undecided.ofError(failed)]))
    : entryWith(sent, decided)
})

/** The steps that a request decides, or the one that is shown. */
const decidedBy = Effect.fnUntraced(function*({ output }: RunSnapshot, decisions: Continuation.SentDecisions) {
  const all = AnyRun.isWorkflow(output) ? output.step_requirements ?? [] : []
  // what cannot be read is refused later
  const { steps } = yield* Effect.orElseSucceed(decode(decisions), () => ({ steps: [] }))
  const decided = placedIn(all, steps).filter(hasDecision).flatMap(({ requirement }) => requirement ?? [])
  const shown = executorRequirementOf(output)
  return decided.length > 0 || shown === undefined ? decided : [shown]
})

export const continuation: Continuation.Continuation = {
  runsWithApprovals: (run, sent) =>
    Effect.map(decidedBy(run, sent), (decided) => decided.flatMap(ExecutorApprovals.runsOf)),
  hasDecisions: hasDecisions,
  wasApproved: ({ output }) => ExecutorApprovals.awaitedIn(output).length > 0,
  conflictOf: (run) => {
    if (run.status === "PAUSED") return undefined
    return notPaused(Run.isActive(run.status) ? Continuation.refusingStatus(run) : run.status)
  },
  resumedByAnother: (run) => {
    const status = Continuation.refusingStatus(run)
    return status === "CANCELLED"
      ? notPaused(status)
      : new ContinueRejected({ reason: "conflict", message: "run is already running", status })
  },
  plan,
  // without an entry: the steps read their approvals
  approvedPlan: (run, approvalsOf) =>
    Effect.map(
      ExecutorApprovals.canResume(run, approvalsOf),
      (canResume) => canResume ? Option.some(undefined) : Option.none()
    )
}
