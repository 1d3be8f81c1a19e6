// A team as discovery shows it: as an agent, with its mode and its members.
import { Schema, Struct } from "effect"
import * as Agent from "./Agent.ts"
import { exact } from "./Ids.ts"
import * as Json from "./Json.ts"

export const Id = Schema.String.check(exact).pipe(Schema.brand("TeamId"))
export type Id = typeof Id.Type

/**
 * `coordinate`: the leader asks members and makes one answer of theirs. `route`: the member's answer is the team's.
 * `broadcast`: all members are asked at once. `tasks`: the leader keeps a list of tasks and has them done.
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

/** What is known of a team that a factory makes for each request. */
export const FactoryDetail = Schema.Struct({
  id: Id,
  name: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.String),
  db_id: Schema.optionalKey(Schema.String),
  is_factory: Schema.Literal(true),
  is_component: Schema.Boolean,
  input_schema: Schema.optionalKey(Json.Object),
  /** What `factory_input` has to be. */
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
    // before agents: an agent has everything that a team has, but for its mode
    Schema.suspend((): Schema.Codec<Detail, Encoded> => Detail),
    Agent.Detail
  ])))
}).annotate({ identifier: "TeamResponse" })

/** A team that is there, or a factory of one. */
export const Listed = Schema.Union([Detail, FactoryDetail])
export type Listed = typeof Listed.Type
