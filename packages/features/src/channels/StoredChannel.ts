// Channels that requests make. Their secrets are stored sealed, and are never shown.
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import { exact, IdInput } from "@svc-runtime/domain/Ids"
import { EpochSeconds } from "@svc-runtime/domain/Time"
import { Schema } from "effect"

/** A part of the URL, and of the names of users. */
export const idPattern = /^[a-z0-9][a-z0-9_-]{0,63}$/

const Sender = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(300), exact)
const Senders = Schema.Array(Sender).check(Schema.isMaxLength(1000))

/** Who may talk to the component. */
export const Access = Schema.Union([
  Schema.Struct({ type: Schema.Literal("linked") }),
  Schema.Struct({
    type: Schema.Literal("open"),
    senders: Schema.optionalKey(Senders),
    approvers: Schema.optionalKey(Senders)
  })
]).annotate({ identifier: "ChannelAccess" })
export type Access = typeof Access.Type

/** Texts, also those of secrets. */
const Value = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(10_000), exact)
const Name = Schema.String.check(Schema.isPattern(/^[a-z][a-z_]{0,39}$/))

const optional = {
  access: Schema.optionalKey(Access),
  when_busy: Schema.optionalKey(Schema.Literals(["queue", "interrupt", "reject"]))
}

export const Create = Schema.Struct({
  /** The name of the platform, when left out. */
  id: Schema.optionalKey(Schema.String.check(Schema.isPattern(idPattern))),
  platform: Schema.String,
  component_kind: ComponentKind.ComponentKind,
  component_id: IdInput,
  settings: Schema.Record(Name, Value),
  ...optional
}).annotate({ identifier: "ChannelCreate" })
export type Create = typeof Create.Type

export const Patch = Schema.Struct({
  component_kind: Schema.optionalKey(ComponentKind.ComponentKind),
  component_id: Schema.optionalKey(IdInput),
  /** What is left out stays. Null removes a setting. */
  settings: Schema.optionalKey(Schema.Record(Name, Schema.NullOr(Value))),
  ...optional
}).annotate({ identifier: "ChannelUpdate" })
export type Patch = typeof Patch.Type

export const Stored = Schema.Struct({
  id: Schema.String,
  /** Another one after each change. */
  revision: Schema.String,
  platform: Schema.String,
  component_kind: ComponentKind.ComponentKind,
  component_id: Schema.String,
  access: Access,
  when_busy: Schema.Literals(["queue", "interrupt", "reject"]),
  tenant: Schema.NullOr(Schema.String),
  settings: Schema.Record(Schema.String, Schema.String),
  /** One sealed text: the secrets by their names, as JSON. */
  secrets: Schema.String,
  secret_names: Schema.Array(Schema.String),
  created_at: EpochSeconds,
  updated_at: Schema.NullOr(EpochSeconds)
})
export type Stored = typeof Stored.Type

/** What its secrets are sealed for. */
export const rowOf = (id: string): string => `channel:${id}`
