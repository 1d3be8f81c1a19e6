// What is left of budgets, on the page of metrics, in a real browser against a real service.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Prices from "@svc-runtime/telemetry/Prices"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { findingsOn } from "./Accessibility.ts"
import * as Browser from "./Browser.ts"

describe("The page of metrics", () => {
  it.live("The page shows what is left of the budget of the service, and of the users who have spent most.", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([[Script.text("Yes"), Script.usage({ input: 300, output: 100 })]])
      const { url } = yield* TestServer.listen({
        agents: [Agent.make({ id: "shop", model, modelSettings: { maxOutputTokens: 100 } })],
        prices: Prices.make([{ models: ["scripted"], input: 1000, output: 1000 }]),
        declared: {
          budgets: [
            { name: "Each user", scope: "user", period: "day", amount: 2 },
            { name: "All", scope: "service", period: "month", amount: 100 }
          ]
        }
      })
      const body = new URLSearchParams({ message: "Hi", stream: "false", user_id: "ann" })
      yield* Effect.promise(() => fetch(`${url}/agents/shop/runs`, { method: "POST", body }).then((run) => run.text()))
      const browser = yield* Browser.launch
      const { page, problems } = yield* Browser.open(browser, `${url}/console/#/metrics`)
      yield* Effect.promise(async () => {
        const ofAnn = page.getByRole("row", { name: "Each user, day ann" })
        await ofAnn.getByText("$1.60").waitFor()
        await page.getByRole("row", { name: "All, month the service" }).getByText("$99.60").waitFor()
      })
      assert.deepStrictEqual(yield* findingsOn(page), [])
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))
})
