// Resumes a paused run of an agent with decisions on its calls. Only the decisions are taken from the request; the call
// and its arguments come from the journal. A call that needs an approval follows the approval, unless the caller may
// approve.
import * as Approval from "@svc-runtime/domain/Approval"
import * as Json from "@svc-runtime/domain/Json"
import type * as Media from "@svc-runtime/domain/Media"
import type * as Requirement from "@svc-runtime/domain/Requirement"
import * as Run from "@svc-runtime/domain/Run"
import { type ApprovalContext, approvalContextFor, isDecided } from "@svc-runtime/engine/approval/ApprovalContext"
import * as Continuation from "@svc-runtime/engine/run/Continuation"
import { ContinueRejected } from "@svc-runtime/engine/run/ContinueRejected"
import type { RunSnapshot } from "@svc-runtime/engine/run/store/RunReads"
import { Effect, Option } from "effect"
import * as AgentJournal from "../execute/AgentJournal.ts"
import {
  type CallDecision,
  decideBy,
  decisionFor,
  named,
  type Paused,
  pendingCalls,
  unresolved,
  type Waiting
} from "./CallDecision.ts"
import * as Former from "./FormerRequirements.ts"
import { isOfOther, ofOther } from "./RequirementMatching.ts"
import { sentCall, SentRequirement, SentTool } from "./SentRequirement.ts"

export interface ContinueInput {
  readonly tools: ReadonlyArray<SentTool> | undefined
  /** Added for the model, after the answers of its calls. */
  readonly input: string | undefined
  /** Of the input. */
  readonly media?: Media.Media | undefined
  /** Of the run from here on. */
  readonly metadata?: Json.Object | undefined
}

const malformed = (message: string) =>
  Effect.fail(new ContinueRejected({ reason: "malformed", message, field: "tools" }))

/**
 * The decision of a caller who may not approve does not count, and the run has no approval that another person could
 * resolve: it was deleted.
 */
const notApprover = ({ tool: { tool_call_id, tool_name } }: Waiting) =>
  Effect.fail(
    new ContinueRejected({
      reason: "forbidden",
      message: `${tool_name} (${tool_call_id}) needs an approval, and this run has none any more. ` +
        "A caller with the scope approvals:write can continue it with a decision"
    })
  )

/** Each decision must be about one open call, and each call can have only one. */
export const checked = Effect.fnUntraced(function*({ output }: Paused, tools: ReadonlyArray<SentTool>) {
  const known = new Set((output.tools ?? []).map(({ tool_call_id }) => tool_call_id))
  const seen = new Set<string>()
  for (const { tool_call_id } of tools) {
    if (!known.has(tool_call_id)) return yield* malformed(`the run has no call '${tool_call_id}'`)
    if (seen.has(tool_call_id)) return yield* malformed(`call '${tool_call_id}' is named twice`)
    seen.add(tool_call_id)
  }
})

/** The call with its decision. */
export const resolvedRequirement = (
  requirement: Requirement.Requirement,
  decision: AgentJournal.Decision | undefined
): Requirement.Requirement => {
  if (decision === undefined) return requirement
  const { declined, note, result, user_input_schema } = decision
  const confirmed = declined === true ? false : decision.confirmed
  return {
    ...requirement,
    ...(confirmed === undefined ? {} : { confirmation: confirmed }),
    ...(note === undefined ? {} : { confirmation_note: note }),
    ...(result === undefined ? {} : { external_execution_result: result }),
    ...(user_input_schema === undefined ? {} : { user_input_schema })
  }
}

/** None if something is missing. What a caller sends that the call cannot take is not complete later either. */
const complete = (decided: ReturnType<typeof decideBy>, { isByCaller }: CallDecision) =>
  Effect.catchIf(
    Effect.asSome(decided),
    ({ reason }) => !isByCaller || reason === "unresolved",
    () => Effect.succeedNone
  )

/** The decided calls of a run, by id. The others stay open. */
export const decisionsOf = Effect.fnUntraced(function*(
  { entries, output }: Pick<Paused, "output" | "entries">,
  request: ContinueInput,
  context: ApprovalContext
) {
  const decisions = new Map<string, AgentJournal.Decision>()
  for (const waiting of pendingCalls({ output }, yield* Effect.orDie(AgentJournal.decode(entries)))) {
    const sent = yield* decisionFor(waiting, request.tools, context)
    if (sent !== undefined) yield* named(waiting, sent)
    const decision = sent === undefined ? Option.none() : yield* complete(decideBy(waiting, sent), sent)
    if (Option.isSome(decision)) decisions.set(waiting.tool.tool_call_id, decision.value)
  }
  return decisions
})

/** What a resumed run's metadata gets: what the request gives, and the approval that decided. */
export const metadataOf = (
  { metadata }: Pick<ContinueInput, "metadata">,
  used: Approval.Approval | undefined
): Pick<AgentJournal.DecisionsEntry, "metadata"> =>
  metadata === undefined && used === undefined
    ? {}
    : { metadata: { ...metadata, ...(used === undefined ? {} : { approval: Json.of(used) }) } }

/** What is added for the model. */
export const inputIn = (
  { input, media }: Pick<ContinueInput, "input" | "media">
): Pick<AgentJournal.DecisionsEntry, "input" | "media"> =>
  input === undefined ? {} : { input, ...(media === undefined || Object.keys(media).length === 0 ? {} : { media }) }

/** The journal entry that resumes the run. */
export const plan = Effect.fnUntraced(function*(run: Paused, request: ContinueInput, context: ApprovalContext) {
  const entries = yield* Effect.orDie(AgentJournal.decode(run.entries))
  const waiting = run.status === "PAUSED" ? pendingCalls(run, entries) : []
  yield* checked(run, request.tools ?? [])
  const sent = yield* Effect.forEach(waiting, (each) => decisionFor(each, request.tools, context))
  const open = waiting.filter((_, index) => sent[index] === undefined)
  if (open.length > 0) {
    const refused = open.find(({ tool }) => request.tools?.some(({ tool_call_id: id }) => id === tool.tool_call_id))
    return yield* refused === undefined ? unresolved(open.map(({ tool }) => tool)) : notApprover(refused)
  }
  const decisions = yield* Effect.forEach(waiting, (each, index) => {
    const decision = sent[index] as CallDecision
    return Effect.andThen(named(each, decision), decideBy(each, decision))
  })
  const byId = new Map(waiting.map(({ tool }, index) => [tool.tool_call_id, decisions[index] as AgentJournal.Decision]))
  const used = context.approvals.find((one) =>
    waiting.some(({ requirement, tool }) => Approval.isAbout(one, tool, requirement))
  )
  const entry: AgentJournal.DecisionsEntry = {
    kind: "resolved",
    attempt: run.attempt + 1,
    marks_begun: true,
    decisions,
    requirements: (run.output.requirements ?? []).map((each) =>
      resolvedRequirement(each, byId.get(each.tool_execution.tool_call_id))
    ),
    ...inputIn(request),
    ...metadataOf(request, used !== undefined && isDecided(used) ? used : undefined)
  }
  return AgentJournal.encode(entry)
})

export const toolsIn = Continuation.listIn("tools", SentTool)
const requirementsIn = Continuation.listIn("requirements", SentRequirement)

/** A requirement is one of the run's. Without an id it names its call, of which another requirement can be open. */
const toolOf = Effect.fnUntraced(
  function*({ entries, output: { requirements = [] } }: RunSnapshot, sent: SentRequirement) {
    const stored = requirements.find(({ id }) => id === sent.id)
    if (stored !== undefined && isOfOther(sent, stored)) return yield* ofOther(stored.id)
    const { tool_call_id } = (typeof sent.id === "string" ? stored : sent)?.tool_execution ?? {}
    if (typeof tool_call_id === "string") return sentCall(tool_call_id, sent)
    yield* Former.check(entries, [sent])
    return yield* malformed(`the run has no requirement '${sent.id ?? "without an id"}'`)
  }
)

/** Decisions are sent with the calls, or with the requirements. Undefined without either. */
const sentTools = Effect.fnUntraced(function*(run: RunSnapshot, sent: Continuation.SentDecisions) {
  const tools = yield* toolsIn(sent)
  const requirements = yield* requirementsIn(sent)
  if (tools === undefined && requirements === undefined) return undefined
  const all = [...(tools ?? []).map((tool_execution) => ({ tool_execution })), ...requirements ?? []]
  const open = yield* Former.withoutDecided(run.output.requirements ?? [], all)
  return yield* Effect.forEach(open, (each) => toolOf(run, each))
})

const rejectedFor = (status: Run.Status, message: string) =>
  new ContinueRejected({ reason: "notPaused", message, status })

const cancelled = ({ run_id }: RunSnapshot) =>
  rejectedFor("CANCELLED", `Cannot continue run ${run_id}: run is cancelled`)

const hasDecisions = ({ requirements, tools }: Continuation.SentDecisions) =>
  (tools ?? requirements ?? undefined) !== undefined

/** What agents and teams have in common. */
export const shared: Omit<Continuation.Continuation, "approvedPlan" | "plan" | "runsWithApprovals"> = {
  hasDecisions,
  wasApproved: (_, approvals) =>
    approvals.some(({ approval_type, status }) => approval_type === "required" && status !== "pending"),
  conflictOf: (run, sent) => {
    const { run_id } = run
    const status = Run.isActive(run.status) ? Continuation.refusingStatus(run) : run.status
    if (Run.isActive(status)) return rejectedFor(status, `Cannot continue run ${run_id}: run is already running`)
    if (status === "CANCELLED") return cancelled(run)
    // a decision that is sent twice or too late must not start a new run
    return hasDecisions(sent) && status !== "PAUSED"
      ? rejectedFor(status, `Cannot continue run ${run_id} with tools: it does not wait for any of them`)
      : undefined
  },
  resumedByAnother: (run) => {
    const status = Continuation.refusingStatus(run)
    return status === "CANCELLED" ? cancelled(run) : new ContinueRejected({
      reason: "conflict",
      message: `Cannot continue run ${run.run_id}: another request has continued it`,
      status
    })
  }
}

export const continuation: Continuation.Continuation = {
  ...shared,
  runsWithApprovals: ({ run_id }) => Effect.succeed([run_id]),
  plan: (run, { decisions, input, media, metadata }, context) =>
    Effect.flatMap(sentTools(run, decisions), (tools) => plan(run, { tools, input, media, metadata }, context)),
  approvedPlan: (run, approvalsOf) =>
    Effect.flatMap(
      approvalContextFor(approvalsOf, [run.run_id], undefined),
      (context) => Effect.option(plan(run, { tools: undefined, input: undefined }, context))
    )
}
