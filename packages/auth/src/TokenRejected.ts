// Why a token is rejected, with the texts of the response. They never contain key material.
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
