// Why a caller is rejected, with the texts of the response. Older command-line tools detect the mode of a service by
// the first two.
import { Schema } from "effect"

/** The credential is missing. */
export class CredentialMissing extends Schema.TaggedError<CredentialMissing>()("CredentialMissing", {
  message: Schema.String
}) {}

/** The credential is not the key. */
export class KeyRejected extends Schema.TaggedError<KeyRejected>()("KeyRefused", {}) {
  override get message() {
    return "Invalid authentication token"
  }
}
