// What resolving an approval does to the run that waits for it: it goes on, unless it waits for something else as well.
// Whoever started it continues it with nothing to say, and sees what has come of it. A factory that cannot make the run's
// agent for nobody leaves the run as it is, for somebody to continue.
import { Agent, AnyRun, type Approval, Owner, Requirement, Run, type Session, Team, Workflow } from "@svc/domain"
import {
  AgentContinuation,
  type AgentRegistry,
  type ApprovalStore,
  type Database,
  ExecutorApprovals,
  FactoryInput,
  type FactoryResolver,
  factoryRun,
  now,
  type RunEngine,
  type RunSnapshot,
  StorageUnavailable,
  TeamContinuation,
  type TeamRegistry,
  untrusted,
  type WorkflowRegistry
} from "@svc/runtime"
import { Effect, Option } from "effect"

export interface Services {
  readonly agents: AgentRegistry["Service"]
  readonly teams: TeamRegistry["Service"]
  readonly workflows: WorkflowRegistry["Service"]
  readonly resolver: FactoryResolver["Service"]
  readonly engine: RunEngine["Service"]
  readonly approvals: ApprovalStore["Service"]
  readonly database: Database
}

/** A run inside of another one goes on with that. */
const outermost = Effect.fnUntraced(function*(runs: Database["runs"], session: Session.Id, run: Run.Id) {
  let id: Run.Id | undefined = run
  let found: RunSnapshot | undefined
  while (id !== undefined) {
    found = Option.getOrUndefined(yield* runs.snapshot(session, id, { owner: Owner.anyone }))
    id = found !== undefined && AnyRun.isAgentOrTeam(found.output) ? found.output.parent_run_id : undefined
  }
  return found
})

const inSession = Effect.fnUntraced(function*(runs: Database["runs"], session: Session.Id, status: Run.Status) {
  const found = runs.list(session, { owner: Owner.anyone, status }).pipe(
    Effect.catchTag("AnswerTooLarge", (cause) => Effect.fail(new StorageUnavailable({ cause })))
  )
  return Option.getOrElse(yield* found, () => [])
})

/** A run that does a step of a workflow is kept in the workflow's, which waits for it. */
const around = Effect.fnUntraced(function*(runs: Database["runs"], session: Session.Id, run: Run.Id) {
  const paused = yield* inSession(runs, session, "PAUSED")
  const found = paused.find((each) => ExecutorApprovals.awaitedIn(each).some(({ runs }) => runs.includes(run)))
  const filter = { owner: Owner.anyone, status: "PAUSED" }
  return found === undefined ? undefined : Option.getOrUndefined(yield* runs.snapshot(session, found.run_id, filter))
})

/**
 * The run that has to go on, or whether it may yet be found: as long as others in a team or in a workflow are at work, it
 * is not known what waits inside of it. That is asked first, so that one which pauses meanwhile is found after it.
 */
const search = Effect.fnUntraced(function*(runs: Database["runs"], session: Session.Id, run: Run.Id) {
  const known = yield* outermost(runs, session, run)
  if (known !== undefined) return known
  const isAnyAtWork = (yield* inSession(runs, session, "RUNNING")).length > 0
  return (yield* outermost(runs, session, run)) ?? (yield* around(runs, session, run)) ??
    (isAnyAtWork ? "later" : "never")
})

/** What is decided of the run, and of those inside of it: each member of a team may wait for an approval of its own. */
const rulingOf = Effect.fnUntraced(function*(store: Services["approvals"], run: RunSnapshot) {
  const at = yield* now
  const kept = yield* Effect.forEach(
    [run.run_id, ...TeamContinuation.approvedRuns(run)],
    (id) => store.listByRun(id, at)
  )
  const ruling: AgentContinuation.ApprovalContext = {
    approvals: kept.flat().filter(AgentContinuation.isDecided),
    approver: undefined
  }
  return ruling
})

const waitsOf = ({ output }: Pick<RunSnapshot, "output">) => (output.requirements ?? []).filter(Requirement.isOpen)

const unsaid = { tools: undefined, requirements: undefined, input: undefined }

/** None when it waits for something else as well. */
const spokenPlanOf = Effect.fnUntraced(function*(run: RunSnapshot, ruling: AgentContinuation.ApprovalContext) {
  const decided = new Set<string | null>(ruling.approvals.map(({ id }) => id))
  if (!waitsOf(run).every(({ tool_execution }) => decided.has(tool_execution.approval_id))) return Option.none()
  if (run.kind === "agent") return yield* Effect.option(AgentContinuation.plan(run, unsaid, ruling))
  return (yield* TeamContinuation.isSettled(run, ruling))
    ? yield* Effect.option(TeamContinuation.plan(run, unsaid, ruling))
    : Option.none()
})

/** A workflow is told nothing: its steps look at their approvals when it goes on. */
const planOf = Effect.fnUntraced(function*(store: Services["approvals"], run: RunSnapshot) {
  if (run.kind !== "workflow") return yield* spokenPlanOf(run, yield* rulingOf(store, run))
  const at = yield* now
  const canGoOn = yield* ExecutorApprovals.canResume(run, (inside) => store.listByRun(inside, at))
  return canGoOn ? Option.some(undefined) : Option.none()
})

/**
 * Has a run go on with what was decided, if it waits for nothing else. Gives whether that is done with: a run that others
 * in it are still at work for has to be looked at once more when it has paused.
 */
export const goOn = Effect.fnUntraced(function*(
  { agents, approvals, database: { runs }, engine, resolver, teams, workflows }: Services,
  { run_id, session_id }: Pick<Approval.Approval, "run_id" | "session_id">
) {
  const found = yield* search(runs, session_id, run_id)
  if (found === "later" || found === "never") return found === "never"
  if (found.status !== "PAUSED") return !Run.isUnderWay(found.status)
  const entry = yield* planOf(approvals, found)
  if (Option.isNone(entry)) return true
  const caller = { userId: found.user_id, sessionId: found.session_id, trusted: untrusted, request: null }
  const asked = { ...caller, run: factoryRun(found), input: FactoryInput.ofRun(found) }
  const { component_id, kind } = found
  const made = {
    agent: Effect.flatMap(agents.find(Agent.Id.make(component_id)), (agent) => resolver.resolve(agent, asked)),
    team: Effect.flatMap(teams.find(Team.Id.make(component_id)), (team) => resolver.resolve(team, asked)),
    workflow: Effect.flatMap(workflows.find(Workflow.Id.make(component_id)), (flow) => resolver.resolve(flow, asked))
  }
  const resolved = yield* made[kind]
  yield* engine.continue({ resting: found, entry: entry.value, stream: false, background: true, resolved })
  return true
}, Effect.scoped)

/** Whether a run waits for an approval, which may have been resolved before it paused: others in it were at work. */
export const isAwaiting = (output: AnyRun.Output): boolean =>
  waitsOf({ output }).some(({ tool_execution }) => tool_execution.approval_id !== null) ||
  ExecutorApprovals.awaitedIn(output).length > 0
