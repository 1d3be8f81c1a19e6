// The platforms of which a request can make channels. Each is loaded when a channel needs it.
import type { Redacted } from "effect"
import type { Adapter } from "./Adapter.ts"

/** The settings of a channel, by the names that requests have. */
export interface Given {
  readonly texts: Readonly<Record<string, string>>
  readonly secrets: Readonly<Record<string, Redacted.Redacted>>
}

export interface Platform {
  /** The names of settings that are shown. Addresses are not among them: only the code of a service names those. */
  readonly texts: ReadonlyArray<string>
  /** The names of settings that are sealed when they are stored. */
  readonly secrets: ReadonlyArray<string>
  /** What makes an adapter, which throws `SettingsError`. */
  readonly load: () => Promise<(given: Given) => Adapter>
}

export const platforms: ReadonlyMap<string, Platform> = new Map<string, Platform>([
  ["discord", {
    texts: ["application_id", "public_key"],
    secrets: ["token"],
    load: async () => {
      const { adapter } = await import("./discord/index.ts")
      return ({ secrets: { token = "" }, texts: { application_id: applicationId = "", public_key: publicKey = "" } }) =>
        adapter({ token, applicationId, publicKey })
    }
  }],
  ["github", {
    texts: ["app_id", "slug"],
    secrets: ["private_key", "webhook_secret"],
    load: async () => {
      const { adapter } = await import("./github/index.ts")
      return (
        {
          secrets: { private_key: privateKey = "", webhook_secret: webhookSecret = "" },
          texts: { app_id: appId = "", slug = "" }
        }
      ) => adapter({ appId, slug, privateKey, webhookSecret })
    }
  }],
  ["slack", {
    texts: ["home"],
    secrets: ["token", "signing_secret", "app_token"],
    load: async () => {
      const { adapter } = await import("./slack/index.ts")
      return ({ secrets: { app_token: appToken, signing_secret: signingSecret, token = "" }, texts: { home } }) =>
        adapter({ token, signingSecret, appToken, home })
    }
  }],
  ["telegram", {
    texts: [],
    secrets: ["token", "secret"],
    load: async () => {
      const { adapter } = await import("./telegram/index.ts")
      return ({ secrets: { secret, token = "" } }) => adapter({ token, secret })
    }
  }],
  ["twilio", {
    texts: ["account_sid", "from"],
    secrets: ["auth_token"],
    load: async () => {
      const { adapter } = await import("./twilio/index.ts")
      return ({ secrets: { auth_token: authToken = "" }, texts: { account_sid: accountSid = "", from = "" } }) =>
        adapter({ accountSid, authToken, from })
    }
  }],
  ["whatsapp", {
    texts: ["phone_number_id"],
    secrets: ["token", "app_secret", "verify_token"],
    load: async () => {
      const { adapter } = await import("./whatsapp/index.ts")
      return (
        {
          secrets: { app_secret: appSecret = "", token = "", verify_token: verifyToken = "" },
          texts: { phone_number_id: phoneNumberId = "" }
        }
      ) => adapter({ token, phoneNumberId, appSecret, verifyToken })
    }
  }]
])
