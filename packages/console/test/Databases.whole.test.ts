// A service with several databases, in a real browser.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import { DatabaseHandle } from "@svc-runtime/server"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import * as Browser from "./Browser.ts"

const run = (url: string, agent: string) =>
  Effect.promise(async () => {
    const body = new URLSearchParams({ message: `Hello ${agent}`, stream: "false" })
    const response = await fetch(`${url}/agents/${agent}/runs`, { method: "POST", body })
    assert.strictEqual(response.status, 200)
  })

describe("A service with several databases", () => {
  it.live(
    "Each page shows the data of one database, the person chooses which, and the address keeps it.",
    () =>
      Effect.gen(function*() {
        const far = DatabaseHandle.embedded({ id: "far-db", dataDir: "memory" })
        const { model } = yield* Script.make([[Script.text("Here.")], [Script.text("There.")]])
        const { url } = yield* TestServer.listen({
          agents: [Agent.make({ id: "near", model }), Agent.make({ id: "far", model, db: far })],
          databases: ["near-db", "far-db"]
        })
        yield* run(url, "near")
        yield* run(url, "far")
        const browser = yield* Browser.launch
        const { page, problems } = yield* Browser.open(browser, `${url}/console/#/runs`)
        const shown = (pages: ReadonlyArray<string>) =>
          Effect.promise(async () => {
            for (const name of pages) {
              await page.goto(`${url}/console/#/${name}`)
              await page.getByRole("combobox", { name: "Database" }).waitFor()
              await page.waitForLoadState("networkidle")
              assert.strictEqual(await page.getByRole("alert").count(), 0, `${name}: ${await page.innerText("main")}`)
            }
          })
        yield* Effect.promise(async () => {
          await page.getByRole("link", { name: "near" }).first().waitFor()
          assert.strictEqual(await page.getByRole("link", { name: "far" }).count(), 0)
          await page.getByRole("combobox", { name: "Database" }).selectOption("far-db")
          await page.getByRole("link", { name: "far" }).first().waitFor()
          assert.include(page.url(), "db_id=far-db")
          await page.reload()
          await page.getByRole("link", { name: "far" }).first().waitFor()
        })
        const pages = [
          "memories",
          "datasets",
          "metrics",
          "traces",
          "learnings",
          "experiments",
          "evaluations",
          "knowledge"
        ]
        yield* shown(pages)
        yield* Effect.promise(async () => {
          // the sessions of a component are in its own database
          await page.goto(`${url}/console/#/chat/agent/near`)
          await page.getByText("Hello near").first().waitFor()
          assert.include(page.url(), "db_id=near-db")
          await page.getByText("Hello near").first().click()
          await page.getByText("Here.").waitFor()
        })
        assert.deepStrictEqual(problems, [])
      }),
    120_000
  )
})
