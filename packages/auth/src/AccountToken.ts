// Tokens of service accounts: opaque, with a prefix that distinguishes them from JWTs, and 32 random bytes.
import * as ServiceAccount from "@svc-runtime/domain/ServiceAccount"
import { Effect, Redacted } from "effect"
import { hash as digest, randomBytes } from "node:crypto"

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const base = BigInt(digits.length)

/** The bytes as one big-endian number without leading zeros. */
export const base62 = (bytes: Uint8Array): string => {
  let rest = bytes.reduce((number, byte) => number * 256n + BigInt(byte), 0n)
  let text = ""
  do {
    text = digits[Number(rest % base)] + text
    rest /= base
  } while (rest > 0n)
  return text
}

export const generate: Effect.Effect<Redacted.Redacted> = Effect.sync(() =>
  Redacted.make(`${ServiceAccount.tokenPrefix}${base62(randomBytes(32))}`, { label: "token" })
)

/** The stored hash of a token: SHA-256 in hex. A slow hash is not needed, because random tokens cannot be guessed. */
export const hash = (token: Redacted.Redacted): string => digest("sha256", Redacted.value(token), "hex")

/** The visible part, which distinguishes tokens. */
export const shown = (token: Redacted.Redacted): string => Redacted.value(token).slice(0, ServiceAccount.shownLength)

export const isAccountToken = (token: Redacted.Redacted): boolean =>
  Redacted.value(token).startsWith(ServiceAccount.tokenPrefix)
