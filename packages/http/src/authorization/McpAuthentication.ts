// Authenticates callers of the MCP endpoint where OAuth protects it: by an access token, or by each credential of the
// service. Other paths refuse access tokens.
import { type AuthenticationFailure, Authenticator, isAccountToken, OAuthTokens } from "@svc-runtime/auth"
import type * as Principal from "@svc-runtime/domain/Principal"
import { Effect, type Redacted } from "effect"

type Authenticate = (
  token: Redacted.Redacted,
  address: string | undefined
) => Effect.Effect<Principal.Principal, AuthenticationFailure>

export const make = Effect.gen(function*() {
  const { authenticatePresented, reauthenticate, settings } = yield* Authenticator
  const tokens = yield* OAuthTokens

  /** An access token, or else a credential of the service. If both are refused, the response has the first reason. */
  const either =
    (byToken: (typeof tokens)["authenticate"], byService: Authenticate): Authenticate => (token, address) =>
      isAccountToken(token)
        ? byService(token, address)
        : Effect.catchTag(byToken(token), "TokenRejected", (rejected) =>
          settings.mode === "none"
            ? Effect.fail(rejected)
            : Effect.catchTags(byService(token, address), {
              KeyRejected: () => Effect.fail(rejected),
              TokenRejected: () => Effect.fail(rejected)
            }))

  return {
    authenticate: either(tokens.authenticate, authenticatePresented),
    reauthenticate: either(tokens.reauthenticate, reauthenticate)
  }
})
