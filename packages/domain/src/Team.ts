// A team in discovery: the fields of an agent, its mode and its members.
import { Schema, Struct } from "effect"
import * as Agent from "./Agent.ts"
import { exact } from "./Ids.ts"
import * as Json from "./Json.ts"

export const Id = Schema.String.check(exact).pipe(Schema.brand("TeamId"))
export type Id = typeof Id.Type

/**
 * `coordinate`: the leader calls members and combines their answers. `route`: the member's answer is the team's.
 * `broadcast`: all members are called concurrently. `tasks`: the leader keeps a list of tasks for its members.
 */
export const Mode = Schema.Literals(["coordinate", "route", "broadcast", "tasks"])
export type Mode = typeof Mode.Type

type Shared<A> = Omit<A, "id">

export type Detail = Shared<Agent.Detail> & {
  readonly id: Id
  readonly mode: Mode
  readonly streaming?: { readonly stream_member_events?: boolean }
  readonly members?: ReadonlyArray<Agent.Detail | Detail>
}

export type Encoded = Shared<typeof Agent.Detail.Encoded> & {
  readonly id: string
  readonly mode: Mode
  readonly streaming?: { readonly stream_member_events?: boolean }
  readonly members?: ReadonlyArray<typeof Agent.Detail.Encoded | Encoded>
}

/** A team of a factory, before it is built. */
export const FactoryDetail = Schema.Struct({
  id: Id,
  name: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.String),
  db_id: Schema.optionalKey(Schema.String),
  is_factory: Schema.Literal(true),
  is_component: Schema.Boolean,
  input_schema: Schema.optionalKey(Json.Object),
  /** The JSON Schema of `factory_input`. */
  factory_input_schema: Schema.optionalKey(Json.Object)
}).annotate({ identifier: "TeamFactoryResponse" })
export type FactoryDetail = typeof FactoryDetail.Type

export const Streaming = Schema.Struct({ stream_member_events: Schema.optionalKey(Schema.Boolean) })
  .annotate({ identifier: "TeamStreaming" })

export const Detail = Schema.Struct({
  ...Struct.omit(Agent.Detail.fields, ["id"]),
  id: Id,
  mode: Mode,
  streaming: Schema.optionalKey(Streaming),
  members: Schema.optionalKey(Schema.Array(Schema.Union([
    // before agents, because an agent has every field of a team except the mode
    Schema.suspend((): Schema.Codec<Detail, Encoded> => Detail),
    Agent.Detail
  ])))
}).annotate({ identifier: "TeamResponse" })

/** A team, or a factory of teams. */
export const Listed = Schema.Union([Detail, FactoryDetail])
export type Listed = typeof Listed.Type
