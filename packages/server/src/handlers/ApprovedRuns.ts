// Tells runs that their approvals are resolved. Whoever resolves one has its run go on at once. Should that fail, or this
// process die in between, it is told later, by whichever node looks first: that it has not been told is kept with the
// approval. What is told twice is heard once.
import { type AnyRun, type Approval, Session } from "@svc/domain"
import {
  AgentRegistry,
  ApprovalStore,
  BackgroundLoops,
  Databases,
  FactoryResolver,
  type PendingResume,
  RunEngine,
  type StorageUnavailable,
  TeamRegistry,
  WorkflowRegistry
} from "@svc/runtime"
import { Clock, Effect, FiberMap, Stream } from "effect"
import * as ApprovedRun from "./ApprovedRun.ts"

/** How often it is looked whether a run has not been told. */
const lookEvery = "5 seconds"

const page = 100

/** Milliseconds before a failed run is tried again: doubled each time, up to the longest. */
const firstPause = 5000
const longestPause = 300_000

export const make = Effect.gen(function*() {
  const approvals = yield* ApprovalStore
  const engine = yield* RunEngine
  const services: ApprovedRun.Services = {
    approvals,
    engine,
    agents: yield* AgentRegistry,
    teams: yield* TeamRegistry,
    workflows: yield* WorkflowRegistry,
    resolver: yield* FactoryResolver,
    database: (yield* Databases).all[0]
  }

  /** What is resumed in the background, by approval or by run: one that hangs holds up no other. */
  const resuming = yield* FiberMap.make<string>()
  const retries = new Map<Approval.Id, { readonly failures: number; readonly notBefore: number }>()

  /** The author's factory refuses for good: the run stays as it is, for somebody to continue. */
  const isRefused = (error: unknown) =>
    Effect.as(Effect.logWarning("A run whose approval was resolved is refused by its factory", error), "done" as const)

  /** Anything else may pass: the factory or its backend is away, or another node has the component. */
  const hasFailed = (error: unknown) =>
    Effect.as(
      Effect.logWarning("A run whose approval was resolved could not be resumed, and is tried again", error),
      "failed" as const
    )

  const goOn = (run: Pick<Approval.Approval, "run_id" | "session_id">) =>
    ApprovedRun.goOn(services, run).pipe(
      Effect.map((isDone) => isDone ? "done" as const : "later" as const),
      Effect.catchTags({
        StorageUnavailable: (error) =>
          Effect.as(
            Effect.logWarning("A run could not be resumed after its approval was resolved; it is tried again", error),
            "later" as const
          ),
        FactoryPermissionError: isRefused,
        FactoryValidationError: isRefused
      }),
      Effect.catch(hasFailed),
      Effect.catchDefect(hasFailed),
      Effect.annotateLogs({ run_id: run.run_id })
    )

  const retryLater = (id: Approval.Id) =>
    Effect.map(Clock.currentTimeMillis, (time) => {
      const failures = (retries.get(id)?.failures ?? 0) + 1
      const pause = Math.min(longestPause, firstPause * 2 ** (failures - 1))
      retries.set(id, { failures, notBefore: time + pause })
    })

  const tell = Effect.fnUntraced(function*(approval: PendingResume) {
    const outcome = yield* goOn(approval)
    if (outcome === "failed") return yield* retryLater(approval.id)
    retries.delete(approval.id)
    if (outcome === "done") yield* Effect.ignore(approvals.markResumed(approval.id))
  })

  const tellDue = Effect.fnUntraced(function*(untold: ReadonlyArray<PendingResume>) {
    const time = yield* Clock.currentTimeMillis
    for (const approval of untold) {
      if ((retries.get(approval.id)?.notBefore ?? 0) > time) continue
      yield* FiberMap.run(resuming, approval.id, tell(approval), { onlyIfMissing: true })
    }
  })

  const tellAll = (after?: Approval.Id): Effect.Effect<void, StorageUnavailable> =>
    Effect.flatMap(
      approvals.listPendingResumes({ after, limit: page }),
      (untold) => Effect.andThen(tellDue(untold), untold.length < page ? Effect.void : tellAll(untold.at(-1)?.id))
    )

  const reconsider = (output: AnyRun.Output) =>
    ApprovedRun.isAwaiting(output)
      ? FiberMap.run(
        resuming,
        `run ${output.run_id}`,
        goOn({ run_id: output.run_id, session_id: Session.Id.make(output.session_id) })
      )
      : Effect.void

  yield* Effect.forkScoped(Stream.runForEach(engine.pauses, reconsider), { startImmediately: true })
  yield* BackgroundLoops.fork({}, { approvedRuns: { task: Effect.suspend(() => tellAll()), every: lookEvery } })
  return { tell }
})
