// What every transport does to go on with a run that waits for people, or has failed: whose word counts, whether it
// can go on at all, and going on.
import { CurrentPrincipal, Errors } from "@svc/api"
import { Approval, type Json, Principal, Run, Session } from "@svc/domain"
import {
  type AgentContinuation,
  type ApprovalStore,
  type Component,
  ContinueRejected,
  now,
  type Resolved,
  type RunEngine,
  type RunFilter,
  type RunSnapshot,
  type StoredRuns
} from "@svc/runtime"
import { Effect, Option, type Scope } from "effect"
import * as Caller from "../authorization/Caller.ts"
import { runNotFound, storageUnavailable } from "../WireErrors.ts"

const rejected = (reason: ContinueRejected["reason"], message: string) => new ContinueRejected({ reason, message })

const heldUp = () => rejected("forbidden", "This run requires admin approval before it can be continued")

/** Undefined of those who may not approve: they have no scope for it, or could allow nothing but what they have asked for. */
export const approverOf = (principal: Principal.Principal): AgentContinuation.Approver | undefined =>
  Principal.may(principal, "approvals:write") && Approval.canResolve(principal)
    ? { user_id: principal.user_id ?? null }
    : undefined

/** Who may not approve has to wait for somebody who may. A team's run goes by the approvals of its members' runs as well. */
export const rulingOf = Effect.fnUntraced(function*(
  approvals: ApprovalStore["Service"],
  ...runs: ReadonlyArray<Run.Id>
) {
  const principal = yield* CurrentPrincipal
  const approver = approverOf(principal)
  const at = yield* now
  const kept = yield* Effect.forEach(runs, (run) => Effect.mapError(approvals.listByRun(run, at), storageUnavailable))
  const of = kept.flat()
  const isHeldUp = of.some(({ approval_type, status }) => approval_type === "required" && status === "pending")
  if (isHeldUp && approver === undefined) return yield* heldUp()
  const ruling: AgentContinuation.ApprovalContext = { approvals: of, approver }
  return ruling
})

export interface Named {
  readonly component: NonNullable<RunFilter["component"]>
  readonly run_id: Run.Id
  readonly session_id: string | undefined
}

/** The run, in the session that the caller names, or that the caller's token is for. */
export const restingOf = Effect.fnUntraced(function*(
  runs: StoredRuns["Service"],
  { component, run_id, session_id }: Named
) {
  const session = (yield* CurrentPrincipal).session_id ?? session_id
  if (session === undefined) return yield* Errors.badRequest("session_id is required for this action")
  const filter: RunFilter = { owner: yield* Caller.ownerOf(undefined), component }
  const found = yield* Effect.mapError(runs.snapshot(Session.Id.make(session), run_id, filter), storageUnavailable)
  if (Option.isNone(found)) return yield* runNotFound()
  return { resting: found.value, filter }
})

/** Whether it stands where somebody can say something, or try once more. */
export const canGoOn = Run.isContinuable

/** Why a run cannot go on. */
export const conflictOf = ({ run_id, status }: RunSnapshot, isSaid: boolean) => {
  if (Run.isUnderWay(status)) return rejected("notPaused", `Cannot continue run ${run_id}: run is already running`)
  if (status === "CANCELLED") return rejected("notPaused", `Cannot continue run ${run_id}: run is cancelled`)
  // said twice, or too late: it must not become a new run that says it once more
  return isSaid && status !== "PAUSED"
    ? rejected("notPaused", `Cannot continue run ${run_id} with tools: it does not wait for any of them`)
    : undefined
}

export interface Entering<E, R> {
  readonly resting: RunSnapshot
  /** That it goes on with. */
  readonly entry: Json.Object
  /** The component of the run, which may take a factory. */
  readonly resolved: Effect.Effect<Resolved<Component>, E, R | Scope.Scope>
  readonly stream: boolean
  readonly background: boolean
  /** Undefined when the request has no idempotency key. */
  readonly claim?: string | undefined
}

/** The same run goes on with an entry. None when another request has resumed it first. */
export const goOn = Effect.fnUntraced(function*<E, R>(
  engine: RunEngine["Service"],
  { background, claim, entry, resolved, resting, stream }: Entering<E, R>
) {
  return yield* Effect.scoped(
    Effect.flatMap(
      resolved,
      (resolved) =>
        Effect.mapError(engine.continue({ resting, entry, stream, background, resolved, claim }), storageUnavailable)
    )
  )
})

/** Another request has resumed the run. */
export const resumedByAnother = ({ run_id }: Pick<RunSnapshot, "run_id">) =>
  rejected("conflict", `Cannot continue run ${run_id}: somebody else has just done so`)
