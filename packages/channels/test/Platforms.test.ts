// Channels that requests make have the settings of their platforms.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { platforms } from "../src/Platforms.ts"
import { SettingsError } from "../src/Settings.ts"

const modules = {
  discord: () => import("../src/discord/index.ts"),
  github: () => import("../src/github/index.ts"),
  slack: () => import("../src/slack/index.ts"),
  telegram: () => import("../src/telegram/index.ts"),
  twilio: () => import("../src/twilio/index.ts"),
  whatsapp: () => import("../src/whatsapp/index.ts")
}

const wireName = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

describe.each(Object.entries(modules))("a stored channel on %s", (name, load) => {
  const platform = platforms.get(name)

  it("The secrets have the names that the platform gives.", async () => {
    assert.sameMembers([...platform?.secrets ?? []], (await load()).secrets.map(wireName))
  })

  it.effect("Settings that are missing or wrong are refused with a sentence.", () =>
    Effect.gen(function*() {
      const adapterOf = yield* Effect.promise(() => platform!.load())
      for (const secrets of [{}, { token: Redacted.make("wrong") }]) {
        assert.throws(() => adapterOf({ texts: {}, secrets }), SettingsError, /^(?!.*wrong)/)
      }
    }))
})
