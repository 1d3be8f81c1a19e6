// JSON Web Tokens (RFC 7519), verified by jose. Accepted tokens are cached by their hash, because clients reuse them.
// The signature is verified again only after the keys change; the times are checked for every request.
import * as Json from "@svc-runtime/domain/Json"
import * as Monotonic from "@svc-runtime/domain/Monotonic"
import * as Time from "@svc-runtime/domain/Time"
import { DateTime, Effect, Redacted, Result } from "effect"
import { decodeProtectedHeader, errors, jwtVerify } from "jose"
import { hash } from "node:crypto"
import { expired, invalid, type TokenRejected } from "./AuthErrors.ts"
import type { JwtSettings } from "./AuthSettings.ts"
import * as BoundedCache from "./BoundedCache.ts"
import { type Claims, refused, refusedAt } from "./JwtClaims.ts"
import * as JwtKeys from "./JwtKeys.ts"
import type { VerificationKey } from "./VerificationKey.ts"

interface Accepted {
  readonly claims: Claims
  /** The generation of the keys that verified it. */
  readonly generation: number
}

const maxCached = 2048
/** Characters. Longer tokens are not cached, so that callers cannot grow the cache. */
const maxCacheSeconds = 8192

const malformed = invalid("it is not a JSON Web Token")
const unknownKey = invalid("No verification keys configured")
const wrongSignature = invalid("its signature does not fit")

const headerOf = (token: string) => Result.try({ try: () => decodeProtectedHeader(token), catch: () => malformed })

export type Verify = (token: Redacted.Redacted) => Effect.Effect<Claims, TokenRejected>

/** With configured keys. */
export const make = (settings: JwtSettings) => Effect.map(JwtKeys.make(settings), (keys) => withKeys(settings, keys))

export const withKeys = (settings: JwtSettings, keys: JwtKeys.JwtKeys): Verify => {
  const cache = BoundedCache.make<string, Accepted>(maxCached)
  const { algorithm, clockToleranceSeconds } = settings
  const wrongAlgorithm = invalid(`it is not signed with ${algorithm}`)

  const explain = (error: unknown, now: number): TokenRejected => {
    if (error instanceof errors.JWTExpired) return expired
    if (error instanceof errors.JWTClaimValidationFailed) {
      return refusedAt(error.payload as Claims, settings, now) ?? invalid("its claims do not hold")
    }
    if (error instanceof errors.JOSEAlgNotAllowed) return wrongAlgorithm
    return error instanceof errors.JWSSignatureVerificationFailed ? wrongSignature : malformed
  }

  const verifyWith = (token: string, key: VerificationKey, now: number) =>
    Effect.tryPromise({
      try: () =>
        jwtVerify<Claims>(token, key, {
          algorithms: [algorithm],
          clockTolerance: clockToleranceSeconds,
          currentDate: DateTime.toDate(DateTime.makeUnsafe(now * 1000))
        }),
      catch: (error) => explain(error, now)
    })

  /** Only a signature mismatch justifies trying another key. */
  const verifyWithAny = Effect.fnUntraced(function*(
    token: string,
    candidates: ReadonlyArray<VerificationKey>,
    now: number
  ) {
    let last: TokenRejected = unknownKey
    for (const key of candidates) {
      const verified = yield* Effect.result(verifyWith(token, key, now))
      if (Result.isSuccess(verified)) return verified.success.payload
      last = verified.failure
      if (last !== wrongSignature) break
    }
    return yield* last
  })

  const verifyAnew = Effect.fnUntraced(function*(token: string, now: number) {
    const header = yield* Effect.fromResult(headerOf(token))
    // checked before the keys are selected: a token must not select its algorithm
    if (header.alg !== algorithm) return yield* wrongAlgorithm
    const candidates = yield* keys.candidates(typeof header.kid === "string" ? header.kid : undefined)
    const claims = yield* verifyWithAny(token, candidates, now)
    if (!Json.isShallow(claims)) return yield* invalid("its claims are nested too deep")
    const problem = refusedAt(claims, settings, now) ?? refused(claims, settings)
    return problem === undefined ? claims : yield* problem
  })

  const verifyAndRemember = Effect.fnUntraced(function*(token: string, id: string, now: number) {
    yield* keys.refresh
    const generation = keys.generation()
    const claims = yield* verifyAnew(token, now)
    if (token.length <= maxCacheSeconds) cache.set(id, { claims, generation })
    return claims
  })

  // Most requests have a known token, so this path is short.
  return (redacted: Redacted.Redacted): Effect.Effect<Claims, TokenRejected> =>
    Effect.clockWith((clock) => {
      const token = Redacted.value(redacted)
      const now = Time.fromMillis(clock.currentTimeMillisUnsafe())
      const id = hash("sha256", token, "base64")
      const known = keys.isDue(Monotonic.millisOf(clock)) ? undefined : cache.get(id)
      if (known === undefined || known.generation !== keys.generation()) return verifyAndRemember(token, id, now)
      const problem = refusedAt(known.claims, settings, now)
      return problem === undefined ? Effect.succeed(known.claims) : Effect.fail(problem)
    })
}
