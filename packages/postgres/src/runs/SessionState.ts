// The session state that runs get. A stored state that is no JSON object is damaged: runs then start with an empty
// state, and the statement that ends them does not change the stored one.
import type * as Json from "@svc-runtime/domain/Json"
import { Effect, Predicate, Schema } from "effect"

/** As it is stored. */
export const Stored = Schema.Unknown

const isObject = (value: unknown): value is Json.Object => Predicate.isObject(value) && !Array.isArray(value)

/** `about`: the run that is shown the state, and its session where it is known. */
export const decode = (
  stored: unknown,
  { run_id, session_id }: { readonly run_id: string; readonly session_id?: string }
): Effect.Effect<Json.Object> =>
  isObject(stored) ? Effect.succeed(stored) : Effect.logError(
    "The stored state of a session is not a JSON object. The run starts with an empty state, and what it changes in the " +
      "state is not stored. Replace the state with PATCH /sessions/{session_id}"
  ).pipe(
    Effect.annotateLogs({ run_id, ...(session_id === undefined ? {} : { session_id }) }),
    Effect.as({})
  )

/** Of a session `s`: changes of its state can be stored. */
export const isChangeable = `(s.session_state is null or json_typeof(s.session_state) = 'object')`
