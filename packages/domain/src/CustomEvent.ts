// An event that a tool or a step of the author emits: its own fields beside the fields of every event.
import { Schema } from "effect"
import * as Json from "./Json.ts"

/** Field names of the service, which an author's event must not overwrite. */
const own = [
  "event",
  "event_index",
  "created_at",
  "agent_id",
  "agent_name",
  "team_id",
  "team_name",
  "workflow_id",
  "workflow_name",
  "workflow_run_id",
  "run_id",
  "parent_run_id",
  "session_id",
  "step_id",
  "step_name",
  "step_index",
  "parent_step_id",
  "nested_depth"
]

const isGiven = Schema.is(Json.Input)

/** Why the value is not valid as event fields; undefined if it is. */
export const problemOf = (fields: unknown): string | undefined => {
  if (!isGiven(fields)) return "The fields of an event are an object of JSON"
  const taken = own.find((name) => Object.hasOwn(fields, name))
  return taken === undefined
    ? undefined
    : `'${taken}' is a field that the service sets on every event: choose another name`
}

/** The fields that the author gave, without the fields of every event. */
export const fieldsOf = (event: object): Json.Object =>
  Object.fromEntries(Object.entries(event).filter(([name]) => !own.includes(name)))

/** The author's fields are present but not in the type. */
export const make = <const Fields extends Schema.Struct.Fields>(identifier: string, base: Fields) => {
  const event = Schema.Struct({ event: Schema.Literal("CustomEvent"), ...base })
  const whole: unknown = Schema.StructWithRest(event, [Schema.Record(Schema.String, Schema.Json)])
    .annotate({ identifier })
  return whole as Schema.Codec<typeof event.Type, typeof event.Encoded>
}
