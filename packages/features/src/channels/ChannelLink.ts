// A person on a platform who is a user of the service.
import * as Ids from "@svc-runtime/domain/Ids"
import { Schema } from "effect"

const fields = {
  id: Schema.String,
  channel: Schema.String,
  /** What the platform calls the person. */
  sender: Schema.String,
  /** As people see it. */
  name: Schema.NullOr(Schema.String),
  user_id: Ids.UserId,
  created_at: Schema.Int
}

/** As it is stored. */
export const Link = Schema.Struct({
  ...fields,
  /** Those of the credential that has confirmed it, as far as they count on the channel. A role stays one. */
  scopes: Schema.Array(Schema.String)
})
export type Link = typeof Link.Type

/** As people see it. */
export const Shown = Schema.Struct({
  ...fields,
  /** What the person may do on the channel now. */
  scopes: Schema.Array(Schema.String),
  /** Whether the person may decide what runs of others wait for. */
  approves: Schema.Boolean,
  /** From then on the channel asks for another confirmation. Null: never. */
  expires_at: Schema.NullOr(Schema.Int)
}).annotate({ identifier: "ChannelLink" })
export type Shown = typeof Shown.Type

/** Who has a code. */
export const Linking = Schema.Struct({
  channel: Schema.String,
  sender: Schema.String,
  name: Schema.NullOr(Schema.String)
}).annotate({ identifier: "ChannelLinking" })
export type Linking = typeof Linking.Type

export interface Code extends Linking {
  readonly hash: string
  readonly expires_at: number
}

const code = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(100))

/** Asks whose code it is. */
export const Preview = Schema.Struct({ code }).annotate({ identifier: "ChannelLinkPreview" })

/** Links the account whose code it is. */
export const Confirm = Schema.Struct({
  code,
  /** Counts only if the credential names no user. */
  user_id: Schema.optionalKey(Schema.NullOr(Ids.UserId))
}).annotate({ identifier: "ChannelLinkConfirm" })
