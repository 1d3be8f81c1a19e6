// Why a caller is not let in, in the words that the caller is told. Older command-line tools tell the
// modes of a service apart by the first two.
import { Schema } from "effect"

/** There is nothing to look at. */
export class CredentialMissing extends Schema.TaggedError<CredentialMissing>()("CredentialMissing", {
  message: Schema.String
}) {}

/** What there is, is not the key. */
export class KeyRejected extends Schema.TaggedError<KeyRejected>()("KeyRefused", {}) {
  override get message() {
    return "Invalid authentication token"
  }
}
