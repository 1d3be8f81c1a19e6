// Continues runs of every kind of component. A paused run is resumed with decisions, a failed one from its last
// finished step. A run that has ended is forked. Of several requests one continues the run; the others are rejected.
import type * as Approval from "@svc-runtime/domain/Approval"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import {
  type ApprovalContext,
  approvalContextFor,
  type DecidedApproval,
  isDecided
} from "@svc-runtime/engine/approval/ApprovalContext"
import type { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import type { IdempotencyKey } from "@svc-runtime/engine/idempotency/IdempotencyClaim"
import type { IdempotencyStore } from "@svc-runtime/engine/idempotency/IdempotencyStore"
import { bytesOf } from "@svc-runtime/engine/limits/ByteLimits"
import { NewId } from "@svc-runtime/engine/NewId"
import { now } from "@svc-runtime/engine/now"
import { type Continuation, inSentField, refusingStatus } from "@svc-runtime/engine/run/Continuation"
import { ContinueRejected } from "@svc-runtime/engine/run/ContinueRejected"
import type { RunEngine } from "@svc-runtime/engine/run/engine/RunEngine"
import { RunNotFound } from "@svc-runtime/engine/run/RunErrors"
import { refOf, type RunHandle } from "@svc-runtime/engine/run/RunHandle"
import * as SessionLimit from "@svc-runtime/engine/run/SessionLimit"
import type { RunFilter, RunSnapshot } from "@svc-runtime/engine/run/store/RunReads"
import type { StoredRuns } from "@svc-runtime/engine/run/store/StoredRuns"
import * as RunContextOptions from "@svc-runtime/engine/RunContextOptions"
import { Effect, Option, Predicate, type Scope } from "effect"
import { isFactory } from "../factory/Factory.ts"
import { factoryRun } from "../factory/FactoryContext.ts"
import * as FactoryInput from "../factory/FactoryInput.ts"
import { modules } from "../modules/ComponentModules.ts"
import * as ChangedSteps from "../workflow/execute/ChangedSteps.ts"
import * as EnteredValues from "../workflow/pause/EnteredValues.ts"
import * as Caller from "./Caller.ts"
import type { ClaimedFields } from "./ClaimedFields.ts"
import * as ComponentResolution from "./ComponentResolution.ts"
import type { AnyComponent, ComponentRef, Components, Registered } from "./Components.ts"
import * as ContinueClaim from "./ContinueClaim.ts"
import type { ContinueError, ContinueRequest } from "./ContinueRequest.ts"
import type { Continuing } from "./Continuing.ts"
import * as DecidingRuns from "./DecidingRuns.ts"
import type { EditedArguments } from "./EditedArguments.ts"
import * as RunFork from "./RunFork.ts"
import * as RunInputChecks from "./RunInputChecks.ts"
import * as RunPermission from "./RunPermission.ts"
import { SessionIdRequired } from "./RunServiceErrors.ts"
import * as StoredRun from "./StoredRun.ts"
import type { VersionOf, VersionShares } from "./VersionShares.ts"
import type { RunQuery } from "./VisibleRuns.ts"

export interface Dependencies {
  readonly approvals: ApprovalStore["Service"]
  readonly claimed: ClaimedFields["Service"]
  readonly scopes: RunPermission.RunScopes["Service"]
  readonly components: Components
  readonly edited: EditedArguments
  readonly engine: RunEngine["Service"]
  readonly idempotency: IdempotencyStore["Service"]
  readonly runs: StoredRuns["Service"]
  readonly resolution: ComponentResolution.Options
  /** Undefined: no component has shares of versions. */
  readonly shares: VersionShares["Service"] | undefined
}

/** A fork starts a run of its own, so a decision would be lost. */
const decidedFork = Effect.fail(
  new ContinueRejected({ reason: "malformed", message: "A request that forks or regenerates a run takes no decisions" })
)

const damaged = ({ run_id }: RunSnapshot, damage: string) =>
  Effect.fail(
    new ContinueRejected({ reason: "conflict", message: `Run with id '${run_id}' cannot be continued: ${damage}` })
  )

/** Decisions are about other steps of a workflow, too, if some that wait are sent beside the one with the call. */
const needsApproval = (
  { kind }: RunSnapshot,
  decisions: ContinueRequest["decisions"],
  pending: ReadonlyArray<Approval.Approval>
) => {
  const sent = Object.values(decisions).flatMap((list) => Array.isArray(list) ? list : [])
  const waiting = sent.filter((each) => !Predicate.hasProperty(each, "resolved") || each.resolved !== true)
  const names = pending.flatMap(({ tool_name }) => tool_name === null ? [] : [`'${tool_name}'`])
  const others = kind === "workflow" && waiting.length > 1 && names.length > 0
    ? `: ${names.join(", ")} ${names.length === 1 ? "waits" : "wait"} for it. The other steps can be decided if its ` +
      "step is left out"
    : ""
  return new ContinueRejected({
    reason: "forbidden",
    message: `This run requires admin approval before it can be continued${others}`
  })
}

/** Decisions are kept whole with the run. Undefined if each list of them fits. */
const tooLarge = (decisions: ContinueRequest["decisions"], limit: number): ContinueRejected | undefined =>
  Object.values(decisions).some((list) => list !== undefined && bytesOf(JSON.stringify(list)) > limit)
    ? new ContinueRejected({
      reason: "malformed",
      message: `The decisions are larger than ${limit} bytes (MAX_JSON_BYTES)`
    })
    : undefined

const anotherInput = ({ run_id }: RunSnapshot) =>
  Effect.fail(
    new ContinueRejected({
      reason: "conflict",
      message: `Run with id '${run_id}' cannot be continued: factory_input is not that with which the run started`
    })
  )

/** The input of the factory. One that a request sends is only a repetition: decisions are about the run's own. */
const inputOf = Effect.fnUntraced(function*(
  registered: Registered,
  run: RunSnapshot,
  given: FactoryInput.FactoryInput = FactoryInput.none
) {
  if (!isFactory(registered)) return FactoryInput.none
  // a run that has ended keeps no input, and is refused later
  if (Run.isContinuable(run.status) && (yield* FactoryInput.differs(given, run, registered.inputSchema))) {
    return yield* anotherInput(run)
  }
  return FactoryInput.ofContinued(given, run, registered.continueInput)
})

const checkGiven = (component: AnyComponent, run: RunSnapshot, request: ContinueRequest) => {
  const changed = RunContextOptions.changed(run, request)
  return changed === undefined
    ? Effect.void
    : Effect.mapError(RunInputChecks.ofMetadata(component, changed), RunInputChecks.rejected)
}

export const make = (
  { approvals, claimed, components, edited, engine, idempotency, resolution, runs, scopes, shares }: Dependencies
) => {
  const { fork, forked } = RunFork.make({ claimed, engine, runs })

  const snapshotOf = Effect.fnUntraced(function*(session_id: Session.Id, run_id: Run.Id, filter: RunFilter) {
    const found = yield* runs.snapshot(session_id, run_id, filter)
    return Option.isSome(found) ? found.value : yield* new RunNotFound({ run_id })
  })

  /** A caller who may not approve waits until another person has decided. */
  const approvalsOf = Effect.fnUntraced(function*(
    { caller, decisions }: Pick<ContinueRequest, "caller" | "decisions">,
    continuation: Continuation,
    run: RunSnapshot
  ) {
    const at = yield* now
    const component = { kind: run.kind, id: run.component_id }
    const context = yield* approvalContextFor(
      (id) => approvals.listByRun(id, at, run.database),
      yield* continuation.runsWithApprovals(run, decisions),
      RunPermission.allows(caller.principal, component, "approve", scopes) ? Caller.approver(caller) : undefined
    )
    const pending = context.approvals.filter(({ approval_type, status }) =>
      approval_type === "required" && status === "pending"
    )
    if (pending.length === 0 || context.approver !== undefined) return context
    return yield* needsApproval(run, decisions, pending)
  })

  /**
   * Of a component whose versions have shares, the new run has the version of the other one, whose instructions are
   * among its messages. It has that of its session if there is no such version any more, or if it can change.
   */
  const ofFork = Effect.fnUntraced(function*(
    { component_version: version }: RunSnapshot,
    ref: ComponentRef,
    caller: Parameters<VersionOf>[0]
  ) {
    const versionOf = shares?.of(ref)
    if (versionOf === undefined) return yield* components.find(ref)
    const same = version === undefined ? Option.none() : yield* Effect.option(components.find(ref, version))
    return Option.isSome(same) && same.value.component_versions?.draft === undefined
      ? same.value
      : yield* components.find(ref, versionOf(caller))
  })

  const stored = ({ filter, run }: Continuing) => StoredRun.repeated(engine, refOf(run), filter)

  /** An equal request with the same key may have resumed the run a moment ago: both get the same run. */
  const sharedRun = Effect.fnUntraced(function*(continuing: Continuing, replaced: ReadonlyArray<DecidedApproval>) {
    const { claim, continuation, filter, run } = continuing
    const current = yield* runs.snapshot(run.session_id, run.run_id, filter)
    const isShared = Option.exists(current, (run) => ContinueClaim.hasResumed(claim, run))
    const shared = isShared ? yield* stored(continuing) : Option.none()
    if (Option.isSome(shared)) return shared.value
    for (const { at, id } of replaced) {
      const approval = yield* Effect.option(approvals.get(id, Owner.anyone, at))
      if (Option.isSome(approval) && isDecided(approval.value)) return yield* DecidingRuns.tooLate(approval.value)
    }
    return yield* continuation.resumedByAnother(Option.getOrElse(current, () => run))
  })

  const resume = Effect.fnUntraced(function*(continuing: Continuing, context: ApprovalContext) {
    const { claim: { claim_id: claim }, component, continuation, request, run } = continuing
    const { background, stream } = request
    if (run.damage !== undefined) return yield* damaged(run, run.damage)
    const oversized = tooLarge(request.decisions, resolution.maxInputBytes)
    if (oversized !== undefined) return yield* oversized
    const decided = yield* continuation.plan(run, request, context)
    const resolved = yield* component
    yield* checkGiven(resolved.component, run, request)
    yield* ChangedSteps.check(resolved.component, run)
    const deciding = yield* DecidingRuns.of(resolved.component, run, decided, {
      context,
      registered: components.registered
    })
    const replaced = yield* DecidingRuns.approvalsOf(deciding, context, yield* now)
    yield* edited.check(deciding)
    yield* EnteredValues.check(resolved.component, run, decided)
    // without an entry the request gives the run nothing
    const entry = decided && { ...decided, ...SessionLimit.encode(SessionLimit.ofCaller(request.caller.principal)) }
    const handle = yield* engine.continue({
      snapshot: run,
      entry,
      decided: replaced,
      stream,
      background,
      resolved,
      claim
    })
    if (Option.isNone(handle)) return yield* sharedRun(continuing, replaced)
    for (const { id, resolved_by, status } of replaced) {
      yield* Effect.logInfo(`An approval was resolved as ${status} by the caller who continued its run`).pipe(
        Effect.annotateLogs({ approval_id: id, actor: resolved_by })
      )
    }
    return handle.value
  })

  /** The run of an earlier request with the same key. None when that request has done nothing: this one is executed. */
  const repeated = (continuing: Continuing) => {
    const { claim, request, run } = continuing
    if (!claim.isRetry) return Effect.succeedNone
    if (claim.subject.run_id !== run.run_id) {
      return request.fork === undefined ? Effect.succeedNone : forked(continuing, request.fork)
    }
    return ContinueClaim.hasResumed(claim, run) ? stored(continuing) : Effect.succeedNone
  }

  /** The run that an approval has resumed: the request has nothing to decide and asks for the result. */
  const approved = (continuing: Continuing, context: ApprovalContext) => {
    const { continuation, request: { decisions, fork, input }, run } = continuing
    const isForking = fork !== undefined && RunFork.isRequested(fork)
    const asksForResult = !Run.isContinuable(run.status) && !continuation.hasDecisions(decisions) &&
      input === undefined &&
      !isForking && continuation.wasApproved(run, context.approvals)
    return asksForResult ? stored(continuing) : Effect.succeedNone
  }

  const execute = Effect.fnUntraced(
    function*(
      continuing: Continuing,
      context: ApprovalContext
    ): Effect.fn.Return<RunHandle | StoredRun.RepeatedRun, ContinueError, Scope.Scope> {
      const { claim, continuation, request, run } = continuing
      const known = yield* repeated(continuing)
      if (Option.isSome(known)) return known.value
      const result = yield* approved(continuing, context)
      if (Option.isSome(result)) return result.value
      const conflict = continuation.conflictOf(run, request.decisions)
      if (conflict !== undefined) return yield* conflict
      if (request.fork !== undefined && claim.subject.run_id !== run.run_id) {
        if (continuation.hasDecisions(request.decisions)) return yield* decidedFork
        return yield* fork(continuing, request.fork)
      }
      if (Run.isContinuable(run.status)) {
        return yield* Effect.catchTag(
          resume(continuing, context),
          "ContinueRejected",
          (error) => Effect.fail(inSentField(request.decisions)(error))
        )
      }
      const ended = request.fork === undefined ? yield* stored(continuing) : Option.none()
      return Option.isSome(ended) ? ended.value : yield* continuation.resumedByAnother(run)
    }
  )

  return {
    refusingStatus: Effect.fn("RunService.refusingStatus")(function*(query: RunQuery) {
      const { caller: { owner }, component, run_id, session_id } = query
      return refusingStatus(yield* snapshotOf(session_id, run_id, { owner, component }))
    }),
    wasContinued: Effect.fn("RunService.wasContinued")(function*(query: RunQuery, key: IdempotencyKey) {
      const { caller: { owner }, component, run_id, session_id } = query
      yield* components.known(component)
      const run = yield* snapshotOf(session_id, run_id, { owner, component })
      const claim = yield* ContinueClaim.make(idempotency, key, { run_id, session_id })
      if (!claim.isRetry) yield* claim.release
      return ContinueClaim.hasResumed(claim, run)
    }),
    continue: Effect.fn("RunService.continue")(function*(request: ContinueRequest) {
      const { caller, component: ref, fork, key, run_id } = request
      const { owner, principal } = caller
      yield* RunPermission.check(principal, ref, "continue", scopes)
      yield* components.known(ref)
      const user_id = (yield* Caller.ownerOfNew(principal, request.user_id)) ?? undefined
      const session_id = principal.session_id ?? request.session_id
      if (session_id === undefined) return yield* new SessionIdRequired()
      const filter: RunFilter = { owner, component: ref }
      const run = yield* snapshotOf(Session.Id.make(session_id), run_id, filter)
      const { asksFactory, continuation } = modules[run.kind]
      const context = yield* approvalsOf(request, continuation, run)
      const metadata = { ...RunContextOptions.stored(run), ...RunContextOptions.requested(request) }
      const factoryRequest = { caller, user_id, session_id, metadata, run: factoryRun(run) }
      const startsRun = fork !== undefined && (RunFork.isRequested(fork) || !Run.isContinuable(run.status))
      const resolved = Effect.flatMap(
        startsRun ? ofFork(run, ref, { session_id, user_id: run.user_id ?? user_id }) : components.ofRun(run),
        (found) =>
          inputOf(found.registered, run, request.factoryInput).pipe(
            Effect.flatMap((input) => ComponentResolution.resolve(resolution, found, { ...factoryRequest, input })),
            Effect.interruptible
          )
      )
      // such a factory may also refuse a caller who only gets the stored run
      const isAsked = asksFactory && components.registered(ref) !== undefined
      const component = isAsked ? Effect.succeed(yield* resolved) : resolved
      const claim = yield* ContinueClaim.make(idempotency, key, {
        run_id: startsRun ? Run.Id.make((yield* NewId)()) : run_id,
        session_id: run.session_id
      })
      const continuing: Continuing = { request, continuation, filter, run, claim, component }
      return yield* ContinueClaim.releaseOnFailure(execute(continuing, context), claim)
    }, Effect.scoped)
  }
}
