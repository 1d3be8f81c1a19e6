// Each platform as a whole: a person writes, and the words of the agent are on the platform.
import { assert, describe, it } from "@effect/vitest"
import type { Adapter } from "@svc-runtime/channels/Adapter"
import * as Channel from "@svc-runtime/channels/Channel"
import * as Discord from "@svc-runtime/channels/discord/index"
import * as GitHub from "@svc-runtime/channels/github/index"
import * as Slack from "@svc-runtime/channels/slack/index"
import * as Telegram from "@svc-runtime/channels/telegram/index"
import * as Twilio from "@svc-runtime/channels/twilio/index"
import * as WhatsApp from "@svc-runtime/channels/whatsapp/index"
import * as Agent from "@svc-runtime/features/Agent"
import * as DiscordServer from "@svc-runtime/test-support/platforms/DiscordServer"
import * as GitHubServer from "@svc-runtime/test-support/platforms/GitHubServer"
import * as SlackServer from "@svc-runtime/test-support/platforms/SlackServer"
import * as TelegramServer from "@svc-runtime/test-support/platforms/TelegramServer"
import * as TwilioServer from "@svc-runtime/test-support/platforms/TwilioServer"
import * as WhatsAppServer from "@svc-runtime/test-support/platforms/WhatsAppServer"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, type Scope } from "effect"
import { ask, second, serve } from "../Wire.ts"
import { passing } from "./ScheduleTime.ts"

Tier.oneIn(3)

interface Request {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

interface Platform {
  readonly adapter: Adapter
  /** The request with which the platform tells that a person has written. */
  readonly written: (address: string) => Request
  /** What people see of the application. */
  readonly shown: () => ReadonlyArray<string>
}

const json = (body: unknown, headers: Readonly<Record<string, string>> = {}): Request => ({
  body: JSON.stringify(body),
  headers: { "content-type": "application/json", ...headers }
})

const time = new Date(second * 1000).toISOString()

const platforms: Readonly<Record<string, Effect.Effect<Platform, never, Scope.Scope>>> = {
  slack: Effect.map(SlackServer.make(), (slack) => {
    const { signingSecret, token, url } = slack
    return {
      adapter: Slack.adapter({ token, signingSecret, apiUrl: url }),
      written: () => slack.requestOf(slack.message({ channel: "D0ANN", text: "Hi" }), "event", second),
      shown: () => slack.messages.map(({ text }) => text)
    }
  }),
  discord: Effect.map(DiscordServer.make(), (discord) => {
    const { application, publicKey, token, url } = discord
    const data = { name: "ask", options: [{ name: "text", type: 3, value: "Hi" }] }
    return {
      adapter: Discord.adapter({ token, applicationId: application, publicKey, apiUrl: url }),
      written: () => discord.requestOf(discord.interaction({ type: 2, data }), second),
      shown: () => discord.messages.map(({ values }) => String(values["content"]))
    }
  }),
  telegram: Effect.map(TelegramServer.make(), (telegram) => {
    const secret = "a-secret_of-the-webhook"
    return {
      adapter: Telegram.adapter({ token: telegram.token, secret, apiUrl: telegram.url }),
      written: () => json(telegram.say("Hi"), { "x-telegram-bot-api-secret-token": secret }),
      shown: () => telegram.sent().map(({ text }) => text ?? "")
    }
  }),
  github: Effect.map(GitHubServer.make(), (github) => {
    const { appId, privateKey, slug, url, webhookSecret } = github
    return {
      adapter: GitHub.adapter({ appId, slug, privateKey, webhookSecret, apiUrl: url }),
      written: () => github.requestOf(github.comment("@desk hi", { created_at: time })),
      shown: () => github.comments.map(({ body }) => body.split("\n")[0] ?? "")
    }
  }),
  whatsapp: Effect.map(WhatsAppServer.make(), (whatsapp) => {
    const { appSecret, phoneNumberId, token, url, verifyToken } = whatsapp
    return {
      adapter: WhatsApp.adapter({ token, phoneNumberId, appSecret, verifyToken, apiUrl: url }),
      written: () => whatsapp.requestOf(whatsapp.text("Hi", { timestamp: String(second) })),
      shown: () => whatsapp.messages.map(({ values }) => JSON.stringify(values["text"]))
    }
  }),
  twilio: Effect.map(TwilioServer.make(), (twilio) => {
    const { accountSid, authToken, number, url } = twilio
    return {
      adapter: Twilio.adapter({ accountSid, authToken, from: number, apiUrl: url }),
      written: (address) => twilio.requestOf(twilio.say("Hi"), address),
      shown: () => twilio.messages.map(({ body }) => body)
    }
  })
}

describe("a channel on each platform", () => {
  for (const [name, make] of Object.entries(platforms)) {
    it.effect(`a message on ${name} is answered once, though it arrives twice`, () =>
      Effect.gen(function*() {
        const { adapter, shown, written } = yield* make
        const { calls, model } = yield* Script.make([[Script.text("Hello "), Script.text("Ann!")]])
        const server = yield* serve({
          agents: [Agent.make({ id: "desk", model })],
          declared: { channels: [Channel.make({ agent: "desk", access: { type: "open" } }, adapter)] }
        })
        const path = `/channels/${name}/events`
        const request = { method: "POST", ...written(`http://localhost${path}`) }
        for (const _ of [1, 2]) {
          const { status, text } = yield* ask(server, path, request)
          assert.isTrue(status === 200 || status === 202, `${status} ${text}`)
        }
        const isAnswered = () => shown().some((text) => text.includes("Hello Ann!"))
        yield* passing(Effect.gen(function*() {
          while (!isAnswered()) yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        }))
        assert.lengthOf(shown().filter((text) => text.includes("Hello Ann!")), 1)
        assert.lengthOf(yield* calls, 1)
      }))
  }
})
