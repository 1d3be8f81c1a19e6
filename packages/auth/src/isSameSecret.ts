// Compares a secret in constant time.
import { Redacted } from "effect"
import { hash, timingSafeEqual } from "node:crypto"

const digest = (secret: Redacted.Redacted) => hash("sha256", Redacted.value(secret), "buffer")

/** Compares hashes, because a constant-time comparison needs equal lengths. */
export const isSameSecret = (given: Redacted.Redacted, expected: Redacted.Redacted): boolean =>
  timingSafeEqual(digest(given), digest(expected))
