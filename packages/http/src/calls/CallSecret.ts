// Secrets of webhooks, as Standard Webhooks writes them: a prefix, and 32 random bytes in base64.
import { Effect, Redacted } from "effect"
import { createHmac, randomBytes } from "node:crypto"

const prefix = "whsec_"

export const generate: Effect.Effect<Redacted.Redacted> = Effect.sync(() =>
  Redacted.make(`${prefix}${randomBytes(32).toString("base64")}`, { label: "secret" })
)

const written = new RegExp(`^${prefix}[A-Za-z0-9+/]{32,88}={0,2}$`)

/** 24 to 64 bytes in base64, as Standard Webhooks says. */
export const isSecret = (secret: Redacted.Redacted): boolean => {
  const text = Redacted.value(secret)
  const { length } = Buffer.from(text.slice(prefix.length), "base64")
  return written.test(text) && length >= 24 && length <= 64
}

/** One signature of the header. */
export const sign = (secret: Redacted.Redacted, text: string): string => {
  const key = Buffer.from(Redacted.value(secret).slice(prefix.length), "base64")
  return `v1,${createHmac("sha256", key).update(text).digest("base64")}`
}
