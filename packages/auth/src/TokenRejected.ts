// Why a token is not accepted, in the words that its bearer is told. Nothing in them comes from a key.
import { Schema } from "effect"

export class TokenRejected extends Schema.TaggedError<TokenRejected>()("TokenRefused", {
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
