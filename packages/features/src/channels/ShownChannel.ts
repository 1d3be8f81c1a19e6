// A channel as people see it, with its health.
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import { Schema } from "effect"

export const Problem = Schema.Struct({
  /** Requests of the platform, messages to it, or the connection with it. */
  kind: Schema.Literals(["receive", "post", "connect"]),
  message: Schema.String,
  at: Schema.Int
}).annotate({ identifier: "ChannelProblem" })

export const Health = Schema.Struct({
  last_event_at: Schema.NullOr(Schema.Int),
  last_post_at: Schema.NullOr(Schema.Int),
  waiting_events: Schema.Int,
  waiting_replies: Schema.Int,
  /** The last one of each kind, the newest first. */
  errors: Schema.Array(Problem)
}).annotate({ identifier: "ChannelHealth" })

export const Shown = Schema.Struct({
  id: Schema.String,
  platform: Schema.String,
  component_kind: ComponentKind.ComponentKind,
  component_id: Schema.String,
  access: Schema.Literals(["linked", "open"]),
  when_busy: Schema.Literals(["queue", "interrupt", "reject"]),
  tenant: Schema.NullOr(Schema.String),
  /** Whether the code of the service declares it. */
  declared: Schema.Boolean,
  /** Those of a stored channel that are not secret. Null: the code of the service has them. */
  settings: Schema.NullOr(Schema.Record(Schema.String, Schema.String)),
  /** The names of its stored secrets, which are never shown. */
  secrets: Schema.Array(Schema.String),
  /** Whether the platform calls the service at this path. Null: the service listens over a connection. */
  events_path: Schema.NullOr(Schema.String),
  /** Null: the channel is not of the caller's tenant. */
  health: Schema.NullOr(Health)
}).annotate({ identifier: "Channel" })
export type Shown = typeof Shown.Type

export const Tested = Schema.Struct({
  ok: Schema.Boolean,
  /** Who the agent is on the platform. */
  identity: Schema.NullOr(Schema.String),
  error: Schema.NullOr(Schema.Struct({ reason: Schema.String, message: Schema.String }))
}).annotate({ identifier: "ChannelTest" })
export type Tested = typeof Tested.Type
