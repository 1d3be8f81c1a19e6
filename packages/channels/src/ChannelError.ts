// Why a platform refused a call, or why a request was not from it.
import { Schema } from "effect"

/**
 * What to do about a failure of an adapter:
 *
 * - `forged`: the request is not from the platform, or too old. It is answered with 401, and nothing is stored.
 * - `malformed`: the request cannot be read. It is answered with 400, and nothing is stored.
 * - `rate_limited`: the platform asks to wait for `retryAfter` seconds.
 * - `temporary`: the call may work later, because the platform is away or failed.
 * - `unauthorized`: the token is wrong, has expired or lacks a permission. An operator must change the settings.
 * - `permanent`: the conversation, message or file is gone, or the text is refused. The call is not made again.
 */
export const Reason = Schema.Literals([
  "forged",
  "malformed",
  "rate_limited",
  "temporary",
  "unauthorized",
  "permanent"
])

export type Reason = typeof Reason.Type

/**
 * The failure of an adapter. Other errors that an adapter throws count as `temporary`. Operators see the message, so
 * that it has no secret.
 *
 * @example
 * ```ts
 * throw new ChannelError({ reason: "rate_limited", message: "Slack asks to wait for 3 s", retryAfter: 3 })
 * ```
 */
export class ChannelError extends Schema.TaggedError<ChannelError>()("ChannelError", {
  reason: Reason,
  message: Schema.String,
  /** Seconds. */
  retryAfter: Schema.optionalKey(Schema.Finite)
}) {}
