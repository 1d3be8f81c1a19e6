// The runs of a session by their status, for protocols that name only the session.
import type * as AnyRun from "@svc/domain/AnyRun"
import type { Status } from "@svc/domain/RunStatus"
import * as Session from "@svc/domain/Session"
import type { Scoped } from "@svc/runtime/service/RunReading"
import type { RunService } from "@svc/runtime/service/RunService"
import { Effect } from "effect"

export interface Query extends Scoped {
  readonly session_id: string
}

/** Those of the component itself, in the order of acceptance. Empty for an unknown session. */
export const withStatus = Effect.fnUntraced(
  function*(service: RunService["Service"], { session_id, ...scoped }: Query, statuses: ReadonlyArray<Status>) {
    const lists = yield* Effect.forEach(
      statuses,
      (status) =>
        service.list({ ...scoped, session_id: Session.Id.make(session_id), status }).pipe(
          Effect.catchTag("SessionNotFound", () => Effect.succeed<ReadonlyArray<AnyRun.Output>>([]))
        )
    )
    return lists.flat().filter(({ parent_run_id }) => parent_run_id === undefined)
  }
)
