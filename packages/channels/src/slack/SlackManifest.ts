// The settings of an app of Slack as a manifest, which makes the app without clicks:
// https://docs.slack.dev/reference/app-manifest
import type * as Json from "@svc-runtime/domain/Json"
import { SettingsError } from "../Settings.ts"

export interface ManifestOptions {
  /** As people see the agent. At most 35 characters. */
  readonly name: string
  /** What it does, in a sentence of at most 140 characters. */
  readonly description?: string | undefined
  /** The URL of the channel: `https://svc.example.com/channels/slack/events`. Undefined: Socket Mode. */
  readonly url?: string | undefined
  /** The command of the app. When left out, the name in lower case. */
  readonly command?: string | undefined
  /** What people can click to begin with, at most four. */
  readonly suggestions?: ReadonlyArray<{ readonly title: string; readonly message: string }> | undefined
}

/** What the agent is allowed to do, and no more. */
export const scopes: ReadonlyArray<string> = [
  "app_mentions:read",
  "assistant:write",
  "channels:history",
  "chat:write",
  "commands",
  "files:read",
  "files:write",
  "groups:history",
  "im:history",
  "im:write",
  "mpim:history",
  "users:read"
]

const commandOf = (name: string): string => {
  const word = name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "-").replaceAll(/^-+|-+$/g, "").slice(0, 30)
  return `/${word === "" ? "agent" : word}`
}

/**
 * The manifest of an app for a channel.
 *
 * @example
 * ```ts
 * manifest({ name: "Desk", url: "https://svc.example.com/channels/slack/events" })
 * ```
 */
export const manifest = (options: ManifestOptions): Json.Object => {
  const { command = commandOf(options.name), name, suggestions = [], url } = options
  const description = (options.description ?? `Answers as ${name}.`).slice(0, 140)
  if (name === "" || name.length > 35) {
    throw new SettingsError({ message: "The name of an app of Slack has 1 to 35 characters." })
  }
  if (url !== undefined && !url.startsWith("https://")) {
    throw new SettingsError({
      message: "Slack calls addresses that begin with https:// only. Without an address the app uses Socket Mode."
    })
  }
  if (!/^\/[^\s\p{Lu}/]{1,31}$/u.test(command)) {
    throw new SettingsError({
      message: "A command of Slack begins with a slash, and has at most 32 characters without capitals and spaces."
    })
  }
  const address = url === undefined ? {} : { request_url: url }
  return {
    _metadata: { major_version: 1 },
    display_information: { name, description },
    features: {
      app_home: { home_tab_enabled: true, messages_tab_enabled: true, messages_tab_read_only_enabled: false },
      bot_user: { display_name: name, always_online: true },
      assistant_view: {
        assistant_description: description,
        suggested_prompts: suggestions.slice(0, 4).map(({ message, title }) => ({ title, message }))
      },
      slash_commands: [{
        command,
        description: `Asks ${name}`,
        usage_hint: "[question, new or help]",
        should_escape: true,
        ...(url !== undefined && { url })
      }]
    },
    oauth_config: { scopes: { bot: scopes } },
    settings: {
      event_subscriptions: { ...address, bot_events: ["app_home_opened", "app_mention", "message.im"] },
      interactivity: { is_enabled: true, ...address },
      org_deploy_enabled: false,
      socket_mode_enabled: url === undefined,
      token_rotation_enabled: false
    }
  }
}
