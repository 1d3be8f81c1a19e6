// `RunStore` in memory.
import * as AnyRun from "@svc/domain/AnyRun"
import * as Approval from "@svc/domain/Approval"
import * as ComponentKind from "@svc/domain/ComponentKind"
import type * as Json from "@svc/domain/Json"
import type * as Message from "@svc/domain/Message"
import * as Owner from "@svc/domain/Owner"
import * as Pagination from "@svc/domain/Pagination"
import * as Run from "@svc/domain/Run"
import * as RunEvent from "@svc/domain/RunEvent"
import * as Session from "@svc/domain/Session"
import * as Usage from "@svc/domain/Usage"
import { Effect, Option } from "effect"
import { AnswerTooLarge } from "../AnswerLimit.ts"
import type { MemoryDatabase, StoredRun } from "../MemoryDatabase.ts"
import * as ReadGate from "../ReadGate.ts"
import { SessionNotFound } from "../session/SessionErrors.ts"
import * as StateChange from "../session/StateChange.ts"
import { journalIncomplete } from "./JournalLoss.ts"
import * as MemoryFork from "./MemoryFork.ts"
import * as MemoryLeases from "./MemoryLeases.ts"
import * as NewRuns from "./NewRun.ts"
import { RunExists, SessionBusy } from "./RunErrors.ts"
import type { Lease, MemberHistoryQuery, NewRun, RunFilter, RunSnapshot, RunStore } from "./RunStore.ts"
import * as StoredFormat from "./StoredFormat.ts"

type Runs = RunStore["Service"]

const newSession = (beginning: NewRun): Session.Session => ({
  session_id: beginning.session_id,
  session_type: beginning.kind,
  ...ComponentKind.idsOf(beginning.kind, beginning.component_id),
  user_id: beginning.user_id,
  session_name: null,
  derived_name: beginning.derived_name,
  session_state: {},
  session_metrics: {},
  component_data: beginning.component_data,
  metadata: beginning.component_metadata,
  summary: null,
  created_at: beginning.created_at,
  updated_at: beginning.created_at
})

const isChanged = (session: Session.Session, admitted: Session.Session): boolean =>
  (Object.keys(admitted) as ReadonlyArray<keyof Session.Session>).some((key) =>
    key === "component_data"
      ? JSON.stringify(admitted[key]) !== JSON.stringify(session[key])
      : admitted[key] !== session[key]
  )

/** Whether the user may run in the session. Callers who are not isolated may use data without an owner. */
const isOpenTo = (session: Session.Session, { isolated, user_id }: NewRun): boolean =>
  session.user_id === null ? !isolated : session.user_id === user_id

/** The session with the data of a new run. Undefined if the run may not use it. */
const admit = (session: Session.Session, beginning: NewRun): Session.Session | undefined => {
  if (session.session_type !== beginning.kind) return undefined
  const component = Session.componentIdOf(session)
  if (component !== null && component !== beginning.component_id) return undefined
  if (!isOpenTo(session, beginning)) return undefined
  const fresh = newSession(beginning)
  const admitted = {
    ...session,
    agent_id: fresh.agent_id,
    team_id: fresh.team_id,
    workflow_id: fresh.workflow_id,
    user_id: session.user_id ?? beginning.user_id,
    derived_name: session.derived_name ?? beginning.derived_name,
    session_state: session.session_state ?? {},
    session_metrics: session.session_metrics ?? {},
    component_data: beginning.component_data,
    metadata: session.metadata ?? beginning.component_metadata
  }
  return isChanged(session, admitted) ? { ...admitted, updated_at: beginning.created_at } : session
}

const appended = (known: ReadonlyArray<RunEvent.RunEvent>, more: ReadonlyArray<RunEvent.RunEvent>) => {
  const indexes = new Set(known.map(({ event_index }) => event_index))
  return [...known, ...more.filter(({ event_index }) => !indexes.has(event_index))]
}

/** A copy that executes is still one. */
const continued = (output: AnyRun.Output, { forked_from_session_id }: AnyRun.Output): AnyRun.Output =>
  forked_from_session_id === undefined
    ? output
    : AnyRun.asCopy(output, { run_id: output.run_id, session_id: output.session_id, forked_from_session_id })

/** Its part of later histories. */
const historyOf = ({ messages }: StoredRun) =>
  messages.filter((message) => message.role !== "system" && message.role !== "developer" && !message.from_history)

/** In bytes. */
export interface Limits {
  readonly history: number
  readonly answer: number
}

const encoder = new TextEncoder()

const bytesOf = (messages: ReadonlyArray<Message.Message>): number =>
  messages.reduce((sum, message) => sum + encoder.encode(JSON.stringify(message)).length, 0)

const measured = (found: Option.Option<unknown>) =>
  Effect.sync(() => ({ text: Option.isSome(found) ? JSON.stringify(found.value).length : 0 }))

export const make = (database: MemoryDatabase["Service"], limits: Limits) => {
  const { runs, runsOf, sessions } = database

  const ordered = (session: Session.Id): ReadonlyArray<StoredRun> =>
    (runsOf.get(session) ?? []).flatMap((id) => runs.get(id) ?? [])

  const isVisible = (id: Session.Id, filter: RunFilter): boolean => {
    const session = sessions.get(id)?.session
    if (session === undefined || !Owner.covers(filter.owner, session.user_id)) return false
    const { component } = filter
    return component === undefined ||
      (session.session_type === component.kind && Session.componentIdOf(session) === component.id)
  }

  const isWanted = (filter: RunFilter) => (run: StoredRun): boolean =>
    (filter.component === undefined ||
      (run.kind === filter.component.kind && run.component_id === filter.component.id)) &&
    (filter.status === undefined || run.output.status === filter.status) &&
    (filter.createdAfter === undefined || run.output.created_at >= filter.createdAfter) &&
    (filter.createdBefore === undefined || run.output.created_at <= filter.createdBefore)

  /** Undefined when there is no such run that the caller may see; in any session, where none is named. */
  const lookUp = (id: Run.Id, session: Session.Id | undefined, filter: RunFilter): StoredRun | undefined => {
    const run = runs.get(id)
    const of = run?.output.session_id as Session.Id
    if (run === undefined || (session !== undefined && session !== of)) return undefined
    return isVisible(of, filter) && isWanted(filter)(run) ? run : undefined
  }

  const whole = (run: StoredRun): AnyRun.Output =>
    AnyRun.withLog(run.output, {
      messages: run.messages,
      events: run.events.filter((event) => !RunEvent.isContent(event)) as ReadonlyArray<Json.Object>
    })

  const isHistory = ({ output }: StoredRun) => output.status === "COMPLETED" && output.parent_run_id === undefined

  /** Walks back from the newest run, so that it costs what it gives. */
  const history = (session: Session.Id, count: number, before?: Run.Id) => {
    const found: Array<StoredRun> = []
    const ids = runsOf.get(session) ?? []
    const end = before === undefined ? ids.length : ids.indexOf(before)
    for (let at = end - 1; at >= 0 && found.length < count; at--) {
      const run = runs.get(ids[at] as Run.Id)
      if (run !== undefined && isHistory(run)) found.push(run)
    }
    return fitting(found).reverse().flatMap(historyOf)
  }

  /** The first ones whose parts fit into the limit. */
  const fitting = (newest: ReadonlyArray<StoredRun>): Array<StoredRun> => {
    let bytes = 0
    const end = newest.findIndex((run) => (bytes += bytesOf(historyOf(run))) > limits.history)
    return newest.slice(0, end < 0 ? newest.length : end)
  }

  const outermost = (run: StoredRun): StoredRun => {
    const outer = run.output.parent_run_id === undefined ? undefined : runs.get(run.output.parent_run_id)
    return outer === undefined ? run : outermost(outer)
  }

  /** The first page has the newest, each with the runs inside of it. */
  const pageOf = (wanted: ReadonlyArray<StoredRun>, page: Pagination.Request): ReadonlyArray<StoredRun> => {
    const groups = [...Map.groupBy(wanted, (run) => outermost(run).output.run_id).values()]
    const end = groups.length - Pagination.offset(page)
    return groups.slice(Math.max(0, end - page.limit), Math.max(0, end)).flat()
  }

  const recall = ({ component, limit, run_id, team }: MemberHistoryQuery) => {
    const asking = runs.get(run_id)
    if (asking === undefined) return []
    const isMeant = (run: StoredRun) => {
      const { parent_run_id, status } = run.output
      return parent_run_id !== undefined && status === "COMPLETED" &&
        run.kind === component.kind && run.component_id === component.id &&
        runs.get(parent_run_id)?.component_id === team && outermost(run).sequence < asking.sequence &&
        !isRunning(outermost(run))
    }
    const found = ordered(asking.output.session_id as Session.Id).filter(isMeant).slice(-limit)
    return fitting(found.reverse()).reverse().flatMap(historyOf)
  }

  const isRunning = ({ output }: StoredRun) => Run.isUnderWay(output.status)

  /** Those of a session that have not ended, in the order of acceptance. */
  const unfinished = (session: Session.Id) => ordered(session).filter(isRunning)

  const isHolding = ({ output, isSerialized }: StoredRun) => isSerialized && output.status === "RUNNING"

  /** The run that waits first in a session, if it need not wait any longer. */
  const nextOf = (session: Session.Id): StoredRun | undefined => {
    const open = unfinished(session)
    const at = open.findIndex(({ output }) => output.status === "PENDING")
    return at <= 0 && !open.some(isHolding) ? open[at] : undefined
  }

  /** The run, if its lease is held under this attempt. */
  const held = ({ attempt, run_id }: Lease): StoredRun | undefined => {
    const stored = runs.get(run_id)
    return stored !== undefined && isRunning(stored) && stored.attempt === attempt ? stored : undefined
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
      user_id: output.user_id ?? null,
      status: output.status,
      isCancelRequested: run.isCancelRequested,
      command: run.command,
      output: AnyRun.withLog(output, { messages: run.messages }),
      entries: run.entries,
      eventCount: run.events.length,
      session_state: sessions.get(session_id)?.session.session_state ?? {},
      history: history(session_id, run.historyRuns, output.run_id),
      resumedAt: run.resumedAt,
      resumeClaims: run.resumeClaims ?? [],
      damage: Run.isContinuable(output.status) && MemoryLeases.hasLostEntries(run) ? journalIncomplete : undefined
    }
  }

  const dequeue: Runs["dequeue"] = ({ node, sessions: asked, uncertain: unsure }) =>
    Effect.sync(() => {
      const had = unsure.flatMap((id) => runs.get(id) ?? []).filter(({ output }) => output.status === "RUNNING")
      return [...had, ...asked.flatMap((session) => nextOf(session) ?? [])]
        .filter((run) => run.node === node)
        .map((run) => {
          const { run_id } = run.output
          const session = run.output.session_id as Session.Id
          runs.set(run_id, { ...run, output: { ...run.output, status: "RUNNING" } })
          return {
            run_id,
            session_state: sessions.get(session)?.session.session_state ?? {},
            history: history(session, run.historyRuns, run_id)
          }
        })
    })

  const finish: Runs["finish"] = ({ attempt, events, run, state_changes, updated_at, usage }) =>
    Effect.sync(() => {
      const stored = held({ run_id: run.run_id, attempt })
      const owner = sessions.get(stored?.output.session_id as Session.Id)
      if (stored === undefined || owner === undefined) {
        const known = runs.get(run.run_id)
        return known === undefined || (known.attempt === attempt && !isRunning(known))
      }
      runs.set(run.run_id, {
        ...stored,
        output: continued(AnyRun.withoutLog(run), stored.output),
        messages: AnyRun.messagesOf(run),
        events: appended(stored.events, events ?? []),
        command: Run.isContinuable(run.status) ? stored.command : null,
        entries: Run.isContinuable(run.status) ? stored.entries : [],
        counted: run.status === "PAUSED" ? stored.counted : usage
      })
      sessions.set(owner.session.session_id, {
        ...owner,
        session: {
          ...owner.session,
          session_metrics: run.status === "PAUSED"
            ? owner.session.session_metrics
            : Usage.addToSession(owner.session.session_metrics ?? {}, Usage.since(stored.counted, usage)),
          session_state: state_changes === undefined
            ? owner.session.session_state
            : StateChange.apply(owner.session.session_state ?? {}, state_changes),
          updated_at
        }
      })
      return true
    })

  const finishAndDequeue: Runs["finishAndDequeue"] = (ending, node) =>
    Effect.gen(function*() {
      const before = runs.get(ending.run.run_id)
      const isHeld = yield* finish(ending)
      if (before === undefined || !isHolding(before)) return { isHeld, next: undefined }
      const session = before.output.session_id as Session.Id
      const [dequeued] = yield* dequeue({ node, sessions: [session], uncertain: [] })
      if (dequeued === undefined) return { isHeld, next: undefined }
      const { run_id, ...begun } = dequeued
      return { isHeld, next: { run_id, begun } }
    })

  return {
    create: Effect.fnUntraced(function*(beginning: NewRun) {
      const stored = sessions.get(beginning.session_id)
      const session = stored === undefined ? newSession(beginning) : admit(stored.session, beginning)
      if (session === undefined) return yield* new SessionNotFound({ session_id: beginning.session_id })
      if (runs.has(beginning.run_id)) return yield* new RunExists({ run_id: beginning.run_id })
      const ahead = unfinished(session.session_id)
      if (ahead.length > 0 && NewRuns.isRejectedIfNotAlone(beginning)) {
        return yield* new SessionBusy({ session_id: beginning.session_id })
      }
      if (NewRuns.cancelsOthers(beginning)) {
        for (const run of ahead) runs.set(run.output.run_id, { ...run, isCancelRequested: true })
      }
      const isQueued = ahead.length > 0 && beginning.isSerialized
      const begun = {
        isQueued,
        session_state: session.session_state ?? {},
        history: history(session.session_id, beginning.history)
      }
      sessions.set(session.session_id, { sequence: stored?.sequence ?? database.next(), session })
      runsOf.set(session.session_id, runsOf.get(session.session_id) ?? [])
      runsOf.get(session.session_id)?.push(beginning.run_id)
      runs.set(beginning.run_id, {
        sequence: database.next(),
        node: beginning.node,
        isCancelRequested: false,
        kind: beginning.kind,
        component_id: beginning.component_id,
        output: { ...AnyRun.running(beginning), status: isQueued ? "PENDING" : "RUNNING" },
        isSerialized: beginning.isSerialized,
        messages: [],
        events: beginning.startEvent === undefined ? [] : [beginning.startEvent],
        attempt: 1,
        historyRuns: beginning.history,
        command: beginning.command,
        entries: beginning.entries,
        counted: undefined
      })
      return begun
    }),
    dequeue,
    finish,
    finishAndDequeue,
    memberHistory: (asked) => Effect.sync(() => recall(asked)),
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
        return Effect.as(ReadGate.admit(measured(found)), found)
      }),
    list: (session, filter, page) =>
      Effect.suspend((): ReturnType<RunStore["Service"]["list"]> => {
        if (!isVisible(session, filter)) return Effect.succeedNone
        const wanted = ordered(session).filter(isWanted(filter))
        const found = (page === undefined ? wanted : pageOf(wanted, page)).map(whole)
        const bytes = found.reduce((sum, run) => sum + JSON.stringify(run).length, 0)
        return bytes > limits.answer
          ? Effect.fail(new AnswerTooLarge({ subject: "runs", bytes, limit: limits.answer }))
          : Effect.as(ReadGate.admit(Effect.succeed({ text: bytes })), Option.some(AnyRun.innerFirst(found)))
      }),
    record: ({ entry, events, position, ...lease }) =>
      Effect.sync(() => {
        const stored = held(lease)
        if (stored === undefined) return false
        // a stored event was sent again
        const hasJournalGap = stored.hasJournalGap === true || position > stored.entries.length
        const isNew = !hasJournalGap && position === stored.entries.length
        const entries = isNew ? [...stored.entries, entry] : stored.entries
        runs.set(lease.run_id, { ...stored, entries, hasJournalGap, events: appended(stored.events, events) })
        return true
      }),
    snapshot: (session, run, filter) =>
      Effect.suspend(() => {
        const stored = MemoryLeases.recalled(lookUp(run, session, filter))
        if (stored === undefined) return Effect.succeedNone
        return Effect.andThen(
          ReadGate.admit(measured(Option.some(stored.messages)), ReadGate.isReadOnly),
          Effect.asSome(StoredFormat.upcasted(snapshot(stored)))
        )
      }),
    ...MemoryLeases.make(database, snapshot),
    resume: ({ attempt, claim, entry, node, run_id }) =>
      Effect.sync(() => {
        const stored = MemoryLeases.recalled(runs.get(run_id))
        if (stored === undefined || stored.attempt !== attempt || !Run.isContinuable(stored.output.status)) {
          return Option.none()
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
        if (stored === undefined || isRunning(stored)) return
        for (const [id, waiting] of database.approvals) {
          const { approval, root_run_id } = waiting
          if (root_run_id !== run || approval.status !== "pending") continue
          database.approvals.set(id, { ...waiting, approval: Approval.afterRun(approval, "REGENERATED", at) })
        }
        runs.set(run, { ...stored, output: { ...stored.output, status: "REGENERATED" } })
      }),
    appendEvents: (happened) =>
      Effect.sync(() =>
        happened.flatMap(({ events, ...lease }) => {
          const stored = held(lease)
          if (stored === undefined) return []
          runs.set(lease.run_id, { ...stored, events: appended(stored.events, events) })
          return [lease]
        })
      ),
    readEvents: (session, run, filter, { after, limit }) =>
      Effect.sync(() => {
        const stored = lookUp(run, session, filter)
        if (stored === undefined) return Option.none()
        const { events, output: { status } } = stored
        const behind = events.filter(({ event_index }) => event_index > after).slice(0, limit)
        return Option.some({ status, count: events.length, events: behind })
      }),
    pollEvents: (polled, limit) =>
      Effect.sync(() =>
        polled.flatMap(({ after, run_id }) => {
          const stored = runs.get(run_id)
          if (stored === undefined) return []
          const behind = stored.events.filter(({ event_index }) => event_index > after)
          return [{
            run_id,
            status: stored.output.status,
            events: behind.slice(0, limit),
            hasMore: behind.length > limit
          }]
        })
      ),
    requestCancel: (run, session, filter) =>
      Effect.sync(() => {
        const stored = lookUp(run, session, filter)
        if (stored === undefined) return Option.none()
        if (isRunning(stored) || stored.output.status === "PAUSED") {
          runs.set(run, { ...stored, isCancelRequested: true })
        }
        const { session_id, status } = stored.output
        return Option.some({ session_id: session_id as Session.Id, status })
      }),
    cancelRequested: (node) =>
      Effect.sync(() =>
        [...runs].flatMap(([id, run]) => run.node === node && run.isCancelRequested && isRunning(run) ? [id] : [])
      )
  } satisfies RunStore["Service"]
}
