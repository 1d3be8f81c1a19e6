// The runs of a session by their status, for protocols that name only the session.
import * as Ids from "@svc/domain/Ids"
import type { Status } from "@svc/domain/RunStatus"
import * as Session from "@svc/domain/Session"
import * as PausedRun from "@svc/protocols/pause/PausedRun"
import type { Scoped } from "@svc/runtime/service/RunReading"
import type { RunService } from "@svc/runtime/service/RunService"
import { Effect, Option } from "effect"

type Service = RunService["Service"]

export interface Query extends Scoped {
  readonly session_id: string
}

/** More runs of one session do not wait or run at a time. */
const most = 20

/** Those of the component itself, the last changed one first. No session has an id that stores would change. */
export const withStatus = (
  service: Service,
  { session_id, ...scoped }: Query,
  statuses: ReadonlyArray<Status>,
  limit = most
) =>
  Ids.isExact(session_id)
    ? Effect.map(
      service.search({ ...scoped, session_id: Session.Id.make(session_id), statuses, limit }),
      ({ runs }) => runs
    )
    : Effect.succeed([])

/** The paused ones, with what they wait for. */
export const paused = Effect.fnUntraced(function*(service: Service, query: Query) {
  const { caller, component } = query
  const found = yield* withStatus(service, query, ["PAUSED"])
  const runs = yield* Effect.forEach(
    found,
    ({ run_id, session_id }) =>
      service.get({ caller, component, run_id, session_id }).pipe(
        Effect.asSome,
        // it was deleted meanwhile
        Effect.catchTag("RunNotFound", () => Effect.succeedNone)
      )
  )
  return runs.flatMap(Option.toArray).map(PausedRun.of)
})
