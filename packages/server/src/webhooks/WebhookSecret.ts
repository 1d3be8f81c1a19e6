// Secrets of webhooks, as Standard Webhooks writes them: a prefix, and 32 random bytes in base64.
import { Effect, Redacted } from "effect"
import { randomBytes } from "node:crypto"

const prefix = "whsec_"

export const generate: Effect.Effect<Redacted.Redacted> = Effect.sync(() =>
  Redacted.make(`${prefix}${randomBytes(32).toString("base64")}`, { label: "secret" })
)
