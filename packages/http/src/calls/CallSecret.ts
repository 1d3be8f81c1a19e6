// Secrets of webhooks, as Standard Webhooks writes them: a prefix, and 32 random bytes in base64.
import { Effect, Redacted } from "effect"
import { createHmac, randomBytes } from "node:crypto"

const prefix = "whsec_"

export const generate: Effect.Effect<Redacted.Redacted> = Effect.sync(() =>
  Redacted.make(`${prefix}${randomBytes(32).toString("base64")}`, { label: "secret" })
)

/** One signature of the header. */
export const sign = (secret: Redacted.Redacted, text: string): string => {
  const key = Buffer.from(Redacted.value(secret).slice(prefix.length), "base64")
  return `v1,${createHmac("sha256", key).update(text).digest("base64")}`
}
