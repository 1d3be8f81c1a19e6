// The keys that tokens are checked with: those of the key set first, then those that were configured one by one.
import { Effect, Result } from "effect"
import type { JwtSettings } from "./AuthSettings.ts"
import * as JwksFile from "./JwksFile.ts"
import { KeysUnusable } from "./KeysUnusable.ts"
import { fromText, type VerificationKey } from "./VerificationKey.ts"

export interface JwtKeys {
  /** Those that may have signed a token with this key id, in the order in which they are tried. */
  readonly candidates: (kid: string | undefined) => Effect.Effect<ReadonlyArray<VerificationKey>>
  /** What was verified under an earlier generation has to be verified again. */
  readonly generation: () => number
  /** Whether it is time to look for changes. `now` is in epoch milliseconds. */
  readonly isDue: (now: number) => boolean
  /** Sees to it that changed keys are known. */
  readonly refresh: Effect.Effect<void>
}

/** Milliseconds. A token with an unknown key id asks sooner, but cannot make the service do nothing but read files. */
const checkEvery = 1000
const checkForUnknown = 100

const staticKeys = ({ algorithm, verificationKeys }: JwtSettings) =>
  Effect.forEach(verificationKeys, (key) =>
    Effect.fromResult(Result.mapError(
      fromText(key, algorithm),
      (problem) =>
        new KeysUnusable({
          message: `JWT_VERIFICATION_KEY cannot be used: ${problem}. Set it, or JWT_ALGORITHM, so that the two fit.`
        })
    )))

const none =
  "No key to check tokens with: set JWT_VERIFICATION_KEY to a public key in PEM (or to a shared secret, with " +
  "JWT_ALGORITHM=HS256), or JWT_JWKS_FILE to a file with a JSON Web Key Set that has a usable key in it."

export const make = Effect.fnUntraced(function*(settings: JwtSettings) {
  const fixed = yield* staticKeys(settings)
  const file = settings.jwksFile === undefined
    ? undefined
    : yield* JwksFile.open(settings.jwksFile, settings.algorithm)
  if (fixed.length === 0 && (file === undefined || file.isEmpty)) return yield* new KeysUnusable({ message: none })

  const find = (kid: string | undefined) => {
    if (file === undefined) return undefined
    const { byId, unnamed } = file.keys()
    return (kid === undefined ? undefined : byId.get(kid)) ?? unnamed
  }

  const isKnown = (kid: string | undefined) => kid === undefined || file === undefined || file.keys().byId.has(kid)

  const keys: JwtKeys = {
    candidates: Effect.fnUntraced(function*(kid) {
      if (!isKnown(kid)) yield* file?.refresh(checkForUnknown) ?? Effect.void
      const named = find(kid)
      return named === undefined ? fixed : [named, ...fixed]
    }),
    generation: () => file?.generation() ?? 0,
    isDue: (now) => file?.isDue(now, checkEvery) ?? false,
    refresh: file?.refresh(checkEvery) ?? Effect.void
  }
  return keys
})
