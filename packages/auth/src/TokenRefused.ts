// Why a token is not accepted, in the words that its bearer is told. Nothing in them comes from a key.
import { Schema } from "effect"

export class TokenRefused extends Schema.TaggedError<TokenRefused>()("TokenRefused", {
  reason: Schema.Literals(["expired", "invalid"]),
  message: Schema.String
}) {}

export const expired = new TokenRefused({ reason: "expired", message: "Token has expired" })
export const invalid = (why: string) => new TokenRefused({ reason: "invalid", message: `Invalid token: ${why}` })
export const wrongAudience = new TokenRefused({
  reason: "invalid",
  message: "Invalid token audience - token not valid for this Svc instance"
})
export const invalidSubject = new TokenRefused({ reason: "invalid", message: "Invalid token subject" })
