// The pages of resources, in a real browser against a real service.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc/runtime/agent/Agent"
import * as Script from "@svc/testing/ScriptedModel"
import * as TestServer from "@svc/testing/TestServer"
import { Effect } from "effect"
import { findingsOn } from "./Accessibility.ts"
import * as Browser from "./Browser.ts"

const serve = Effect.fnUntraced(function*(options: TestServer.Options = {}) {
  const { model } = yield* Script.make([[Script.text("Here is the report.")]])
  return yield* TestServer.listen({ agents: [Agent.make({ id: "shop", name: "Shop", model })], ...options })
})

describe("The pages of resources", () => {
  it.live("A schedule that is created and triggered has a run in its history.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* serve()
      const { page, problems, strangers } = yield* Browser.open(browser, `${url}/console/#/schedules`)
      yield* Effect.promise(async () => {
        await page.getByText("Create one above").waitFor()
        await page.getByText("New schedule").click()
        await page.getByLabel("Name (required)").fill("Daily report")
        await page.getByLabel("Cron expression").fill("0 9 * * *")
        await page.getByLabel("Message").fill("Write the report")
        await page.getByRole("button", { name: "Create" }).click()
        await page.getByRole("list", { name: "Next times" }).locator("li").nth(4).waitFor()
        await page.getByRole("button", { name: "Trigger Daily report" }).click()
        await page.getByRole("cell", { name: "success" }).waitFor()
      })
      assert.deepStrictEqual(yield* findingsOn(page), [])
      yield* Effect.promise(async () => {
        await page.getByRole("link", { name: "Look at the run" }).click()
        await page.getByRole("button", { name: "answer" }).click()
        await page.getByText("Here is the report.").waitFor()
      })
      assert.deepStrictEqual([...problems, ...strangers], [])
    }).pipe(Effect.scoped))

  it.live("The menu has the other pages, opens by the keyboard, and closes by Escape.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* serve()
      const { page } = yield* Browser.open(browser, `${url}/console/`, { width: 390 })
      const menu = page.locator("details.more")
      const schedules = menu.getByRole("link", { name: "Schedules" })
      yield* Effect.promise(async () => {
        await menu.locator("summary").press("Enter")
        await schedules.waitFor()
        await schedules.press("Escape")
        await page.locator("details.more:not([open]) summary:focus").waitFor()
        await menu.locator("summary").press("Enter")
        await schedules.press("Enter")
        await page.getByRole("heading", { name: "Schedules" }).waitFor()
      })
      assert.deepStrictEqual(yield* findingsOn(page), [])
    }).pipe(Effect.scoped))
})
