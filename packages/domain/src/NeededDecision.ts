// What a refused request to continue or decide lacks. It is data of the error: each client makes its own words of it.
import { Schema } from "effect"

export const NeededDecision = Schema.Struct({
  /** What waits: a call with its id, an event or a step. */
  name: Schema.String,
  /** `outcome`: the result of a call that was cut off, or whether it is repeated. `retry`: what a failed step does. */
  kind: Schema.Literals(["confirmation", "values", "choices", "result", "event", "outcome", "retry"]),
  /** The fields that have no value, the choices, or the event. */
  names: Schema.Array(Schema.String)
}).annotate({ identifier: "NeededDecision" })
export type NeededDecision = typeof NeededDecision.Type
