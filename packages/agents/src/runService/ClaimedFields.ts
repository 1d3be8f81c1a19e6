// The fields of dependencies and of session states that only claims of a token set. A request never sets them, also
// where its token lacks the claim. All that a request sends for a state passes `unclaimed`: runs of every transport in
// `RunIdentity`, and `POST /sessions` and `PATCH /sessions/{session_id}` in their handlers.
import type * as Json from "@svc-runtime/domain/Json"
import { Context, Effect } from "effect"

export interface Fields {
  readonly dependencies: ReadonlyArray<string>
  readonly session_state: ReadonlyArray<string>
}

/** As the operator has set them. */
export class ClaimedFields
  extends Context.Service<ClaimedFields, Fields>()("@svc-runtime/agents/runService/ClaimedFields")
{}

const without = (sent: Json.Object, names: ReadonlyArray<string>): Json.Object =>
  Object.fromEntries(Object.entries(sent).filter(([name]) => !names.includes(name)))

/** What a request may set. */
export const unclaimed = Effect.fnUntraced(function*(
  claimed: Fields,
  field: keyof Fields,
  sent: Json.Object
): Effect.fn.Return<Json.Object> {
  const found = claimed[field].filter((name) => Object.hasOwn(sent, name))
  if (found.length === 0) return sent
  yield* Effect.logWarning(
    `The request sets ${field} that only claims of a token set; they are left out: ${found.join(", ")}`
  )
  return without(sent, found)
})

/** What claims have set in a stored state. */
export const kept = (claimed: Fields, stored: Json.Object | null): Json.Object =>
  Object.fromEntries(Object.entries(stored ?? {}).filter(([name]) => claimed.session_state.includes(name)))
