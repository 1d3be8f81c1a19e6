// Verifies a token and returns its claims. A port: another implementation can replace JWTs.
import { Context, Effect, Layer, Redacted } from "effect"
import { invalid, type KeysUnusable, type TokenRejected } from "./AuthErrors.ts"
import type { JwtSettings } from "./AuthSettings.ts"
import * as Jwt from "./Jwt.ts"
import type { Claims } from "./JwtClaims.ts"

const refuse = Effect.fail(invalid("No verification keys configured"))

export class TokenVerifier extends Context.Service<TokenVerifier, {
  /** The same object for the same token while it is accepted, so that derived values can be cached with it. */
  readonly verify: (token: Redacted.Redacted) => Effect.Effect<Claims, TokenRejected>
}>()("@svc-runtime/auth/TokenVerifier") {
  /** JSON Web Tokens of one algorithm, verified with configured keys. */
  static readonly layerJwt = (settings: JwtSettings): Layer.Layer<TokenVerifier, KeysUnusable> =>
    Layer.effect(TokenVerifier, Effect.map(Jwt.make(settings), (verify) => TokenVerifier.of({ verify })))

  /** Accepts the given tokens only: for tests. */
  static readonly layerTest = (tokens: Readonly<Record<string, Claims>>): Layer.Layer<TokenVerifier> =>
    Layer.succeed(
      TokenVerifier,
      TokenVerifier.of({
        verify: (token) => {
          const text = Redacted.value(token)
          const claims = Object.hasOwn(tokens, text) ? tokens[text] : undefined
          return claims === undefined ? refuse : Effect.succeed(claims)
        }
      })
    )

  /** Accepts no tokens. */
  static readonly layerDisabled: Layer.Layer<TokenVerifier> = Layer.succeed(
    TokenVerifier,
    TokenVerifier.of({ verify: () => refuse })
  )
}
