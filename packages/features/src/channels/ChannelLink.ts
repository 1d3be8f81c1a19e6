// A person on a platform who is a user of the service.
import * as Ids from "@svc-runtime/domain/Ids"
import { Schema } from "effect"

export const Link = Schema.Struct({
  id: Schema.String,
  channel: Schema.String,
  /** What the platform calls the person. */
  sender: Schema.String,
  /** As people see it. */
  name: Schema.NullOr(Schema.String),
  user_id: Ids.UserId,
  /** What the person may do on the channel. */
  scopes: Schema.Array(Schema.String),
  /** Whether the person may decide what runs of others wait for. */
  approves: Schema.Boolean,
  created_at: Schema.Int
}).annotate({ identifier: "ChannelLink" })
export type Link = typeof Link.Type

/** Who has a code. */
export interface Linking {
  readonly channel: string
  readonly sender: string
  readonly name: string | null
}

export interface Code extends Linking {
  readonly hash: string
  readonly expires_at: number
}
