// Whether a caller knows a secret, in a time that says nothing about how close the guess was.
import { Redacted } from "effect"
import { hash, timingSafeEqual } from "node:crypto"

const digest = (secret: Redacted.Redacted) => hash("sha256", Redacted.value(secret), "buffer")

/** Their hashes are compared, because what is compared in constant time has to be of one length. */
export const isSameSecret = (given: Redacted.Redacted, expected: Redacted.Redacted): boolean =>
  timingSafeEqual(digest(given), digest(expected))
