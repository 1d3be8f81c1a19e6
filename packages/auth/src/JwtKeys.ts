// The keys that verify tokens: first those of the key sets, then the configured ones.
import { Effect, Result } from "effect"
import { KeysUnusable } from "./AuthErrors.ts"
import type { JwtSettings } from "./AuthSettings.ts"
import * as JwksFile from "./JwksFile.ts"
import { fromText, type VerificationKey } from "./VerificationKey.ts"

export interface JwtKeys {
  /** The keys that can have signed a token with this key id, in the order of trial. */
  readonly candidates: (kid: string | undefined) => Effect.Effect<ReadonlyArray<VerificationKey>>
  /** Tokens that were verified under an earlier generation are verified again. */
  readonly generation: () => number
  /** Whether a check for changes is due. `now` is in epoch milliseconds. */
  readonly isDue: (now: number) => boolean
  /** Loads changed keys. */
  readonly refresh: Effect.Effect<void>
}

/** Milliseconds. A token with an unknown key id triggers an earlier check, but not more often than this. */
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
  const files = yield* Effect.forEach(
    [...new Set(settings.jwksFiles)],
    (path) => JwksFile.open(path, settings.algorithm)
  )
  if (fixed.length === 0 && files.every(({ isEmpty }) => isEmpty)) return yield* new KeysUnusable({ message: none })

  const named = (kid: string | undefined) =>
    kid === undefined ? [] : files.flatMap((file) => file.keys().byId.get(kid) ?? [])

  /** Keys without an id, for tokens whose id is in no set. */
  const find = (kid: string | undefined) => {
    const found = named(kid)
    return found.length > 0 ? found : files.flatMap((file) => file.keys().unnamed ?? [])
  }

  const isKnown = (kid: string | undefined) => kid === undefined || named(kid).length > 0
  const refresh = (milliseconds: number) =>
    Effect.forEach(files, (file) => file.refresh(milliseconds), { discard: true })

  const keys: JwtKeys = {
    candidates: Effect.fnUntraced(function*(kid) {
      if (!isKnown(kid)) yield* refresh(checkForUnknown)
      return [...find(kid), ...fixed]
    }),
    generation: () => files.reduce((sum, file) => sum + file.generation(), 0),
    isDue: (now) => files.some((file) => file.isDue(now, checkEvery)),
    refresh: refresh(checkEvery)
  }
  return keys
})
