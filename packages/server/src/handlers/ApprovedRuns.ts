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
  RunEngine,
  type StorageUnavailable,
  TeamRegistry,
  type Untold,
  WorkflowRegistry
} from "@svc/runtime"
import { Effect, Stream } from "effect"
import * as ApprovedRun from "./ApprovedRun.ts"

/** How often it is looked whether a run has not been told. */
const lookEvery = "5 seconds"

const page = 100

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

  /** A run that cannot go on by itself is done with as well: it stays as it is, for somebody to continue. */
  const isLeft = (error: unknown) =>
    Effect.as(Effect.logError("A run whose approval was resolved could not go on", error), true)

  const goOn = (run: Pick<Approval.Approval, "run_id" | "session_id">) =>
    ApprovedRun.goOn(services, run).pipe(
      Effect.catchTag("StorageUnavailable", (error) =>
        Effect.as(Effect.logWarning("A run will be told later that its approval was resolved", error), false)),
      Effect.catch(isLeft),
      Effect.catchDefect(isLeft),
      Effect.annotateLogs({ run_id: run.run_id })
    )

  const tell = Effect.fnUntraced(function*(approval: Untold) {
    if (yield* goOn(approval)) yield* Effect.ignore(approvals.told(approval.id))
  })

  const tellAll = (after?: Approval.Id): Effect.Effect<void, StorageUnavailable> =>
    Effect.flatMap(
      approvals.untold({ after, limit: page }),
      (untold) =>
        Effect.forEach(untold, tell, { discard: true }).pipe(
          Effect.andThen(untold.length < page ? Effect.void : tellAll(untold.at(-1)?.id))
        )
    )

  const reconsider = (output: AnyRun.Output) =>
    ApprovedRun.isAwaiting(output)
      ? goOn({ run_id: output.run_id, session_id: Session.Id.make(output.session_id) })
      : Effect.void

  yield* Effect.forkScoped(Stream.runForEach(engine.pauses, reconsider), { startImmediately: true })
  yield* BackgroundLoops.fork({}, { approvedRuns: { task: Effect.suspend(() => tellAll()), every: lookEvery } })
  return { tell }
})
