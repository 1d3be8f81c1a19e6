// Marks the sessions of conversations, so that people who see the session elsewhere know where it is from.
import { ComponentDatabases, type ComponentRef } from "@svc-runtime/agents/database/ComponentDatabases"
import { Databases } from "@svc-runtime/agents/database/Databases"
import type * as Json from "@svc-runtime/domain/Json"
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Session from "@svc-runtime/domain/Session"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { now } from "@svc-runtime/engine/now"
import { Effect, Option } from "effect"

/** Has the channel in the metadata of a session, as in that of its runs. */
export const key = "channel"

export type Mark = (
  component: ComponentRef,
  session_id: Session.Id,
  channel: Json.Object
) => Effect.Effect<void, StorageUnavailable>

export const make = Effect.gen(function*() {
  const [{ candidates }, { choose }] = [yield* ComponentDatabases, yield* Databases]

  /** A session that is gone has no mark. */
  const mark: Mark = Effect.fnUntraced(
    function*(component, session_id, channel) {
      const { sessions } = yield* choose({ db_id: candidates(component)[0] })
      const found = Option.getOrUndefined(yield* sessions.find(session_id, Owner.anyone))
      if (found === undefined || found.metadata?.[key] !== undefined) return
      const metadata = { ...found.metadata, [key]: channel }
      yield* sessions.update(session_id, Owner.anyone, { metadata, updated_at: yield* now })
    },
    Effect.catchTags({
      DatabaseNotChosen: () => Effect.void,
      DatabaseNotFound: () => Effect.void,
      RunNotFound: () => Effect.void,
      SessionNotFound: () => Effect.void
    })
  )
  return mark
})
