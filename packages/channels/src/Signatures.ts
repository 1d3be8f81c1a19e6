// Whether a request is from a platform: signatures in constant time, and requests that are too old.
import { Redacted } from "effect"
import { createHmac, hash, timingSafeEqual } from "node:crypto"
import type { Delivery } from "./Adapter.ts"
import { ChannelError } from "./ChannelError.ts"

/** Seconds. A request that was signed earlier, or that much later, is refused. */
export const window = 300

const forged = (message: string) => new ChannelError({ reason: "forged", message })

const digest = (text: string) => hash("sha256", text, "buffer")

/** Compares hashes, because a comparison in constant time needs equal lengths. */
export const isSame = (given: string, expected: string): boolean => timingSafeEqual(digest(given), digest(expected))

export interface Signed {
  readonly secret: Redacted.Redacted
  /** What was signed, in order. */
  readonly parts: ReadonlyArray<string | Uint8Array>
  /** `sha256` when left out. */
  readonly algorithm?: "sha1" | "sha256" | undefined
  /** `hex` when left out. */
  readonly encoding?: "base64" | "hex" | undefined
}

/**
 * The signature (HMAC) of a request.
 *
 * @example
 * ```ts
 * const signature = `sha256=${hmac({ secret, parts: [delivery.body] })}`
 * ```
 */
export const hmac = ({ algorithm = "sha256", encoding = "hex", parts, secret }: Signed): string => {
  const signature = createHmac(algorithm, Redacted.value(secret))
  for (const part of parts) signature.update(part)
  return signature.digest(encoding)
}

/** A header that the platform always sends. Throws `ChannelError` when there is none. */
export const headerOf = (delivery: Delivery, name: string): string => {
  const value = delivery.headers[name]
  if (value === undefined || value === "") throw forged(`The request has no header ${name}`)
  return value
}

/**
 * Throws `ChannelError` unless the header has the text: a signature, or a secret that the platform repeats.
 *
 * @example
 * ```ts
 * requireHeader(delivery, "x-hub-signature-256", `sha256=${hmac({ secret, parts: [delivery.body] })}`)
 * ```
 */
export const requireHeader = (delivery: Delivery, name: string, expected: string): void => {
  if (!isSame(headerOf(delivery, name), expected)) throw forged(`The header ${name} is wrong`)
}

/**
 * Throws `ChannelError` unless the time in seconds, which is part of what is signed, is now, give or take five minutes.
 *
 * @example
 * ```ts
 * requireRecent(delivery, headerOf(delivery, "x-slack-request-timestamp"))
 * ```
 */
export const requireRecent = (delivery: Delivery, seconds: string): void => {
  if (!/^\d{1,12}$/.test(seconds)) throw forged("The time of the request is no number of seconds")
  if (Math.abs(delivery.at / 1000 - Number(seconds)) > window) throw forged("The request is too old")
}
