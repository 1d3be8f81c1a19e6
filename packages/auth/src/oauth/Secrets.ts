// The secrets of the authorization server: codes and tokens. The store has their hashes only.
import { Effect, Redacted } from "effect"
import { hash as digest, randomBytes } from "node:crypto"
import { base62 } from "../AccountToken.ts"

export const prefixes = { access: "svc_oat_", refresh: "svc_ort_" } as const

/** With 32 random bytes. */
export const make = (prefix = ""): Effect.Effect<Redacted.Redacted> =>
  Effect.sync(() => Redacted.make(`${prefix}${base62(randomBytes(32))}`, { label: "secret" }))

export const hash = (secret: Redacted.Redacted): string => digest("sha256", Redacted.value(secret), "hex")

/** The challenge that belongs to a verifier (RFC 7636 §4.6). */
export const challengeOf = (verifier: string): string => digest("sha256", verifier, "base64url")
