// Reads sessions and their runs, for every transport: selects the database and the owner.
import type { DatabaseChoice, Databases } from "@svc-runtime/agents/database/Databases"
import { Errors } from "@svc-runtime/api"
import type * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type * as Ids from "@svc-runtime/domain/Ids"
import * as Pagination from "@svc-runtime/domain/Pagination"
import type * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import type * as Sort from "@svc-runtime/domain/Sort"
import * as RequestCaller from "@svc-runtime/http/authorization/RequestCaller"
import { chooseDatabase } from "@svc-runtime/http/wire/chooseDatabase"
import { notListed, orUnavailable, storageUnavailable } from "@svc-runtime/http/wire/WireErrors"
import { Effect, Option } from "effect"
import * as ContentSoFar from "./ContentSoFar.ts"

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
    const found = yield* sessions.list(
      {
        kind: request.type,
        componentId: request.component_id,
        owner: yield* RequestCaller.ownerOf(request.user_id),
        name: request.session_name
      },
      request,
      { by: request.sort_by, order: request.sort_order }
    ).pipe(Effect.mapError(notListed))
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
    return yield* Effect.mapError(ContentSoFar.added(reading, found.value), storageUnavailable)
  })

  const run = Effect.fnUntraced(function*(request: RunRequest) {
    const { run_id, session_id } = request
    const { runs, sessions } = yield* choose(request)
    const owner = yield* RequestCaller.ownerOf(request.user_id)
    const found = yield* runs.find(session_id, run_id, { owner })
    if (Option.isSome(found)) {
      const [run = found.value] = yield* ContentSoFar.added({ runs, owner, session: session_id }, [found.value])
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

  return { choose, page, runs, run }
}
