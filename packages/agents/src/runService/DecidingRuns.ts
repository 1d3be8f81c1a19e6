// The runs whose calls are decided by the journal entry with which a run is to be resumed: the run itself, and those
// inside of it at any depth.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Approval from "@svc-runtime/domain/Approval"
import type * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type * as Json from "@svc-runtime/domain/Json"
import * as NameList from "@svc-runtime/domain/NameList"
import * as Run from "@svc-runtime/domain/Run"
import type * as StepRequirement from "@svc-runtime/domain/StepRequirement"
import type { EpochSeconds } from "@svc-runtime/domain/Time"
import type * as ToolExecution from "@svc-runtime/domain/ToolExecution"
import { type ApprovalContext, type DecidedApproval, isDecided } from "@svc-runtime/engine/approval/ApprovalContext"
import { ContinueRejected } from "@svc-runtime/engine/run/ContinueRejected"
import * as RunJournal from "@svc-runtime/engine/run/journal/RunJournal"
import type { RunSnapshot } from "@svc-runtime/engine/run/store/RunReads"
import { Effect, Option } from "effect"
import * as ApprovalData from "../agent/continue/ApprovalData.ts"
import { makesCall, type Paused, pendingCalls, type Waiting } from "../agent/continue/CallDecision.ts"
import * as InnerContinuation from "../agent/continue/InnerContinuation.ts"
import * as AgentJournal from "../agent/execute/AgentJournal.ts"
import * as CallKey from "../agent/execute/calls/CallKey.ts"
import type * as SourceTools from "../agent/execute/calls/SourceTools.ts"
import * as InnerRunsJournal from "../agent/execute/InnerRunsJournal.ts"
import * as RunApprovals from "../agent/execute/RunApprovals.ts"
import { isFactory } from "../factory/Factory.ts"
import * as CallRun from "../nested/CallRun.ts"
import * as ComponentTool from "../nested/ComponentTool.ts"
import * as Leader from "../team/Leader.ts"
import { isTeam } from "../team/Team.ts"
import * as Executors from "../workflow/execute/Executors.ts"
import * as WorkflowJournal from "../workflow/execute/WorkflowJournal.ts"
import * as ExecutorAnswer from "../workflow/pause/ExecutorAnswer.ts"
import { isWorkflow } from "../workflow/Workflow.ts"
import { type AnyComponent, type Components, isComponent } from "./Components.ts"

type Entries = ReadonlyArray<Json.Object>

/** A run that waits for its own calls, and what is decided about them. */
export interface Deciding {
  readonly decisions: ReadonlyArray<AgentJournal.Decision>
  readonly waiting: ReadonlyArray<Waiting>
  /** Undefined: it is not known here. */
  readonly agent: SourceTools.Asking | undefined
  /** Why calls that have begun cannot continue, by their places: the component of a run inside is gone. */
  readonly lost: ReadonlyMap<number, string>
  /** Of the request. */
  readonly field: NonNullable<ContinueRejected["field"]>
}

/** The agent, or the leader of the team with its tools for members. */
const agentOf = (component: Inner): SourceTools.Asking | undefined => {
  if (isTeam(component)) return Leader.shown(component)
  return component !== undefined && "tools" in component ? component : undefined
}

type Registered = Components["registered"]

/** Of the last calls of the model. */
const lostIn = Effect.fnUntraced(function*(
  entries: Entries,
  journal: ReadonlyArray<AgentJournal.Entry>,
  isGone: (id: string) => boolean
) {
  const turns = journal.filter((entry) => entry.kind === "asked")
  const members = yield* InnerRunsJournal.membersIn(entries)
  return new Map(
    (turns.at(-1)?.calls ?? []).flatMap((_, call) => {
      const id = InnerRunsJournal.unfinishedIn(members, CallKey.make(turns.length - 1, call)).find(isGone)
      return id === undefined ? [] : [[call, InnerRunsJournal.lost(id)] as const]
    })
  )
})

/** `given`: with which the run is to be resumed. None if it decides nothing of its own. */
const ownOf = Effect.fnUntraced(function*(
  { entries, output }: Pick<Paused, "entries" | "output">,
  given: Entries,
  { component, field, registered }: Pick<Resuming, "field" | "registered"> & { readonly component: Inner }
) {
  const decisions = (yield* Effect.orElseSucceed(AgentJournal.decode(RunJournal.ownEntries(given)), () => []))
    .flatMap((entry) => entry.kind === "resolved" ? entry.decisions : [])
  if (decisions.every((decision) => decision.resolved_by === undefined && !makesCall(decision))) return []
  const journal = yield* Effect.orDie(AgentJournal.decode(RunJournal.ownEntries(entries)))
  const find = innerOf(registered)
  return [{
    agent: agentOf(component),
    decisions,
    field,
    lost: yield* lostIn(entries, journal, (id) => find(component, id) === gone),
    waiting: pendingCalls({ output }, journal)
  }] satisfies ReadonlyArray<Deciding>
})

/** Undefined for a factory: only it knows what it makes. */
const registeredAs = (registered: Registered, kind: ComponentKind.ComponentKind, id: string) => {
  const found = registered({ kind, id })
  return found === undefined || isFactory(found) ? undefined : found
}

/** In place of an agent that is no member, no tool, or not in the service any more: it makes no calls. */
export const gone = { tools: new Map(), toolSources: [], promptCache: undefined } satisfies SourceTools.Asking

type Inner = AnyComponent | typeof gone | undefined

/** The component of a run inside, by its id in the journal. Undefined for one that only a function has. */
const innerOf = (registered: Registered) => (outer: Inner, id: string): Inner => {
  const called = CallRun.componentIn(id)
  if (called !== undefined) return registeredAs(registered, called.kind, called.component_id)
  const agent = agentOf(outer)
  return agent &&
    (ComponentTool.find(ComponentTool.of(agent), id)?.component ??
      (isTeam(outer) ? outer.members.get(id) : undefined) ??
      gone)
}

interface Resuming extends Pick<Deciding, "field"> {
  readonly run: Pick<RunSnapshot, "entries" | "output">
  readonly entry: Json.Object
  readonly component: Inner
  readonly registered: Registered
}

/** Of a run of an agent or a team, and of the runs inside. */
const runsOf = Effect.fnUntraced(function*({ component, entry, field, registered, run }: Resuming) {
  if (!AnyRun.isAgentOrTeam(run.output)) return []
  const runs = yield* InnerContinuation.waitingIn(run.entries, run.output)
  const deciding = yield* Effect.forEach(
    runs,
    ({ names, output, path }) =>
      ownOf(
        { entries: path.reduce(RunJournal.innerEntries, run.entries), output },
        path.reduce(RunJournal.innerEntries, [entry]),
        {
          component: names.reduce<Inner>(innerOf(registered), component),
          registered,
          field: path.length === 0 ? field : "requirements"
        }
      )
  )
  return deciding.flat()
})

type OfExecutors = Omit<Resuming, "field">

/** The agent or the team of a step that waits. */
const executorIn = (
  { component, registered }: Pick<Resuming, "component" | "registered">,
  { executor_id: id, executor_type }: StepRequirement.StepRequirement
): Inner => {
  if (id === undefined) return undefined
  if (component === gone) return gone
  const kind = executor_type === "team" ? "team" : "agent"
  return (isWorkflow(component) ? Executors.find(component, kind, id) : undefined) ?? registeredAs(registered, kind, id)
}

const workflowJournalOf = (entries: Entries) =>
  Effect.map(
    Effect.orDie(WorkflowJournal.decode(entries)),
    (decoded) => WorkflowJournal.make(decoded, () => Effect.void)
  )

/** Of the run of a step, with which it is to be resumed. */
const executorOf = Effect.fnUntraced(
  function*(
    { component, registered }: OfExecutors,
    decided: WorkflowJournal.DecisionOfStep,
    journal: WorkflowJournal.WorkflowJournal,
    { approvals }: ApprovalContext
  ) {
    const key = decided.key ?? journal.openOf(decided.step_id)
    const requirement = key === undefined ? undefined : journal.requirementOf(key)
    if (key === undefined || requirement === undefined || !("executor_requirements" in requirement)) return []
    const { executor_id, executor_requirements: requirements = [], executor_run_id } = requirement
    if (executor_id === undefined || executor_run_id === undefined) return []
    const asker = journal.requesterOf(key)
    const run_id = Run.Id.make(executor_run_id)
    const resuming = yield* ExecutorAnswer.entryOf({
      requirements,
      asker,
      run_id,
      decision: decided.decision,
      execution: {
        attempt: 1,
        journal,
        approvalsOf: (run) => Effect.succeed(approvals.filter((each) => each.run_id === run))
      }
    })
    if (Option.isNone(resuming)) return []
    const executor = executorIn({ component, registered }, requirement)
    const entries = journal.inner(run_id)
    const field = "step_requirements" as const
    return yield* asker === undefined
      ? ownOf({ entries, output: ExecutorAnswer.outputOf(requirements) }, [resuming.value], {
        component: executor,
        registered,
        field
      })
      : runsOf({ run: { entries, output: asker }, entry: resuming.value, component: executor, registered, field })
  }
)

/** Of the runs of all steps that are decided. */
const executorsOf = Effect.fnUntraced(function*(resuming: OfExecutors, context: ApprovalContext) {
  const { entry, run } = resuming
  const [decided] = yield* Effect.orElseSucceed(WorkflowJournal.decode([entry]), () => [])
  if (decided?.kind !== "decided") return []
  const journal = yield* workflowJournalOf(run.entries)
  const deciding = yield* Effect.forEach(
    WorkflowJournal.decisionsIn(decided),
    (each) => executorOf(resuming, each, journal, context)
  )
  return deciding.flat()
})

/** The calls for which a run waits. */
export type Pending = Pick<Deciding, "agent" | "waiting">

type Searched = Pick<Resuming, "component" | "registered" | "run">

const pendingAmong = Effect.fnUntraced(function*({ component, registered, run }: Searched, run_id: Run.Id) {
  if (!AnyRun.isAgentOrTeam(run.output)) return undefined
  const runs = yield* InnerContinuation.waitingIn(run.entries, run.output)
  const found = runs.find(({ output }) => output.run_id === run_id)
  if (found === undefined) return undefined
  return {
    agent: agentOf(found.names.reduce<Inner>(innerOf(registered), component)),
    waiting: pendingCalls(found, yield* Effect.orDie(AgentJournal.decode(found.entries)))
  } satisfies Pending
})

/** Of a run with this id: the given one, or one inside of it. Undefined: it does not wait. */
export const pendingOf = Effect.fnUntraced(function*(
  searched: Searched,
  run_id: Run.Id
): Effect.fn.Return<Pending | undefined> {
  const { run } = searched
  if (!AnyRun.isWorkflow(run.output)) return yield* pendingAmong(searched, run_id)
  const journal = yield* workflowJournalOf(run.entries)
  for (const [key, requirement] of journal.asked()) {
    if (!("executor_requirements" in requirement) || !journal.isOpen(key)) continue
    const { executor_requirements: requirements = [], executor_run_id } = requirement
    const [asker, component] = [journal.requesterOf(key), executorIn(searched, requirement)]
    const entries = journal.inner(Run.Id.make(executor_run_id ?? ""))
    if (asker !== undefined) {
      const found = yield* pendingAmong({ ...searched, component, run: { entries, output: asker } }, run_id)
      if (found !== undefined) return found
    } else if (executor_run_id === run_id) {
      const output = ExecutorAnswer.outputOf(requirements)
      const waiting = pendingCalls({ output }, yield* Effect.orDie(AgentJournal.decode(RunJournal.ownEntries(entries))))
      return { agent: agentOf(component), waiting }
    }
  }
  return undefined
})

/** `entry`: with which the run is to be resumed. */
export const of = (
  component: object,
  run: RunSnapshot,
  entry: Json.Object | undefined,
  { context, registered }: { readonly context: ApprovalContext; readonly registered: Registered }
): Effect.Effect<ReadonlyArray<Deciding>> => {
  if (entry === undefined || !isComponent(component)) return Effect.succeed([])
  const resuming = { component, entry, registered, run }
  return AnyRun.isWorkflow(run.output)
    ? executorsOf(resuming, context)
    : runsOf({ ...resuming, field: AnyRun.isTeam(run.output) ? "requirements" : "tools" })
}

/** A run follows the first decision on a call. `others`: the calls that wait for another one. */
export const tooLate = (
  { status, tool_name }: Approval.Approval,
  others: ReadonlyArray<ToolExecution.ToolExecution> = []
) =>
  new ContinueRejected({
    reason: "decided",
    message: `The approval of ${tool_name} has been ${status} by now, and the run follows it. ` +
      (others.length === 0
        ? "Continue the run without a decision on it"
        : `Leave it out, and send a decision on each other call: ${
          NameList.first(others.map(({ tool_call_id, tool_name }) => `${tool_name} (${tool_call_id})`))
        }`)
  })

/** The pending approvals in whose place the caller decides. Fails if one of them is resolved. */
export const approvalsOf = Effect.fnUntraced(function*(
  deciding: ReadonlyArray<Deciding>,
  { approvals, approver }: ApprovalContext,
  at: EpochSeconds
) {
  const decided: Array<DecidedApproval> = []
  const isResolved = ({ requirement, tool }: Waiting) =>
    approvals.some((one) => isDecided(one) && Approval.isAbout(one, tool, requirement))
  for (const approval of approvals) {
    if (approval.approval_type !== "required") continue
    // a call that waits again was approved before
    const isAbout = ({ isAgain, requirement, tool }: Waiting) =>
      !isAgain && Approval.isAbout(approval, tool, requirement)
    const calls = deciding.flatMap(({ decisions, waiting }) =>
      waiting.filter(isAbout).flatMap(({ call, tool }) =>
        decisions.flatMap((decision) =>
          decision.call === call && decision.resolved_by !== undefined ? [{ decision, tool }] : []
        )
      )
    )
    if (calls.length === 0) continue
    if (isDecided(approval)) {
      const others = deciding.flatMap(({ waiting }) => waiting.filter((each) => !isResolved(each)))
      return yield* tooLate(approval, others.map(({ tool }) => tool))
    }
    // one that is expired or cancelled stays as it is
    if (approval.status !== "pending") continue
    // an approval of several calls is approved if one of them is
    const isApproved = calls.some(({ decision }) => RunApprovals.decisionStatus(decision) === "approved")
    decided.push({
      id: approval.id,
      status: isApproved ? "approved" : "rejected",
      resolved_by: approver?.user_id ?? null,
      resolution_data: ApprovalData.recordOf(calls),
      at
    })
  }
  return decided
})
