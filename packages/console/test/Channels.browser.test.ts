// Channels and linked accounts, in a real browser against a real service.
import { assert, describe, it } from "@effect/vitest"
import * as Channel from "@svc-runtime/channels/Channel"
import * as Agent from "@svc-runtime/features/Agent"
import * as MemoryPlatform from "@svc-runtime/test-support/platforms/MemoryPlatform"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { findingsOn } from "./Accessibility.ts"
import * as Browser from "./Browser.ts"

describe("The channels", () => {
  it.live("A person confirms the code of a channel, sees the link, tests the channel and unlinks the account.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const platform = MemoryPlatform.make()
      const { model } = yield* Script.make([])
      const { url } = yield* TestServer.listen({
        agents: [Agent.make({ id: "desk", model })],
        declared: { channels: [Channel.make({ id: "chat", agent: "desk" }, platform.adapter)] }
      })
      const written = MemoryPlatform.delivery({ id: "E1", sender: "U1", text: "Hi" })
      yield* Effect.promise(() => fetch(`${url}/channels/chat/events`, written))
      yield* platform.until(() => platform.texts().some((text) => text.includes("**")))
      const code = /\*\*([A-Z0-9-]{11})\*\*/.exec(platform.texts().join())?.[1] ?? ""
      const opened = yield* Browser.open(browser, `${url}/console/#/channels?code=${code}`)
      const { page, problems, strangers } = opened
      yield* Effect.promise(async () => {
        await page.getByText("Further settings").click()
        await page.getByLabel("User", { exact: true }).fill("ann")
        await page.getByRole("button", { name: "Continue" }).click()
        await page.getByText("Name of U1").waitFor()
      })
      assert.deepStrictEqual(yield* findingsOn(page), [])
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Link the account" }).click()
        await page.getByRole("cell", { name: "Name of U1 (U1)" }).waitFor()
        await page.getByRole("cell", { name: "agents:desk:run, approvals:write" }).waitFor()
        await page.getByRole("cell", { name: "agent desk" }).waitFor()
        await page.getByRole("button", { name: "Test chat" }).click()
        await page.getByText("The bot of tests").waitFor()
      })
      assert.deepStrictEqual(yield* findingsOn(page), [])
      yield* Effect.promise(async () => {
        page.once("dialog", (dialog) => void dialog.accept())
        await page.getByRole("button", { name: "Unlink Name of U1" }).click()
        await page.getByText("It shows a code to you").waitFor()
        await page.setViewportSize({ width: 390, height: 800 })
      })
      const widthOf = () => page.evaluate(() => document.querySelector("main")?.scrollWidth)
      assert.strictEqual(yield* Effect.promise(widthOf), 390)
      assert.deepStrictEqual([...problems, ...strangers], [])
    }).pipe(Effect.scoped))
})
