// The runs of a session by their status, for callers that name only the session.
import type * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Run from "@svc-runtime/domain/Run"
import * as RunStatus from "@svc-runtime/domain/RunStatus"
import * as Session from "@svc-runtime/domain/Session"
import type { FoundRun } from "@svc-runtime/engine/run/store/RunReads"
import type { Place } from "@svc-runtime/engine/run/store/RunWrites"
import { Effect, Option } from "effect"
import * as LeftPath from "./LeftPath.ts"
import type { RunService } from "./RunService.ts"
import type { Scoped } from "./VisibleRuns.ts"

type Service = RunService["Service"]

export interface Query extends Scoped {
  readonly session_id: string
  /** Only runs on the path that leads to the leaf of the session. */
  readonly isOnPath?: boolean | undefined
  /** Only this run. */
  readonly run_id?: Run.Id | undefined
}

/** The last changed ones are read. A caller can name another one by its id. */
const maxRuns = 20

/**
 * Those of the component itself, the last changed one first. The session is that of the token, if it is limited to one.
 * No session has an id that stores would change.
 */
export const withStatus = (
  service: Service,
  { isOnPath, run_id, session_id: given, ...scoped }: Query,
  statuses: ReadonlyArray<RunStatus.Status>,
  limit = maxRuns
) => {
  const session_id = scoped.caller.principal.session_id ?? given
  return Ids.isExact(session_id)
    ? Effect.map(
      service.search({ ...scoped, session_id: Session.Id.make(session_id), run_id, isOnPath, statuses, limit }),
      ({ runs }) => runs
    )
    : Effect.succeed([])
}

/** The executed and queued ones. */
export const active = (service: Service, query: Query) => withStatus(service, query, RunStatus.active)

/** The paused ones, with what they wait for, for a request that continues one. */
export const paused = Effect.fnUntraced(function*(service: Service, { partOf = "continue", ...query }: Query) {
  const { caller, component } = query
  const found = yield* withStatus(service, { ...query, partOf }, ["PAUSED"])
  const runs = yield* Effect.forEach(
    found,
    ({ run_id, session_id }) =>
      service.get({ caller, component, partOf, run_id, session_id }).pipe(
        Effect.asSome,
        // it was deleted meanwhile
        Effect.catchTag("RunNotFound", () => Effect.succeedNone)
      )
  )
  return runs.flatMap((run): ReadonlyArray<AnyRun.Output> => Option.toArray(run))
})

/**
 * The paused run whose answer is made again: the one with this id, or the last one. It waits no more when another run
 * replaces it. None if there is none, or if it cannot be forked, as that of a workflow.
 */
export const replaceable = Effect.fnUntraced(function*(service: Service, query: Query, named: string | undefined) {
  if (!ComponentKind.descriptions[query.component.kind].hasConversations) return Option.none()
  if (named !== undefined && !Ids.isExact(named)) return Option.none()
  const run_id = named === undefined ? undefined : Run.Id.make(named)
  const sought = { ...query, run_id, isOnPath: true, partOf: "continue" } as const
  return Option.fromUndefinedOr((yield* withStatus(service, sought, ["PAUSED"], 1))[0])
})

/** Runs that have not ended, and leave the path of a session when a run comes to the place. */
export const replacedBy = (service: Service, query: Query, place: Place, client: LeftPath.Client) => {
  const { caller, component } = query
  const scoped = { ...query, isOnPath: true, partOf: "start" } as const
  return LeftPath.by(
    {
      onPath: (statuses = Run.Status.literals) => withStatus(service, scoped, statuses),
      places: (session_id, run_ids) => service.places({ caller, component, partOf: "start", session_id, run_ids })
    },
    place,
    client
  )
}

/** They end, or wait no more. */
export const end = (
  service: Service,
  { caller, component }: Scoped,
  runs: ReadonlyArray<Pick<FoundRun, "run_id" | "session_id">>
) =>
  Effect.forEach(runs, ({ run_id, session_id }) => service.cancel({ caller, component, run_id, session_id }), {
    discard: true
  })

/**
 * Requests the end of the runs that have begun, and of paused ones if asked. Queued ones are messages of others, which
 * execute next: they are ended if nothing has begun. Whether there was a run to end.
 */
export const cancel = Effect.fnUntraced(function*(
  service: Service,
  query: Query,
  { alsoPaused }: { readonly alsoPaused: boolean }
) {
  const found = (status: Run.Status) => withStatus(service, { ...query, partOf: "cancel" }, [status])
  // each status on its own: many queued runs would hide an older one that is executed
  const begun = [...yield* found("RUNNING"), ...(alsoPaused ? yield* found("PAUSED") : [])]
  const runs = begun.length > 0 ? begun : yield* found("PENDING")
  yield* end(service, query, runs)
  return runs.length > 0
})
