// Resumes runs whose approvals are resolved: at once where an approval is resolved, and by the background loop of any
// node if that failed or the node stopped. The store knows which resumes are pending. A run is resumed once, because
// acquiring its lease is fenced by its attempt.
import type * as Approval from "@svc-runtime/domain/Approval"
import * as Monotonic from "@svc-runtime/domain/Monotonic"
import * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { ApprovalStore, PendingResume } from "@svc-runtime/engine/approval/ApprovalStore"
import * as BackgroundLoops from "@svc-runtime/engine/node/BackgroundLoops"
import { now } from "@svc-runtime/engine/now"
import type { Guest } from "@svc-runtime/engine/run/engine/Guest"
import { RunEngine } from "@svc-runtime/engine/run/engine/RunEngine"
import { RunLog } from "@svc-runtime/engine/run/store/RunLog"
import type { RunReading } from "@svc-runtime/engine/run/store/RunReading"
import { Cause, Context, Duration, Effect, FiberMap, Layer, type Scope, Semaphore } from "effect"
import type { AgentRegistry } from "../agent/define/AgentRegistry.ts"
import type { StoredComponents } from "../component/StoredComponents.ts"
import type { FactoryResolver } from "../factory/FactoryResolver.ts"
import type { TeamRegistry } from "../team/TeamRegistry.ts"
import type { WorkflowRegistry } from "../workflow/WorkflowRegistry.ts"
import * as ApprovedRun from "./ApprovedRun.ts"

const pollInterval = "1 second"

/** Pending resumes that are read at once. */
const pageSize = 100

/** Runs that are resumed at once in the background. One whose factory hangs occupies a permit until its timeout. */
const maxResuming = 32

/** After the last event of any run: only the status is of interest. */
const afterLastEvent = 2_147_483_647

export class ApprovalResumer extends Context.Service<ApprovalResumer, {
  /** Returns when the run is resumed, or cannot be resumed now. If that can change, it is tried again later. */
  readonly resume: (pending: PendingResume) => Effect.Effect<void>
}>()("@svc-runtime/agents/runService/ApprovalResumer") {
  static readonly layer: Layer.Layer<
    ApprovalResumer,
    never,
    | AgentRegistry
    | ApprovalStore
    | FactoryResolver
    | RunEngine
    | RunLog
    | RunReading
    | StoredComponents
    | TeamRegistry
    | WorkflowRegistry
  > = Layer.effect(ApprovalResumer, Effect.suspend(() => make))
}

const firstPauseMillis = 5000
const maxPauseMillis = 300_000

/** The delays before failed resumes are retried. A delay doubles with each failure. */
const makeRetries = () => {
  const retries = new Map<Run.Id, { readonly failures: number; readonly notBefore: number }>()
  return {
    /** Milliseconds until it is tried again. */
    failed: (run: Run.Id) =>
      Effect.map(Monotonic.millis, (time) => {
        const failures = (retries.get(run)?.failures ?? 0) + 1
        const pause = Math.min(maxPauseMillis, firstPauseMillis * 2 ** (failures - 1))
        retries.set(run, { failures, notBefore: time + pause })
        return pause
      }),
    isDue: (run: Run.Id, time: number): boolean => (retries.get(run)?.notBefore ?? 0) <= time,
    forget: (run: Run.Id): void => void retries.delete(run),
    /** Forgets the other runs: another node resumed them, or they ended. */
    keep: (pending: ReadonlySet<Run.Id>): void => {
      for (const run of retries.keys()) if (!pending.has(run)) retries.delete(run)
    }
  }
}

/** The pending resumes of one root run. */
interface RootResume {
  readonly root: Run.Id
  readonly session_id: Session.Id
  readonly approvals: ReadonlyArray<Approval.Id>
}

const byRoot = (pending: ReadonlyArray<PendingResume>): ReadonlyArray<RootResume> =>
  [...Map.groupBy(pending, ({ root_run_id }) => root_run_id)].flatMap(([root, all]) => {
    const [first] = all
    return root === null || first === undefined
      ? []
      : [{ root, session_id: first.session_id, approvals: all.map(({ id }) => id) }]
  })

/** Runs that are neither stored nor inside a stored run cannot be resumed. */
const withoutRoot = (pending: ReadonlyArray<PendingResume>): ReadonlyArray<Approval.Id> =>
  pending.flatMap(({ id, root_run_id }) => root_run_id === null ? [id] : [])

/** The jobs that wake the other runs are executed by services. */
const wakesOf = (guest: Guest, time: number): ReadonlyArray<RootResume> =>
  [...guest.paused].flatMap(([root, { session_id, wakes }]) =>
    wakes.some((wake) => wake <= time) ? [{ root, session_id, approvals: [] }] : []
  )

const statusesOf = (log: RunLog["Service"], roots: ReadonlyArray<RootResume>) =>
  Effect.map(
    log.pollEvents(roots.map(({ root }) => ({ run_id: root, after: afterLastEvent })), 1),
    (found) => new Map(found.map(({ run_id, status }) => [run_id, status]))
  )

const make: Effect.Effect<
  ApprovalResumer["Service"],
  never,
  | AgentRegistry
  | ApprovalStore
  | RunLog
  | RunReading
  | FactoryResolver
  | RunEngine
  | StoredComponents
  | TeamRegistry
  | WorkflowRegistry
  | Scope.Scope
> = Effect.gen(function*() {
  const services = yield* ApprovedRun.services
  const { approvals } = services
  const log = yield* RunLog
  const resuming = yield* FiberMap.make<Run.Id>()
  const permits = yield* Semaphore.make(maxResuming)
  const retries = makeRetries()
  const { guest, node: { awaitTurn } } = yield* RunEngine

  const refused = (error: unknown) =>
    Effect.as(
      Effect.logWarning(
        "A run stays paused: its factory refuses to build its component without a caller. " +
          "Continue the run with a request, or let the factory accept it",
        Cause.fail(error)
      ),
      "done" as const
    )

  const failed = (root: Run.Id) =>
    Effect.fnUntraced(function*(error: unknown) {
      const pause = Duration.format(Duration.millis(yield* retries.failed(root)))
      yield* Effect.logWarning(
        `A paused run could not be resumed. It is tried again in ${pause}. ` +
          "If it keeps failing, mend what the error names, or cancel the run",
        Cause.fail(error)
      )
      return "failed" as const
    })

  const unavailable = (root: Run.Id) => (error: StorageUnavailable) =>
    error.isRejected === true
      ? failed(root)(error)
      : Effect.as(
        Effect.logWarning(
          "A paused run could not be resumed: the database does not reply. It is tried again until it does",
          Cause.fail(error)
        ),
        "later" as const
      )

  const resumeRoot = Effect.fnUntraced(function*({ approvals: ids, root, session_id }: RootResume) {
    const paused = guest?.paused.get(root)
    const outcome = yield* ApprovedRun.resume(services, session_id, root).pipe(
      Effect.catchTags({
        StorageUnavailable: unavailable(root),
        FactoryPermissionError: refused,
        FactoryValidationError: refused
      }),
      Effect.catch(failed(root)),
      Effect.catchDefect(failed(root)),
      Effect.annotateLogs({ run_id: root })
    )
    if (outcome === "failed") return
    // its program resumes it, perhaps after its next start
    if (outcome === "left") return yield* Effect.asVoid(retries.failed(root))
    // it also waits for something else. A run that has paused again meanwhile has other times
    if (outcome === "done" && paused !== undefined && guest?.paused.get(root) === paused) {
      const time = yield* now
      guest.paused.set(root, { ...paused, wakes: paused.wakes.filter((wake) => wake > time) })
    }
    retries.forget(root)
    if (outcome === "done") yield* Effect.ignore(approvals.markResumed(ids))
  })

  /** A paused run is resumed, one that is executed is left alone, and the others have ended. */
  const resumePage = Effect.fnUntraced(function*(
    roots: ReadonlyArray<RootResume>,
    unrooted: ReadonlyArray<Approval.Id>
  ) {
    const statuses = roots.length === 0 ? new Map() : yield* statusesOf(log, roots)
    const over = [...unrooted]
    const time = yield* Monotonic.millis
    for (const each of roots) {
      const status = statuses.get(each.root)
      if (status === "PAUSED" || status === "unreadable") {
        if (!retries.isDue(each.root, time) || FiberMap.hasUnsafe(resuming, each.root)) continue
        yield* permits.take(1)
        const running = Effect.ensuring(resumeRoot(each), permits.release(1))
        yield* FiberMap.run(resuming, each.root, running)
      } else if (status === undefined || !Run.isActive(status)) {
        over.push(...each.approvals)
        guest?.paused.delete(each.root)
      }
    }
    if (over.length > 0) yield* approvals.markResumed(over)
  })

  const resumeAll = Effect.gen(function*() {
    const seen = new Set<Run.Id>()
    let after: Approval.Id | undefined
    for (;;) {
      const pending = yield* approvals.listPendingResumes({ after, limit: pageSize })
      const roots = byRoot(pending).filter(({ root }) => guest?.paused.has(root) ?? true)
      for (const { root } of roots) seen.add(root)
      yield* resumePage(roots, guest === undefined ? withoutRoot(pending) : [])
      after = pending.at(-1)?.id
      if (pending.length < pageSize) break
    }
    const time = yield* now
    const due = guest === undefined ? [] : wakesOf(guest, time)
    for (const { root } of due) seen.add(root)
    yield* resumePage(due, [])
    retries.keep(seen)
  })

  yield* BackgroundLoops.fork({}, { approvalResumes: { when: awaitTurn(pollInterval), task: resumeAll, every: 0 } })

  return ApprovalResumer.of({
    resume: (pending) => {
      const [root] = byRoot([pending])
      return root === undefined ? Effect.ignore(approvals.markResumed([pending.id])) : resumeRoot(root)
    }
  })
})
