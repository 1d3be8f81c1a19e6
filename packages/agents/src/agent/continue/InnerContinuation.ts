// Resumes a paused run of a team, or of an agent with components as tools, with decisions, which are passed to the runs
// of their requirements at any depth.
// Requirements without a complete decision stay open. The call and its arguments come from the store, not from the
// request.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Approval from "@svc-runtime/domain/Approval"
import type * as Json from "@svc-runtime/domain/Json"
import * as Requirement from "@svc-runtime/domain/Requirement"
import type * as Run from "@svc-runtime/domain/Run"
import type * as TeamRun from "@svc-runtime/domain/TeamRun"
import {
  type ApprovalContext,
  approvalContextFor,
  type ApprovalsOf,
  isDecided
} from "@svc-runtime/engine/approval/ApprovalContext"
import * as Continuation from "@svc-runtime/engine/run/Continuation"
import * as RunJournal from "@svc-runtime/engine/run/journal/RunJournal"
import type { RunSnapshot } from "@svc-runtime/engine/run/store/RunReads"
import { Effect, Option } from "effect"
import * as AgentJournal from "../execute/AgentJournal.ts"
import * as InnerRunsJournal from "../execute/InnerRunsJournal.ts"
import type { ContinueInput } from "./AgentContinuation.ts"
import * as AgentContinuation from "./AgentContinuation.ts"
import { says, unresolved } from "./CallDecision.ts"
import * as Former from "./FormerRequirements.ts"
import { matched } from "./RequirementMatching.ts"
import { sentCall, SentRequirement, type SentTool, sentTool } from "./SentRequirement.ts"

type Stored = Requirement.Requirement

/** The fields of a paused run that are needed to resume it. */
export type Paused = Pick<RunSnapshot, "attempt" | "status" | "entries" | "output">

/** A paused run, or one nested in it. */
interface Waiting {
  /** The keys of the journals that contain its journal. */
  readonly path: ReadonlyArray<string>
  /** The ids of their components, and then of its own, in these journals. */
  readonly names: ReadonlyArray<string>
  readonly entries: RunJournal.RunJournal["entries"]
  readonly output: TeamRun.MemberResponse
}

export const waitingIn = Effect.fnUntraced(function*(
  entries: RunJournal.RunJournal["entries"],
  output: TeamRun.MemberResponse,
  path: ReadonlyArray<string> = [],
  names: ReadonlyArray<string> = []
): Effect.fn.Return<ReadonlyArray<Waiting>> {
  const self: Waiting = { path, names, entries: RunJournal.ownEntries(entries), output }
  const responses = AnyRun.innerOf(output)
  if (responses.length === 0) return [self]
  const members = yield* InnerRunsJournal.membersIn(entries)
  const inside = yield* Effect.forEach(members, ([key, { member_id, run_id }]) => {
    const response = responses.find((each) => each.run_id === run_id)
    return response?.status === "PAUSED" && AnyRun.isAgentOrTeam(response)
      ? waitingIn(RunJournal.innerEntries(entries, key), response, [...path, key], [...names, member_id])
      : Effect.succeed([])
  })
  return [self, ...inside.flat()]
})

/** The nested runs with open or former approvals. */
export const approvedRuns = ({ output }: Pick<RunSnapshot, "output">): ReadonlyArray<Run.Id> =>
  AnyRun.membersOf(output).flatMap(({ requirements = [], run_id }) =>
    requirements.some((each) => each.member_run_id === undefined && each.tool_execution.approval_id !== null)
      ? [run_id]
      : []
  )

/** The decision on the call of a requirement. Undefined if there is none. */
export const sentFor = ({ tool_execution: { tool_call_id } }: Stored, sent: SentRequirement | undefined) =>
  sent && sentTool(tool_call_id, sent)

/** The decision, or what else is given for the call, which can be lost beside the decision of another person. */
export const givenFor = (requirement: Stored, sent: SentRequirement | undefined): ReadonlyArray<SentTool> => {
  const { tool_execution: tool } = requirement
  const call = sent && sentCall(tool.tool_call_id, sent)
  return call !== undefined && (sentFor(requirement, sent) !== undefined || says(tool, call)) ? [call] : []
}

interface Decided {
  readonly decisions: ReadonlyArray<AgentJournal.Decision>
  /** By the ids of the requirements. */
  readonly resolved: ReadonlyArray<readonly [string, AgentJournal.Decision]>
}

const decide = Effect.fnUntraced(function*(
  waiting: Waiting,
  sent: ReadonlyMap<string, SentRequirement>,
  context: ApprovalContext,
  isSent: boolean
) {
  const own = (waiting.output.requirements ?? []).filter((each) =>
    each.member_run_id === undefined && Requirement.isOpen(each)
  )
  const tools = own.flatMap((each) => givenFor(each, sent.get(each.id)))
  const request: ContinueInput = { tools: isSent ? tools : undefined, input: undefined }
  const byCall = yield* AgentContinuation.decisionsOf(waiting, request, context)
  const decided: Decided = {
    decisions: [...byCall.values()],
    resolved: own.flatMap(({ id, tool_execution: { tool_call_id } }) => {
      const decision = byCall.get(tool_call_id)
      return decision === undefined ? [] : [[id, decision] as const]
    })
  }
  return decided
})

const entryOf = (
  { decisions, output, path }: Waiting & Decided,
  attempt: number,
  resolved: ReadonlyMap<string, AgentJournal.Decision>,
  more: Partial<AgentJournal.DecisionsEntry>
): Json.Object => {
  const entry: AgentJournal.DecisionsEntry = {
    kind: "resolved",
    attempt,
    marks_begun: true,
    decisions,
    requirements: (output.requirements ?? []).map((each) =>
      AgentContinuation.resolvedRequirement(each, resolved.get(each.id))
    ),
    ...more
  }
  return path.reduceRight((inner, key) => RunJournal.innerEntry(key, inner), AgentJournal.encode(entry))
}

const usedIn = (
  { approvals }: ApprovalContext,
  { requirements = [] }: TeamRun.MemberResponse
): Approval.Approval | undefined =>
  approvals.find((approval) =>
    isDecided(approval) &&
    requirements.some(({ id, tool_execution }) => Approval.isAbout(approval, tool_execution, id))
  )

interface InnerContinueInput extends Omit<ContinueInput, "tools"> {
  readonly requirements: ReadonlyArray<SentRequirement> | undefined
}

const matchedIn = Effect.fnUntraced(function*(
  { entries, output }: Pick<Paused, "entries" | "output">,
  requirements: ReadonlyArray<SentRequirement>
) {
  const stored = output.requirements ?? []
  const open = yield* Former.withoutDecided(stored, requirements)
  const others = open.filter(({ id }) => !stored.some((each) => each.id === id))
  if (others.length > 0) yield* Former.check(entries, others)
  return yield* matched(stored, open)
})

/** The decisions per run. */
const decidedIn = Effect.fnUntraced(
  function*(run: Paused, { requirements }: InnerContinueInput, context: ApprovalContext) {
    const { entries, status } = run
    const output = run.output as TeamRun.MemberResponse
    const sent = yield* matchedIn({ entries, output }, requirements ?? [])
    const waiting: ReadonlyArray<Waiting> = status === "PAUSED"
      ? yield* waitingIn(entries, output)
      : [{ path: [], names: [], entries: RunJournal.ownEntries(entries), output }]
    const decided = yield* Effect.forEach(
      waiting,
      (each) =>
        Effect.map(decide(each, sent, context, requirements !== undefined), (decided) => ({ ...decided, ...each }))
    )
    return { decided, resolved: new Map(decided.flatMap((each) => each.resolved)) }
  }
)

/** Whether approvals alone decide everything that the run waits for. */
export const isSettled = (run: Paused, context: ApprovalContext): Effect.Effect<boolean> =>
  Effect.match(decidedIn(run, { requirements: undefined, input: undefined }, context), {
    onFailure: () => false,
    onSuccess: ({ resolved }) =>
      (run.output.requirements ?? []).every((each) => !Requirement.isOpen(each) || resolved.has(each.id))
  })

/** The journal entry that resumes the run. */
export const plan = Effect.fnUntraced(function*(run: Paused, request: InnerContinueInput, context: ApprovalContext) {
  const { decided, resolved } = yield* decidedIn(run, request, context)
  const used = usedIn(context, run.output as TeamRun.MemberResponse)
  const more = {
    ...AgentContinuation.inputIn(request),
    ...AgentContinuation.metadataOf(request, used)
  }
  return RunJournal.batchEntry(
    decided.map((each, index) => entryOf(each, run.attempt + 1, resolved, index === 0 ? more : {}))
  )
})

/** Each requirement of a request needs a decision. Requirements that it leaves out stay open, but not all of them. */
const complete = Effect.fnUntraced(
  function*(run: RunSnapshot, requirements: ReadonlyArray<SentRequirement> = [], context: ApprovalContext) {
    if (run.status !== "PAUSED") return
    const stored = run.output.requirements ?? []
    const { resolved } = yield* decidedIn(run, { requirements, input: undefined }, context)
    const sent = yield* matchedIn(run, requirements)
    // the decision of a caller who may not approve is ignored, and the approval is requested again
    const isIgnored = ({ tool_execution }: Stored) =>
      context.approver === undefined && tool_execution.approval_type === "required"
    const isUndecided = (each: Stored) =>
      sent.has(each.id) && (!isIgnored(each) || sentFor(each, sent.get(each.id)) === undefined)
    const open = stored.filter((each) => Requirement.isOpen(each) && !resolved.has(each.id))
    const undecided = sent.size === 0 && resolved.size === 0 ? open : open.filter(isUndecided)
    if (undecided.length > 0) return yield* unresolved(undecided.map(({ tool_execution }) => tool_execution))
  }
)

const requirementsIn = Continuation.listIn("requirements", SentRequirement)

const runsWithApprovals = (run: RunSnapshot) => [run.run_id, ...approvedRuns(run)]

const approvedPlan = Effect.fnUntraced(function*<E>(run: RunSnapshot, approvalsOf: ApprovalsOf<E>) {
  const context = yield* approvalContextFor(approvalsOf, runsWithApprovals(run), undefined)
  return (yield* isSettled(run, context))
    ? yield* Effect.option(plan(run, { requirements: undefined, input: undefined }, context))
    : Option.none()
})

/** The runs inside of a paused one that wait. */
export const waitingRuns = (output: AnyRun.Output): ReadonlyArray<Run.Id> =>
  AnyRun.membersOf(output).filter(({ status }) => status === "PAUSED").map(({ run_id }) => run_id)

const completePlan = (run: RunSnapshot, sent: InnerContinueInput, context: ApprovalContext) =>
  Effect.andThen(complete(run, sent.requirements, context), plan(run, sent, context))

export const continuation: Continuation.Continuation = {
  ...AgentContinuation.shared,
  approvedPlan,
  runsWithApprovals: (run) => Effect.succeed(runsWithApprovals(run)),
  plan: (run, sent, context) =>
    Effect.flatMap(
      requirementsIn(sent.decisions),
      (requirements) => completePlan(run, { ...sent, requirements }, context)
    )
}

const hasInner = ({ output }: RunSnapshot): boolean => AnyRun.innerOf(output).length > 0

/** Decisions that are sent with the calls, of the run or inside of it. Calls that never waited are ignored. */
const ofTools = Effect.fnUntraced(function*(run: RunSnapshot, decisions: Continuation.SentDecisions) {
  const requirements = yield* requirementsIn(decisions)
  const tools = yield* AgentContinuation.toolsIn(decisions)
  if (tools === undefined) return requirements
  const known = new Set((run.output.requirements ?? []).map(({ tool_execution }) => tool_execution.tool_call_id))
  const isKnown = ({ tool_call_id }: SentTool) => known.has(tool_call_id)
  yield* AgentContinuation.checked(run, tools.filter((tool) => !isKnown(tool)))
  return [
    ...requirements ?? [],
    ...tools.filter(isKnown).map((tool_execution): SentRequirement => ({ tool_execution }))
  ]
})

/** An agent can have components as tools. */
export const ofAgent: Continuation.Continuation = {
  ...AgentContinuation.continuation,
  runsWithApprovals: (run) => Effect.succeed(runsWithApprovals(run)),
  plan: (run, sent, context) =>
    hasInner(run)
      ? Effect.flatMap(
        ofTools(run, sent.decisions),
        (requirements) => completePlan(run, { ...sent, requirements }, context)
      )
      : AgentContinuation.continuation.plan(run, sent, context),
  approvedPlan: (run, approvalsOf) =>
    hasInner(run) ? approvedPlan(run, approvalsOf) : AgentContinuation.continuation.approvedPlan(run, approvalsOf)
}
