// Refusals of the authorization server, with the codes of the standards (RFC 6749 §5.2, RFC 7591 §3.2.2, RFC 8707 §2).
import { Schema } from "effect"

export const codes = [
  "invalid_request",
  "invalid_client",
  "invalid_grant",
  "invalid_scope",
  "invalid_target",
  "unsupported_grant_type",
  "unsupported_response_type",
  "invalid_redirect_uri",
  "invalid_client_metadata",
  "temporarily_unavailable"
] as const

export class OAuthError extends Schema.TaggedError<OAuthError>()("OAuthError", {
  error: Schema.Literals(codes),
  description: Schema.String
}) {
  override get message() {
    return this.description
  }
}

export const refusal = (error: (typeof codes)[number], description: string) => new OAuthError({ error, description })
