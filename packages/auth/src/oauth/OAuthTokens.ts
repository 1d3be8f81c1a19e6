// Access tokens of the authorization server that protects the MCP endpoint. A port: the server can be another one, or
// the service itself.
import type * as Principal from "@svc-runtime/domain/Principal"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Context, Effect, Layer, type Redacted } from "effect"
import { invalid, type TokenRejected } from "../AuthErrors.ts"
import type { JwtKeys } from "../JwtKeys.ts"
import * as IssuerTokens from "./IssuerTokens.ts"

const refuse = Effect.fail(invalid("this service accepts no access tokens of OAuth"))

export class OAuthTokens extends Context.Service<OAuthTokens, {
  readonly authenticate: (
    token: Redacted.Redacted
  ) => Effect.Effect<Principal.Principal, TokenRejected | StorageUnavailable>
  /** Verifies an accepted token again, for each event of an open stream. */
  readonly reauthenticate: (
    token: Redacted.Redacted
  ) => Effect.Effect<Principal.Principal, TokenRejected | StorageUnavailable>
}>()("@svc-runtime/auth/oauth/OAuthTokens") {
  /** Tokens that another server issues: JSON Web Tokens. */
  static readonly ofIssuer = (settings: IssuerTokens.IssuerSettings, keys: JwtKeys): OAuthTokens["Service"] => {
    const authenticate = IssuerTokens.make(settings, keys)
    return { authenticate, reauthenticate: authenticate }
  }

  /** Accepts no tokens. */
  static readonly layerDisabled: Layer.Layer<OAuthTokens> = Layer.succeed(
    OAuthTokens,
    OAuthTokens.of({ authenticate: () => refuse, reauthenticate: () => refuse })
  )
}
