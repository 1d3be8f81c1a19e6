// Reads sessions and their runs, for every transport: selects the database and the owner.
import type { DatabaseChoice, Databases } from "@svc-runtime/agents/database/Databases"
import { Errors } from "@svc-runtime/api"
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Owner from "@svc-runtime/domain/Owner"
import * as Pagination from "@svc-runtime/domain/Pagination"
import type * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import type * as Sort from "@svc-runtime/domain/Sort"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as ReadLimiter from "@svc-runtime/engine/limits/ReadLimiter"
import type { RunLog } from "@svc-runtime/engine/run/store/RunLog"
import type { PlacedRun } from "@svc-runtime/engine/run/store/RunReads"
import * as RequestCaller from "@svc-runtime/http/authorization/RequestCaller"
import { chooseDatabase } from "@svc-runtime/http/wire/chooseDatabase"
import { notListed, orUnavailable, storageUnavailable } from "@svc-runtime/http/wire/WireErrors"
import type { RunPiece } from "@svc-runtime/protocols/run/RunPiece"
import * as RunPieces from "@svc-runtime/protocols/run/RunPieces"
import { Effect, Option } from "effect"

// The text that executing runs have made so far, from their events. A page that is loaded in the middle of an answer
// shows it before the events to come.

/** Events in one read. */
const page = 500

/** Of a run. What follows is missing until the run ends. */
const maxEvents = 20_000

/** More runs of one session rarely execute at a time. The others are without content. */
const maxRuns = 20

interface Reading {
  readonly runs: Pick<RunLog["Service"], "readEvents">
  readonly session: Session.Id
  readonly owner: Owner.Owner
}

/** The text of the last answer of the model, as the end of the run has it. */
const textOf = Effect.fnUntraced(function*({ owner, runs, session }: Reading, run: AnyRun.Output) {
  const pieces = RunPieces.make(run.run_id)
  let answer: { readonly segment: number; readonly texts: Array<string> } = { segment: -1, texts: [] }
  const add = (piece: RunPiece): void => {
    if (piece._tag === "Resumed" && piece.isVoid) answer = { segment: -1, texts: [] }
    if (piece._tag !== "Text") return
    if (piece.segment !== answer.segment) answer = { segment: piece.segment, texts: [] }
    answer.texts.push(piece.delta)
  }
  for (let after = -1; after < maxEvents - 1;) {
    const read = Option.getOrUndefined(yield* runs.readEvents(session, run.run_id, { owner }, { after, limit: page }))
    for (const event of read?.events ?? []) pieces.push(event).forEach(add)
    const last = read?.events.at(-1)?.event_index
    if (read === undefined || last === undefined || last >= read.count - 1) break
    after = last
  }
  return answer.texts.join("")
})

/** Runs inside of another one have no events of their own. */
const isExecuting = (run: AnyRun.Output): boolean =>
  run.status === "RUNNING" && run.content === undefined && (AnyRun.isWorkflow(run) || run.parent_run_id === undefined)

/** The same runs, the executing ones with their text so far. */
const added = <A extends AnyRun.Output>(
  reading: Reading,
  runs: ReadonlyArray<A>
): Effect.Effect<ReadonlyArray<A>, StorageUnavailable> => {
  const executing = new Set(runs.filter(isExecuting).slice(0, maxRuns))
  if (executing.size === 0) return Effect.succeed(runs)
  return Effect.forEach(runs, (run) =>
    executing.has(run)
      ? Effect.map(textOf(reading, run), (content) => content === "" ? run : { ...run, content })
      : Effect.succeed(run))
}

interface OwnerQuery extends DatabaseChoice {
  /** Whose, as far as the caller may choose. */
  readonly user_id?: Ids.UserId | undefined
}

export interface PageRequest extends OwnerQuery, Pagination.Request {
  readonly type?: ComponentKind.ComponentKind | undefined
  readonly component_id?: string | undefined
  readonly session_name?: string | undefined
  readonly sort_by: string
  readonly sort_order: Sort.Order
}

export interface RunsRequest extends OwnerQuery, Pagination.Optional {
  readonly session_id: Session.Id
  /** Epoch seconds. */
  readonly created_after?: number | undefined
  readonly created_before?: number | undefined
}

export interface RunRequest extends OwnerQuery {
  readonly session_id: Session.Id
  readonly run_id: Run.Id
}

const sessionNotFound = (id: Session.Id) => Errors.notFound(`Session with ID ${id} not found`)

export const make = (databases: Databases["Service"]) => {
  const choose = chooseDatabase(databases)

  const page = Effect.fnUntraced(function*(request: PageRequest) {
    const { sessions } = yield* choose(request)
    const list = sessions.list(
      {
        kind: request.type,
        componentId: request.component_id,
        owner: yield* RequestCaller.ownerOf(request.user_id),
        name: request.session_name
      },
      request,
      { by: request.sort_by, order: request.sort_order }
    )
    const found = yield* Effect.mapError(
      request.session_name === undefined ? list : ReadLimiter.searching(list),
      notListed
    )
    const response = Pagination.response(request, found.sessions.map(Session.toItem), found.total)
    return { response, isWhole: found.isWhole }
  })

  const runs = Effect.fnUntraced(function*(request: RunsRequest) {
    const { runs } = yield* choose(request)
    const owner = yield* RequestCaller.ownerOf(request.user_id)
    const found = yield* runs.list(request.session_id, {
      owner,
      createdAfter: request.created_after,
      createdBefore: request.created_before
    }, Pagination.requested(request)).pipe(Effect.mapError(notListed))
    if (Option.isNone(found)) return yield* sessionNotFound(request.session_id)
    const reading = { runs, owner, session: request.session_id }
    return yield* Effect.mapError(added(reading, found.value), storageUnavailable)
  })

  const run = Effect.fnUntraced(function*(request: RunRequest) {
    const { run_id, session_id } = request
    const { runs, sessions } = yield* choose(request)
    const owner = yield* RequestCaller.ownerOf(request.user_id)
    const found = yield* runs.find(session_id, run_id, { owner })
    if (Option.isSome(found)) {
      const [run = found.value] = yield* added({ runs, owner, session: session_id }, [found.value])
      return run
    }
    const session = yield* sessions.find(session_id, owner)
    if (Option.isNone(session)) return yield* sessionNotFound(session_id)
    // The name comes from the first run, so a session without a name had no runs.
    return yield* Errors.notFound(
      session.value.derived_name === null
        ? `Session with ID ${session_id} has no runs`
        : `Run with ID ${run_id} not found in session ${session_id}`
    )
  }, orUnavailable)

  /** As they are shown, with their places in the tree of the session. */
  const records = Effect.fnUntraced(function*(
    request: DatabaseChoice & Pick<RunsRequest, "session_id">,
    found: ReadonlyArray<AnyRun.Output>
  ) {
    const { runs } = yield* choose(request)
    const places = yield* runs.places(request.session_id, found.map(({ run_id }) => run_id))
    const byRun = new Map<string, Omit<PlacedRun, "is_addition">>(
      places.map(({ is_addition: _, ...place }) => [place.run_id, place])
    )
    return found.map((run): AnyRun.Record => ({ ...AnyRun.toRecord(run), ...byRun.get(run.run_id) }))
  }, orUnavailable)

  return { choose, page, runs, run, records }
}
