// What the service does not have is not on the page, in a real browser against a real service.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import * as Browser from "./Browser.ts"

describe("The features of a service", () => {
  it.live("The console of a service without metrics, traces and feedback has no page and no tab of them.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { model } = yield* Script.make([[Script.text("Hello.")]])
      const { url } = yield* TestServer.listen({
        agents: [Agent.make({ id: "shop", model })],
        without: ["feedback", "metrics", "traces"]
      })
      const run_id = yield* Effect.promise(async () => {
        const body = new URLSearchParams({ message: "hello", stream: "false" })
        const response = await fetch(`${url}/agents/shop/runs`, { method: "POST", body })
        return String((await response.json() as Readonly<Record<string, unknown>>)["run_id"])
      })
      const { page, problems } = yield* Browser.open(browser, `${url}/console/#/runs/${run_id}`)
      const pages = yield* Effect.promise(async () => {
        await page.getByText("Open the conversation").waitFor()
        return page.getByRole("navigation", { name: "Pages" }).locator("li").allTextContents()
      })
      assert.includeMembers(pages, ["Components", "Knowledge", "Schedules", "System"])
      assert.notIncludeMembers(pages, ["Metrics", "Traces"])
      const tabs = yield* Effect.promise(() => page.locator("main .tabs").allTextContents())
      assert.notMatch(tabs.join(), /timeline|feedback/i)
      yield* Effect.promise(async () => {
        await page.getByText("Hello.").first().waitFor()
        await page.goto(`${url}/console/#/metrics`)
        await page.getByText("There is no such page").waitFor()
      })
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))
})
