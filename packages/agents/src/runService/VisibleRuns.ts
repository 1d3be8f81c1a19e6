// Reads, watches, cancels and copies runs of every kind of component, as far as the caller may see them.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Message from "@svc-runtime/domain/Message"
import * as Pagination from "@svc-runtime/domain/Pagination"
import * as Principal from "@svc-runtime/domain/Principal"
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import type { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import { ResponseTooLarge } from "@svc-runtime/engine/limits/ResponseLimit"
import { NewId } from "@svc-runtime/engine/NewId"
import { now } from "@svc-runtime/engine/now"
import type { RunEngine } from "@svc-runtime/engine/run/engine/RunEngine"
import * as RunJournal from "@svc-runtime/engine/run/journal/RunJournal"
import { RunNotFound } from "@svc-runtime/engine/run/RunErrors"
import type { RunFilter, RunKey, RunSearch, RunSnapshot } from "@svc-runtime/engine/run/store/RunReads"
import type { StoredRuns } from "@svc-runtime/engine/run/store/StoredRuns"
import { SessionNotFound } from "@svc-runtime/engine/session/SessionStore"
import { Effect, Option, Schema } from "effect"
import type { Agent } from "../agent/define/Agent.ts"
import * as AgentJournal from "../agent/execute/AgentJournal.ts"
import * as SourceTools from "../agent/execute/calls/SourceTools.ts"
import * as Replay from "../agent/execute/Replay.ts"
import * as RunRecorder from "../agent/execute/RunRecorder.ts"
import { isFactory } from "../factory/Factory.ts"
import type { FactoryInput } from "../factory/FactoryInput.ts"
import * as Leader from "../team/Leader.ts"
import * as Team from "../team/Team.ts"
import * as Workflow from "../workflow/Workflow.ts"
import type * as Caller from "./Caller.ts"
import * as ComponentResolution from "./ComponentResolution.ts"
import type { ComponentRef, Components, Registered } from "./Components.ts"
import * as CopiedRunsJob from "./CopiedRunsJob.ts"
import * as DecidedRun from "./DecidedRun.ts"
import * as ResolvedApprovals from "./ResolvedApprovals.ts"
import * as RunPermission from "./RunPermission.ts"
import { LimitedToSession, NothingToFork, SessionIdRequired } from "./RunServiceErrors.ts"

// The messages of an unfinished run of an agent or a leader up to its last batch of tool results, from its journal.

const messagesOf = Effect.fnUntraced(function*(agent: Agent, { attempt, entries, output }: RunSnapshot) {
  const recorder = yield* RunRecorder.make(() => undefined, output.created_at)
  const own = yield* Effect.orDie(AgentJournal.decode(RunJournal.ownEntries(entries)))
  const replayed = Replay.replay(SourceTools.withoutSources(agent), recorder, attempt, own)
  const { turn } = replayed
  if (turn === undefined) return recorder.messages
  if (Replay.answersOf(turn) !== undefined) {
    Replay.close(recorder, replayed, turn)
    return recorder.messages
  }
  // the last message has unanswered calls
  const before: ReadonlyArray<Message.Message> = recorder.messages.slice(0, -1)
  return before
})

export interface Dependencies {
  readonly approvals: Pick<ApprovalStore["Service"], "create" | "listByRun">
  readonly components: Components
  readonly engine: RunEngine["Service"]
  readonly runs: StoredRuns["Service"]
  readonly resolution: ComponentResolution.Options
  /** Bytes of one response. */
  readonly responseLimit: number
  readonly scopes: RunPermission.RunScopes["Service"]
}

/** The runs of one component that the caller may see. */
export interface Scoped {
  readonly caller: Caller.Caller
  readonly component: ComponentRef
  /** The operation that needs to read these runs. Its scopes are required, and not those of reading. */
  readonly partOf?: RunPermission.Operation | undefined
}

export interface ListRequest extends Scoped {
  /** Undefined: those of all sessions of the caller, without the runs in them and without their events. */
  readonly session_id: Session.Id | undefined
  /** Compared exactly. All statuses when left out. */
  readonly status?: string | undefined
  /** The first page has the newest runs. When left out: all runs of the session, or the newest of all sessions. */
  readonly page?: Pagination.Request | undefined
}

export interface SearchRequest extends Scoped, Omit<RunSearch, "filter"> {}

export interface PlacesRequest extends Scoped {
  readonly session_id: Session.Id
  readonly run_ids: ReadonlyArray<Run.Id>
}

export interface RunQuery extends Scoped {
  readonly run_id: Run.Id
  readonly session_id: Session.Id
}

/** Of runs of any components. Runs that the caller may not see are left out. */
export interface OutlinesRequest extends Omit<Scoped, "component"> {
  readonly runs: ReadonlyArray<RunKey>
}

export interface CancelQuery extends Scoped {
  readonly run_id: Run.Id
  /** An isolated caller must give it; for others the id of the run is enough. */
  readonly session_id: Session.Id | undefined
  /** A time limit cancels the run. */
  readonly isLate?: boolean | undefined
}

export interface WatchQuery {
  readonly caller: Caller.Caller
  /** Undefined: a run of any component. */
  readonly component: ComponentRef | undefined
  readonly run_id: Run.Id
  /** An isolated caller must give it. */
  readonly session_id: Session.Id | undefined
  /** The index of the last event that the caller has; -1 without any. */
  readonly after: number
  readonly partOf?: RunPermission.Operation | undefined
  /** Waits for the continuation of a paused run. The events of others end with the pause. */
  readonly acrossPauses?: boolean | undefined
}

export interface ForkRequest extends Scoped {
  readonly session_id: Session.Id
  /** Whose session it is, where the caller may choose. */
  readonly user_id: Ids.UserId | undefined
}

export interface ReadPermission extends Scoped {
  readonly session_id: Session.Id | undefined
  readonly factoryInput: FactoryInput
}

/** Of the runs of all sessions. */
export const listedAtOnce = 100

const firstPage: Pagination.Request = { page: 1, limit: 20 }

const ofAllKinds = ComponentKind.ComponentKind.literals.map((kind): ComponentRef => ({ kind, id: "*" }))

const isStatus = Schema.is(Run.Status)

const filterOf = ({ caller: { owner }, component }: Scoped): RunFilter => ({ owner, component })

const sessionOf = ({ caller: { principal }, session_id }: Pick<WatchQuery, "caller" | "session_id">) => {
  const limit = principal.session_id === undefined ? undefined : Session.Id.make(principal.session_id)
  const session = session_id ?? limit
  return principal.isIsolated && session === undefined
    ? Effect.fail(new SessionIdRequired())
    : Effect.succeed(session)
}

export const make = (
  { approvals, components: { known, registered }, engine, resolution, responseLimit, runs, scopes }: Dependencies
) => {
  const permitted = ({ caller, component, partOf }: Scoped, operation: RunPermission.Operation) =>
    RunPermission.check(caller.principal, component, partOf ?? operation, scopes)

  const found = Effect.fnUntraced(function*(query: RunQuery) {
    const { run_id, session_id } = query
    const run = yield* runs.find(session_id, run_id, filterOf(query))
    return Option.isSome(run) ? AnyRun.shown(run.value) : yield* new RunNotFound({ run_id })
  })

  /** A run that waits for several things, with what its approvals have decided by now. */
  const withApprovals = Effect.fnUntraced(function*(run: AnyRun.Output, query: RunQuery) {
    const waiting = ResolvedApprovals.runsOf(run)
    if (waiting.length === 0) return run
    const snapshot = yield* runs.snapshot(query.session_id, query.run_id, filterOf(query))
    const database = Option.getOrUndefined(snapshot)?.database
    const at = yield* now
    const decided = yield* Effect.forEach(waiting, (id) => approvals.listByRun(id, at, database))
    return ResolvedApprovals.shown(run, decided.flat())
  })

  /** The messages of a run that has not ended, from its journal. Empty where the run stores none before its end. */
  const progressOf = Effect.fnUntraced(function*(component: Registered | undefined, query: RunQuery) {
    if (component === undefined || isFactory(component) || Workflow.isWorkflow(component)) return []
    const { checkpoint } = Team.leaderOrSelf(component)
    if (checkpoint === "runs") return []
    const snapshot = yield* runs.snapshot(query.session_id, query.run_id, filterOf(query))
    if (Option.isNone(snapshot)) return yield* new RunNotFound({ run_id: query.run_id })
    return yield* messagesOf(Team.isTeam(component) ? Leader.shown(component) : component, snapshot.value)
  })

  const listOfAll = Effect.fnUntraced(
    function*({ caller: { owner }, component }: Scoped, status: string | undefined, page = firstPage) {
      if (status !== undefined && !isStatus(status)) return []
      const found = yield* runs.search({
        filter: { owner, component },
        statuses: status === undefined ? undefined : [status],
        limit: page.limit,
        offset: Pagination.offset(page),
        isReading: true
      })
      if (found.bytes > responseLimit) {
        return yield* new ResponseTooLarge({ subject: "componentRuns", bytes: found.bytes, limit: responseLimit })
      }
      return found.runs.flatMap(({ output }) => output === undefined ? [] : [AnyRun.shown(output)]).toReversed()
    }
  )

  return {
    authorizeRead: Effect.fn("RunService.authorizeRead")(function*(request: ReadPermission) {
      const { caller, component, factoryInput: input, session_id } = request
      const found = registered(component)
      if (found === undefined) return yield* known(component)
      if (!isFactory(found)) return
      const { principal } = caller
      yield* ComponentResolution.resolve(resolution, { registered: found }, {
        caller,
        user_id: principal.user_id,
        session_id: principal.session_id ?? session_id,
        input
      })
    }, Effect.scoped),
    list: Effect.fn("RunService.list")(function*({ page, session_id, status, ...scoped }: ListRequest) {
      yield* permitted(scoped, "list")
      yield* known(scoped.component)
      if (session_id === undefined) return yield* listOfAll(scoped, status, page)
      const found = yield* runs.list(session_id, { ...filterOf(scoped), status }, page)
      return Option.isSome(found) ? found.value : yield* new SessionNotFound({ session_id })
    }),
    search: Effect.fn("RunService.search")(function*({ caller, component, partOf, ...search }: SearchRequest) {
      const { owner } = caller
      yield* permitted({ caller, component, partOf }, search.run_id === undefined ? "list" : "get")
      yield* known(component)
      return yield* runs.search({ ...search, filter: { owner, component } })
    }),
    places: Effect.fn("RunService.places")(function*({ run_ids, session_id, ...scoped }: PlacesRequest) {
      yield* permitted(scoped, "list")
      return yield* runs.places(session_id, run_ids, scoped)
    }),
    decided: Effect.fn("RunService.decided")(function*(query: RunQuery) {
      yield* permitted(query, "get")
      yield* known(query.component)
      const run = yield* found(query)
      const snapshot = Run.isActive(run.status)
        ? yield* runs.snapshot(query.session_id, query.run_id, filterOf(query))
        : Option.none()
      return yield* DecidedRun.shown(run, Option.getOrUndefined(snapshot)?.entries)
    }),
    get: Effect.fn("RunService.get")(function*(query: RunQuery) {
      yield* permitted(query, "get")
      yield* known(query.component)
      const run = yield* found(query)
      if (run.status === "PAUSED") return yield* withApprovals(run, query)
      if (!Run.isActive(run.status) || AnyRun.isWorkflow(run)) return run
      const messages = yield* progressOf(registered(query.component), query)
      return messages.length === 0 ? run : { ...run, messages }
    }),
    outlines: Effect.fn("RunService.outlines")(function*({ caller, partOf = "get", runs: wanted }: OutlinesRequest) {
      const found = yield* runs.outlines(wanted, { owner: caller.owner })
      return found.filter((run) => RunPermission.allows(caller.principal, AnyRun.componentOf(run), partOf, scopes))
    }),
    output: Effect.fn("RunService.output")(function*(query: RunQuery) {
      const { component, run_id, session_id } = query
      yield* permitted(query, "get")
      yield* known(component)
      const output = yield* engine.output({ run_id, session_id, filter: filterOf(query) })
      return Option.isSome(output) ? output.value : yield* new RunNotFound({ run_id })
    }),
    watch: Effect.fn("RunService.watch")(function*(query: WatchQuery) {
      const { acrossPauses, after, caller: { owner }, component, run_id } = query
      for (const each of component === undefined ? ofAllKinds : [component]) {
        yield* permitted({ caller: query.caller, component: each, partOf: query.partOf }, "watch")
      }
      if (component !== undefined) yield* known(component)
      const session_id = yield* sessionOf(query)
      const watched = yield* engine.watch({ run_id, session_id, filter: { owner, component }, after, acrossPauses })
      return Option.isSome(watched) ? watched.value : yield* new RunNotFound({ run_id })
    }),
    cancel: Effect.fn("RunService.cancel")(function*(query: CancelQuery) {
      const { caller: { principal: { isIsolated } }, component, isLate, run_id } = query
      yield* permitted(query, "cancel")
      yield* known(component)
      const session_id = yield* sessionOf(query)
      const filter = filterOf(query)
      const run = { run_id, session_id: isIsolated ? session_id : undefined }
      const isFound = yield* engine.cancel({ ...run, filter, isLate })
      if (!isFound && isIsolated) return yield* new RunNotFound({ run_id })
      return isFound
    }),
    fork: Effect.fn("RunService.fork")(function*({ caller, component, session_id: source, user_id }: ForkRequest) {
      yield* known(component)
      // the caller could not see the copy
      if (caller.principal.session_id !== undefined) return yield* new LimitedToSession()
      const session_id = Session.Id.make((yield* NewId)())
      const filter = { owner: Principal.owner(caller.principal, user_id), component }
      const forking = { source, session_id, filter, created_at: yield* now }
      const forked = yield* runs.fork(forking, CopiedRunsJob.approvalsOf(approvals, runs))
      if (Option.isSome(forked)) return session_id
      // no run has this status, so nothing is read of a session that the caller can see
      const all = yield* runs.list(source, { ...filter, status: "" }).pipe(
        Effect.catchTag("ResponseTooLarge", () => Effect.succeedSome([]))
      )
      return yield* Option.isSome(all) ? new NothingToFork() : new SessionNotFound({ session_id: source })
    })
  }
}
