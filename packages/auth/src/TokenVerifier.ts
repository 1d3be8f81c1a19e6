// Whether a token is genuine, and what it claims. A port: whatever can answer this may take the place of JWTs.
import { Context, Effect, Layer, Redacted } from "effect"
import type { JwtSettings } from "./AuthSettings.ts"
import * as Jwt from "./Jwt.ts"
import type { Claims } from "./JwtClaims.ts"
import type { KeysUnusable } from "./KeysUnusable.ts"
import { invalid, type TokenRejected } from "./TokenRejected.ts"

const refuse = Effect.fail(invalid("No verification keys configured"))

export class TokenVerifier extends Context.Service<TokenVerifier, {
  /** The same object for the same token as long as it is accepted: what is derived from it can be kept with it. */
  readonly verify: (token: Redacted.Redacted) => Effect.Effect<Claims, TokenRejected>
}>()("@svc/auth/TokenVerifier") {
  /** JSON Web Tokens, signed by one algorithm, checked with configured keys. */
  static readonly layerJwt = (settings: JwtSettings): Layer.Layer<TokenVerifier, KeysUnusable> =>
    Layer.effect(TokenVerifier, Effect.map(Jwt.make(settings), (verify) => TokenVerifier.of({ verify })))

  /** Knows the tokens that it is given, by their text, and no others: for tests of what stands behind it. */
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

  /** Knows no tokens, and accepts none. */
  static readonly layerDisabled: Layer.Layer<TokenVerifier> = Layer.succeed(
    TokenVerifier,
    TokenVerifier.of({ verify: () => refuse })
  )
}
