// `RunStore` in memory.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Approval from "@svc-runtime/domain/Approval"
import * as Component from "@svc-runtime/domain/Component"
import * as Run from "@svc-runtime/domain/Run"
import * as RunOption from "@svc-runtime/domain/RunOption"
import type * as Session from "@svc-runtime/domain/Session"
import type { DecidedApproval } from "@svc-runtime/engine/approval/ApprovalContext"
import * as Assumption from "@svc-runtime/engine/ComponentPrecondition"
import * as ReadLimiter from "@svc-runtime/engine/limits/ReadLimiter"
import { ResponseTooLarge } from "@svc-runtime/engine/limits/ResponseLimit"
import type { Lease } from "@svc-runtime/engine/node/LeasedRuns"
import { journalIncomplete } from "@svc-runtime/engine/run/journal/JournalLoss"
import * as StoredFormat from "@svc-runtime/engine/run/journal/StoredFormat"
import * as NewRuns from "@svc-runtime/engine/run/NewRun"
import { ComponentOutdated, RunExists, RunNotFound, SessionBusy } from "@svc-runtime/engine/run/RunErrors"
import type { RunSnapshot } from "@svc-runtime/engine/run/store/RunReads"
import type { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import type { NewRun, Resumption } from "@svc-runtime/engine/run/store/RunWrites"
import { SessionNotFound } from "@svc-runtime/engine/session/SessionStore"
import { Clock, Effect, Option } from "effect"
import { admit, newSession } from "./MemoryAdmission.ts"
import * as MemoryCompletion from "./MemoryCompletion.ts"
import { type MemoryDatabase, originOf, type StoredRun } from "./MemoryDatabase.ts"
import * as MemoryEvents from "./MemoryEvents.ts"
import * as MemoryFork from "./MemoryFork.ts"
import * as MemoryLeases from "./MemoryLeases.ts"
import * as MemoryLimits from "./MemoryLimits.ts"
import * as MemoryPath from "./MemoryPath.ts"
import * as MemoryRunReading from "./MemoryRunReading.ts"
import * as MemoryRunSearch from "./MemoryRunSearch.ts"

const measured = (found: Option.Option<unknown>) =>
  Effect.sync(() => ({ text: Option.isSome(found) ? JSON.stringify(found.value).length : 0 }))

export const make = (database: MemoryDatabase["Service"], limits: MemoryRunReading.Limits) => {
  const { components, runs, runsOf, sessions } = database
  const path = MemoryPath.make(database)
  const { ordered, isVisible, isWanted, lookUp, whole, history, pageOf, recall } = MemoryRunReading.make(
    database,
    limits
  )

  /** Those of a session that have not ended, in the order of acceptance. */
  const unfinished = (session: Session.Id) => ordered(session).filter(MemoryRunReading.isRunning)

  /** The run, if its lease is held under this attempt. */
  const held = ({ attempt, run_id }: Lease): StoredRun | undefined => {
    const stored = runs.get(run_id)
    return stored !== undefined && MemoryRunReading.isRunning(stored) && stored.attempt === attempt ? stored : undefined
  }

  const headOf = ({ id }: Assumption.Assumption) => {
    const stored = components.get(Component.Id.make(id))
    return stored?.isRemoved === false ? stored.component : undefined
  }

  const snapshot = (run: StoredRun): RunSnapshot => {
    const output = AnyRun.withoutLog(run.output)
    const session_id = output.session_id as Session.Id
    return {
      run_id: output.run_id,
      attempt: run.attempt,
      session_id,
      kind: run.kind,
      component_id: run.component_id,
      component_version: run.component_version,
      user_id: output.user_id ?? null,
      status: output.status,
      isCancelRequested: run.isCancelRequested,
      node: run.node,
      command: run.command,
      output: AnyRun.withLog(output, { messages: run.messages }),
      entries: run.entries,
      eventCount: run.events.length,
      session_state: sessions.get(session_id)?.session.session_state ?? {},
      history: history(
        session_id,
        { count: run.historyRuns, skipsUnfinished: run.skipsUnfinished === true },
        MemoryPath.before(run)
      ),
      resumedAt: run.resumedAt,
      resumeClaims: run.resumeClaims ?? [],
      damage: Run.isContinuable(output.status) && MemoryLeases.hasLostEntries(run) ? journalIncomplete : undefined
    }
  }

  return {
    create: Effect.fnUntraced(function*(newRun: NewRun) {
      const { assumes = [], run_id } = newRun
      const now = yield* Clock.currentTimeMillis
      if (!assumes.every((each) => Assumption.holds(each, headOf(each)))) {
        return yield* new ComponentOutdated({ run_id })
      }
      const stored = sessions.get(newRun.session_id)
      const session = stored === undefined ? newSession(newRun) : admit(stored.session, newRun)
      if (session === undefined) return yield* new SessionNotFound({ session_id: newRun.session_id })
      const after = path.afterOf(session.session_id, newRun.place)
      if (after === "missing") {
        return yield* new RunNotFound({ run_id: newRun.place?.known[0]?.run_id ?? newRun.run_id })
      }
      if (runs.has(newRun.run_id)) return yield* new RunExists({ run_id: newRun.run_id })
      const ahead = unfinished(session.session_id)
      if (ahead.length > 0 && NewRuns.isRejectedIfNotAlone(newRun)) {
        return yield* new SessionBusy({ session_id: newRun.session_id })
      }
      const reached = MemoryLimits.enter(database, newRun.limited, now)
      if (reached !== undefined && reached !== "waits") return yield* reached
      if (NewRuns.cancelsOthers(newRun)) {
        // no one else would read a queued addition
        const cancelled = ahead.filter(({ isAddition, output }) => isAddition !== true || output.status !== "PENDING")
        for (const run of cancelled) runs.set(run.output.run_id, { ...run, isCancelRequested: true })
      }
      const isQueued = (ahead.length > 0 && newRun.isSerialized) || reached === "waits"
      const begun = {
        isQueued,
        session_state: session.session_state ?? {},
        history: history(session.session_id, {
          count: newRun.history,
          skipsUnfinished: newRun.skipsUnfinished === true
        }, after)
      }
      sessions.set(session.session_id, {
        isEvaluation: RunOption.isEvaluation(newRun),
        ...stored,
        sequence: stored?.sequence ?? database.next(),
        leafRun: undefined,
        session
      })
      runsOf.set(session.session_id, runsOf.get(session.session_id) ?? [])
      runsOf.get(session.session_id)?.push(newRun.run_id)
      const replaced = newRun.replaces === undefined ? undefined : runs.get(newRun.replaces)
      runs.set(newRun.run_id, {
        sequence: database.next(),
        isWithoutMemory: newRun.isWithoutMemory === true || replaced?.isWithoutMemory === true,
        origin: replaced === undefined ? undefined : originOf(replaced),
        after,
        isAddition: newRun.place?.otherwise === "addition",
        node: newRun.node,
        isCancelRequested: false,
        kind: newRun.kind,
        component_id: newRun.component_id,
        component_version: newRun.component_version,
        output: { ...AnyRun.running(newRun), status: isQueued ? "PENDING" : "RUNNING" },
        isSerialized: newRun.isSerialized || reached === "waits",
        waitsFor: reached === "waits" ? newRun.limited : undefined,
        messages: [],
        events: newRun.startEvent === undefined ? [] : [newRun.startEvent],
        attempt: 1,
        historyRuns: newRun.history,
        skipsUnfinished: newRun.skipsUnfinished,
        startClaim: newRun.claim,
        begin_id: newRun.begin_id,
        command: newRun.command,
        entries: newRun.entries,
        counted: undefined
      })
      return begun
    }),
    admitWaiting: (node) =>
      Effect.map(Clock.currentTimeMillis, (now) => MemoryLimits.admitWaiting(database, node, now)),
    ...MemoryCompletion.make(database, { held, history, unfinished }),
    ...MemoryEvents.make(database, { held, lookUp }),
    memberHistory: (query) => Effect.sync(() => recall(query)),
    fork: (forking) => MemoryFork.fork(database, forking),
    recordMembers: (outer, inner) =>
      Effect.sync(() => {
        const stored = held(outer)
        if (stored === undefined) return
        const session = stored.output.session_id as Session.Id
        for (const run of inner) {
          const output = AnyRun.withoutLog(run)
          const known = runs.get(output.run_id)
          if (known !== undefined && known.output.parent_run_id !== output.parent_run_id) continue
          if (known === undefined) runsOf.get(session)?.push(output.run_id)
          const { id, kind } = AnyRun.componentOf(run)
          runs.set(output.run_id, {
            ...(known ??
              {
                ...stored,
                sequence: database.next(),
                events: [],
                command: null,
                entries: [],
                historyRuns: 0,
                after: undefined,
                counted: undefined
              }),
            isCancelRequested: false,
            kind,
            component_id: id,
            output,
            messages: AnyRun.messagesOf(run)
          })
        }
      }),
    find: (session, run, filter) =>
      Effect.suspend(() => {
        const found = Option.map(Option.fromNullishOr(lookUp(run, session, filter)), whole)
        return Effect.as(ReadLimiter.admit(measured(found)), found)
      }),
    outlines: (wanted, filter) =>
      Effect.sync(() => {
        const found = wanted.flatMap(({ run_id, session_id }) => lookUp(run_id, session_id, filter) ?? [])
        return MemoryRunSearch.outlines(found, limits.answer)
      }),
    attemptOf: (session, run) =>
      Effect.sync(() => {
        const stored = runs.get(run)
        return stored?.output.session_id === session ? Option.some(stored.attempt) : Option.none()
      }),
    list: (session, filter, page) =>
      Effect.suspend((): ReturnType<RunStore["Service"]["list"]> => {
        if (!isVisible(session, filter)) return Effect.succeedNone
        const wanted = ordered(session).filter(isWanted(filter))
        const found = (page === undefined ? wanted : pageOf(wanted, page)).map(whole)
        const bytes = found.reduce((sum, run) => sum + JSON.stringify(run).length, 0)
        return bytes > limits.answer
          ? Effect.fail(new ResponseTooLarge({ subject: "runs", bytes, limit: limits.answer }))
          : Effect.as(ReadLimiter.admit(Effect.succeed({ text: bytes })), Option.some(AnyRun.innerFirst(found)))
      }),
    places: (session, wanted) => Effect.sync(() => path.places(session, wanted)),
    listAll: (filter, page) => Effect.sync(() => MemoryRunSearch.listAll(database, filter, page)),
    search: (search) =>
      Effect.sync(() => {
        const isOnPath = ({ output, sequence }: StoredRun) => {
          const session = output.session_id as Session.Id
          return path.numbers(session, path.leafOf(session)).has(sequence)
        }
        const searched = [...runs.values()].filter((run) => search.isOnPath !== true || isOnPath(run))
        return MemoryRunSearch.search(searched, lookUp, search, limits.answer)
      }),
    record: ({ entry, events, position, ...lease }) =>
      Effect.sync(() => {
        const stored = held(lease)
        if (stored === undefined) return false
        // a stored event was sent again
        const hasJournalGap = stored.hasJournalGap === true || position > stored.entries.length
        const isNew = !hasJournalGap && position === stored.entries.length
        const entries = isNew ? [...stored.entries, entry] : stored.entries
        runs.set(lease.run_id, {
          ...stored,
          entries,
          hasJournalGap,
          events: MemoryEvents.appended(stored.events, events)
        })
        return true
      }),
    snapshot: (session, run, filter) =>
      Effect.suspend(() => {
        const stored = MemoryLeases.withoutSettingAside(lookUp(run, session, filter))
        if (stored === undefined) return Effect.succeedNone
        return Effect.andThen(
          ReadLimiter.admit(measured(Option.some(stored.messages)), ReadLimiter.isReadOnly),
          Effect.asSome(StoredFormat.upcasted(snapshot(stored)))
        )
      }),
    ...MemoryLeases.make(database, snapshot),
    resume: Effect.fnUntraced(function*({ attempt, claim, decided = [], entry, limited, node, run_id }: Resumption) {
      const now = yield* Clock.currentTimeMillis
      const stored = MemoryLeases.withoutSettingAside(runs.get(run_id))
      if (stored === undefined || stored.attempt !== attempt || !Run.isContinuable(stored.output.status)) {
        return Option.none()
      }
      const isPending = ({ id }: DecidedApproval) =>
        (database.approvals.get(id)?.approval.status ?? "pending") === "pending"
      if (!decided.every(isPending)) return Option.none()
      const reached = MemoryLimits.enter(database, limited, now)
      if (reached !== undefined && reached !== "waits") return yield* reached
      for (const { at, id, ...resolution } of decided) {
        const waiting = database.approvals.get(id)
        if (waiting === undefined) continue
        const approval = Approval.resolved(waiting.approval, resolution, at)
        database.approvals.set(id, { ...waiting, approval })
      }
      runs.set(run_id, {
        ...stored,
        node,
        attempt: attempt + 1,
        isSerialized: false,
        output: { ...stored.output, status: "RUNNING" },
        entries: entry === undefined ? stored.entries : [...stored.entries, entry],
        resumedAt: stored.entries.length,
        hasJournalGap: false,
        resumeClaims: claim === undefined ? stored.resumeClaims : [...stored.resumeClaims ?? [], claim]
      })
      return Option.some(attempt + 1)
    }),
    supersede: (run, at) =>
      Effect.sync(() => {
        const stored = runs.get(run)
        if (stored === undefined || MemoryRunReading.isRunning(stored)) return
        for (const [id, waiting] of database.approvals) {
          const { approval, root_run_id } = waiting
          if (root_run_id !== run || approval.status !== "pending") continue
          database.approvals.set(id, { ...waiting, approval: Approval.afterRun(approval, "REGENERATED", at) })
        }
        const replacedStatus = stored.replacedStatus ?? stored.output.status
        runs.set(run, { ...stored, replacedStatus, output: { ...stored.output, status: "REGENERATED" } })
      }),
    requestCancel: (run, session, filter) =>
      Effect.sync(() => {
        const stored = lookUp(run, session, filter)
        if (stored === undefined) return Option.none()
        if (!Run.hasEnded(stored.output.status)) runs.set(run, { ...stored, isCancelRequested: true })
        const { session_id, status } = stored.output
        return Option.some({ session_id: session_id as Session.Id, status })
      }),
    unfinished: (ids, owner, limit) =>
      Effect.sync(() =>
        [...new Set(ids)].filter((id) => isVisible(id, { owner })).flatMap(ordered)
          .filter((run) => !run.isCancelRequested && MemoryRunReading.isRunning(run)).slice(0, limit)
          .map(({ output }) => ({ run_id: output.run_id as Run.Id, session_id: output.session_id as Session.Id }))
      ),
    cancelRequested: (node) =>
      Effect.sync(() =>
        [...runs].flatMap(([id, run]) =>
          run.node === node && run.isCancelRequested && MemoryRunReading.isRunning(run) ? [id] : []
        )
      )
  } satisfies RunStore["Service"]
}
