import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { SettingsError } from "../../src/Settings.ts"
import * as Slack from "../../src/slack/index.ts"

const token = "xoxb-1234567890-abcdef"
const signingSecret = "8f742231b10e8888abcdef0123456789"

const mistakeOf = (settings: Partial<Slack.SlackSettings>): string | undefined => {
  try {
    Slack.adapter({ token, signingSecret, ...settings })
    return undefined
  } catch (error) {
    return error instanceof SettingsError ? error.message : String(error)
  }
}

describe("settings of Slack", () => {
  it("texts and hidden secrets are accepted, with requests, Socket Mode or both", () => {
    assert.isUndefined(mistakeOf({}))
    assert.isUndefined(mistakeOf({ token: Redacted.make(token), signingSecret: Redacted.make(signingSecret) }))
    const appToken = "xapp-1-A0-123-abc"
    assert.isUndefined(Slack.adapter({ token, signingSecret }).listen)
    assert.isDefined(Slack.adapter({ token, appToken }).listen)
    assert.isUndefined(mistakeOf({ appToken }))
  })

  it("each mistake is a sentence that says where the setting is, without the secret", () => {
    const mistakes = [
      [{ token: "xoxp-1234567890-abcdef" }, /begins with xoxb-. The app has it under OAuth & Permissions/],
      [{ token: `${token}\r\nx: y` }, /begins with xoxb-/],
      [{ signingSecret: "abc" }, /has 32 digits and letters/],
      [{ appToken: token }, /begins with xapp-/],
      [{ signingSecret: undefined }, /needs a signingSecret.*or an appToken/],
      [{ apiUrl: "slack.com" }, /begins with https/]
    ] as const
    for (const [settings, expected] of mistakes) {
      const message = mistakeOf(settings) ?? ""
      assert.match(message, expected)
      assert.notInclude(message, "1234567890")
    }
  })

  it("a channel has the options of channels, and none of the secrets", () => {
    const { adapter: _, ...channel } = Slack.make({ agent: "desk", id: "help", token, signingSecret })
    assert.deepEqual(channel, { agent: "desk", id: "help" })
    assert.deepEqual(Slack.secrets, ["token", "signingSecret", "appToken"])
  })
})

describe("the manifest of an app of Slack", () => {
  const url = "https://svc.example.com/channels/slack/events"

  it("Slack calls the address for everything, and an app without an address uses Socket Mode", () => {
    const called = JSON.stringify(Slack.manifest({ name: "Desk", url }))
    assert.lengthOf(called.match(/"https:\/\/svc\.example\.com\/channels\/slack\/events"/g) ?? [], 3)
    assert.include(called, "\"socket_mode_enabled\":false")
    const connected = JSON.stringify(Slack.manifest({ name: "Desk" }))
    assert.notInclude(connected, "url")
    assert.include(connected, "\"socket_mode_enabled\":true")
  })

  it("the guide shows the manifest as it is", () => {
    const page = join(import.meta.dirname, "../../../../docs/guides/channels/slack.md")
    const [, shown = ""] = /```json\n([^]*?)```/.exec(readFileSync(page, "utf8")) ?? []
    assert.deepEqual(JSON.parse(shown), Slack.manifest({ name: "Desk", url }))
  })

  it("the command has the name of the agent, in letters that Slack takes", () => {
    const commandOf = (options: Slack.ManifestOptions) =>
      /"command":"([^"]*)"/.exec(JSON.stringify(Slack.manifest(options)))?.[1]
    assert.strictEqual(commandOf({ name: "Help Desk!" }), "/help-desk")
    assert.strictEqual(commandOf({ name: "…" }), "/agent")
    assert.strictEqual(commandOf({ name: "Desk", command: "/ask" }), "/ask")
  })

  it("what Slack would refuse is a mistake with a sentence", () => {
    const wrong = [
      [{ name: "" }, /1 to 35 characters/],
      [{ name: "x".repeat(36) }, /1 to 35 characters/],
      [{ name: "Desk", url: "http://svc.example.com" }, /https/],
      [{ name: "Desk", command: "ask" }, /begins with a slash/],
      [{ name: "Desk", command: "/Ask me" }, /begins with a slash/]
    ] as const
    for (const [options, expected] of wrong) assert.throws(() => Slack.manifest(options), expected)
  })
})
