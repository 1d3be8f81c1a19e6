// The rollout of a stored component, on its page, in a real browser against a real service.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { findingsOn } from "./Accessibility.ts"
import * as Browser from "./Browser.ts"

describe("The rollout of a component", () => {
  it.live("A version gets a share, is compared with the current one, and the rollout is stopped.", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([[Script.text("Hello.")]])
      const { url } = yield* TestServer.listen({ agents: [Agent.make({ id: "shop", model })] })
      const post = (path: string, body: object) =>
        Effect.promise(async () => {
          const headers = { "content-type": "application/json" }
          const response = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) })
          assert.strictEqual(response.status, 201, await response.text())
        })
      yield* post("/agents", { name: "Greeter", instructions: "Greet." })
      const second = { config: { instructions: "Greet twice." }, stage: "published", set_current: false }
      yield* post("/components/greeter/configs", second)
      const browser = yield* Browser.launch
      const { page, problems } = yield* Browser.open(browser, `${url}/console/#/components/greeter`)
      page.on("dialog", (dialog) => void dialog.accept())
      yield* Effect.promise(async () => {
        await page.getByLabel("Version 1, percent").fill("90")
        await page.getByText("The shares are 90 % together.").waitFor()
        await page.getByLabel("Version 2, percent").fill("10")
        await page.getByRole("button", { name: "Start a rollout" }).click()
        await page.getByText("10 %").waitFor()
        await page.getByRole("progressbar", { name: "Share of version 2" }).waitFor()
      })
      assert.deepStrictEqual(yield* findingsOn(page), [])
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Stop the rollout" }).click()
        await page.getByText(": It was stopped").waitFor()
      })
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))
})
