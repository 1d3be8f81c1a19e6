// What resolving an approval does to the run that waits for it: it goes on, unless it waits for something else as well.
// Whoever started it continues it with nothing to say, and sees what has come of it. A factory that cannot make the run's
// agent for nobody leaves the run as it is, for somebody to continue.
import { Agent, AnyRun, type Approval, type Json, Owner, Requirement, type Run, type Session, Team } from "@svc/domain"
import {
  AgentContinuation,
  type AgentRegistry,
  type ApprovalStore,
  type Database,
  FactoryInput,
  type FactoryResolver,
  now,
  type Resting,
  type RunEngine,
  type StorageUnavailable,
  TeamContinuation,
  type TeamRegistry,
  untrusted
} from "@svc/runtime"
import { Effect, Option } from "effect"

export interface Services {
  readonly agents: AgentRegistry["Service"]
  readonly teams: TeamRegistry["Service"]
  readonly resolver: FactoryResolver["Service"]
  readonly engine: RunEngine["Service"]
  readonly approvals: ApprovalStore["Service"]
  readonly database: Database
}

/** A run inside of another one goes on with that. */
const outermost = Effect.fnUntraced(function*(runs: Database["runs"], session: Session.Id, run: Run.Id) {
  let id: Run.Id | undefined = run
  let found: Resting | undefined
  while (id !== undefined) {
    found = Option.getOrUndefined(yield* runs.rest(session, id, { owner: Owner.anyone }))
    id = found !== undefined && AnyRun.isSpoken(found.output) ? found.output.parent_run_id : undefined
  }
  return found
})

/** Each member of a team may wait for an approval of its own. */
const planOfTeam = Effect.fnUntraced(function*(store: Services["approvals"], run: Resting) {
  const at = yield* now
  const kept = yield* Effect.forEach(
    [run.run_id, ...TeamContinuation.approvedRuns(run)],
    (id) => store.of(id, at)
  )
  const approvals = kept.flat().filter(AgentContinuation.isDecided)
  const decided = new Set<string | null>(approvals.map(({ id }) => id))
  const waits = (run.output.requirements ?? []).filter(Requirement.isOpen)
  return waits.every(({ tool_execution }) => decided.has(tool_execution.approval_id))
    ? yield* Effect.option(
      TeamContinuation.plan(run, { requirements: undefined, input: undefined }, { approvals, mayApprove: false })
    )
    : Option.none()
})

/** None when it waits for something else as well. */
const planOf = (
  store: Services["approvals"],
  run: Resting,
  approval: Approval.Approval
): Effect.Effect<Option.Option<Json.Object>, StorageUnavailable> => {
  switch (run.kind) {
    case "agent": {
      const ruling = { approvals: [approval], mayApprove: false }
      return Effect.option(AgentContinuation.plan(run, { tools: undefined, input: undefined }, ruling))
    }
    case "team":
      return planOfTeam(store, run)
    case "workflow":
      return Effect.succeedNone
  }
}

export const goOn = Effect.fnUntraced(function*(
  { agents, approvals, database: { runs }, engine, resolver, teams }: Services,
  approval: Approval.Approval
) {
  const found = yield* outermost(runs, approval.session_id, approval.run_id)
  if (found === undefined || found.status !== "PAUSED") return
  const entry = yield* planOf(approvals, found, approval)
  if (Option.isNone(entry)) return
  const caller = { userId: found.user_id, sessionId: found.session_id, trusted: untrusted, request: null }
  const asked = { ...caller, input: FactoryInput.ofRun(found) }
  const resolved = yield* found.kind === "agent"
    ? Effect.flatMap(agents.find(Agent.Id.make(found.component_id)), (agent) => resolver.resolve(agent, asked))
    : Effect.flatMap(teams.find(Team.Id.make(found.component_id)), (team) => resolver.resolve(team, asked))
  yield* engine.continue({ resting: found, entry: entry.value, stream: false, background: true, resolved })
}, Effect.scoped)
