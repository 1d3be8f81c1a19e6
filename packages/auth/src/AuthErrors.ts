// Why a caller is rejected, with the texts of the response, and why a service cannot authenticate at all. Older
// command-line tools detect the mode of a service by the first two.
import { Schema } from "effect"

/** The credential is missing. */
export class CredentialMissing extends Schema.TaggedError<CredentialMissing>()("CredentialMissing", {
  message: Schema.String
}) {}

/** The credential is not the key. */
export class KeyRejected extends Schema.TaggedError<KeyRejected>()("KeyRejected", {}) {
  override get message() {
    return "Invalid authentication token"
  }
}

/** Neither message contains key material. */
export class TokenRejected extends Schema.TaggedError<TokenRejected>()("TokenRejected", {
  reason: Schema.Literals(["expired", "invalid"]),
  message: Schema.String
}) {}

export const expired = new TokenRejected({ reason: "expired", message: "Token has expired" })
export const invalid = (why: string) => new TokenRejected({ reason: "invalid", message: `Invalid token: ${why}` })
export const wrongAudience = new TokenRejected({
  reason: "invalid",
  message: "Invalid token audience - token not valid for this Svc instance"
})
export const invalidSubject = new TokenRejected({ reason: "invalid", message: "Invalid token subject" })

/** Why a service with authentication must not start. The message names the setting to change. */
export class KeysUnusable extends Schema.TaggedError<KeysUnusable>()("KeysUnusable", { message: Schema.String }) {}
