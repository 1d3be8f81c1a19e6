// The sessions beside the chat, and what a session shows of its runs.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Schema } from "effect"
import type { Page } from "playwright-core"
import { findingsOn } from "./Accessibility.ts"
import * as Browser from "./Browser.ts"

Tier.oneIn(6)

const total = 100_000

/** Answers as a service with many sessions, whose names have the number of the session. */
const withMany = (page: Page, requests: Array<URLSearchParams>) =>
  Effect.promise(() =>
    page.route(/\/sessions\?/, (route) => {
      const { searchParams } = new URL(route.request().url())
      requests.push(searchParams)
      const [limit, number] = [Number(searchParams.get("limit")), Number(searchParams.get("page"))]
      const search = searchParams.get("session_name")
      const all = search === null ? total : 3
      const start = (number - 1) * limit
      const data = Array.from({ length: Math.max(0, Math.min(limit, all - start)) }, (_, index) => ({
        session_id: `s${search ?? ""}${start + index}`,
        session_name: `${search ?? "Talk"} ${start + index}`,
        session_type: "agent",
        session_state: {},
        created_at: "2026-01-01T12:00:00Z",
        updated_at: "2026-01-01T12:00:00Z"
      }))
      const meta = { page: number, limit, total_pages: Math.ceil(all / limit), total_count: all }
      return route.fulfill({ json: { data, meta } })
    })
  )

describe("The list of sessions", () => {
  it.live("The list draws only what is on the screen of a hundred thousand sessions, and reads a page when it is scrolled.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { model } = yield* Script.make([])
      const { url } = yield* TestServer.listen({ agents: [Agent.make({ id: "helper", model })] })
      const { page, problems } = yield* Browser.open(browser, `${url}/console/`)
      const requests: Array<URLSearchParams> = []
      yield* Effect.promise(() => page.goto("about:blank"))
      yield* withMany(page, requests)
      yield* Effect.promise(() => page.goto(`${url}/console/`))
      yield* Effect.promise(() => page.getByText("100,000").waitFor())
      const drawn = page.locator(".session")
      yield* Effect.promise(() => drawn.first().waitFor())
      assert.strictEqual(requests.length, 1)
      for (const name of ["Talk 40", "Talk 120", "Talk 180"]) {
        yield* Effect.promise(async () => {
          const entry = page.getByText(name, { exact: false }).first()
          while (await entry.count() === 0) {
            await page.locator(".sessions .scroll").evaluate((list) => list.scrollBy(0, 400))
            await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)))
          }
        })
      }
      assert.isBelow(yield* Effect.promise(() => drawn.count()), 60)
      assert.isBelow(requests.length, 10)
      assert.deepStrictEqual(requests.map((each) => each.get("page")), requests.map((_, index) => String(index + 1)))
      yield* Effect.promise(() => page.getByLabel("Search sessions by name").fill("Lamps"))
      yield* Effect.promise(() => page.getByText("Lamps 2").waitFor())
      assert.strictEqual(yield* Effect.promise(() => drawn.count()), 3)
      assert.deepStrictEqual(yield* findingsOn(page), [])
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("A new name that is typed stays while the list is read again, and is stored.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const gate = yield* Deferred.make<void>()
      const { model } = yield* Script.make([[Script.wait(gate), Script.text("Done.")]])
      const { url } = yield* TestServer.listen({ agents: [Agent.make({ id: "helper", model })] })
      const { page, problems } = yield* Browser.open(browser, `${url}/console/`)
      const name = page.getByLabel("New name")
      yield* Effect.promise(async () => {
        await page.getByLabel("Message").fill("A question")
        await page.keyboard.press("Enter")
        await page.getByLabel("Actions for A question").click()
        await page.getByRole("button", { name: "Rename" }).click()
        await name.fill("Better")
      })
      yield* Deferred.succeed(gate, undefined)
      yield* Effect.promise(async () => {
        await page.getByText("Done.").waitFor()
        await page.waitForLoadState("networkidle")
        assert.strictEqual(await name.inputValue(), "Better")
        await name.press("Enter")
        await page.getByRole("link", { name: "Better" }).waitFor()
      })
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("The actions of each session of a long list can be pressed, and Escape closes them.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { model } = yield* Script.make([])
      const { url } = yield* TestServer.listen({ agents: [Agent.make({ id: "helper", model })] })
      const { page, problems } = yield* Browser.open(browser, `${url}/console/`)
      yield* Effect.promise(async () => {
        for (let number = 1; number <= 8; number++) {
          await page.request.post(`${url}/sessions?type=agent`, {
            data: { agent_id: "helper", session_name: `Talk ${number}` }
          })
        }
        await page.reload()
        const rename = page.getByRole("button", { name: "Rename" })
        await page.getByLabel("Actions for Talk 5").click()
        await rename.waitFor()
        await page.keyboard.press("Escape")
        await rename.waitFor({ state: "hidden" })
        for (const number of [1, 4, 8]) {
          await page.getByLabel(`Actions for Talk ${number}`).click()
          await rename.click()
          await page.getByLabel("New name").fill(`Call ${number}`)
          await page.keyboard.press("Enter")
          await page.getByRole("link", { name: `Call ${number}` }).waitFor()
        }
      })
      assert.deepStrictEqual(yield* findingsOn(page), [])
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))
})

describe("A structured answer", () => {
  it.live("The answer is shown while it grows, and once when it is whole.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const gate = yield* Deferred.make<void>()
      const { model } = yield* Script.make([[
        Script.text(`{"city":"Lyon","days":["Monday",`),
        Script.wait(gate),
        Script.text(`"Tuesday"]}`)
      ]])
      const outputSchema = Schema.Struct({ city: Schema.String, days: Schema.Array(Schema.String) })
      const { url } = yield* TestServer.listen({ agents: [Agent.make({ id: "planner", model, outputSchema })] })
      const { page, problems } = yield* Browser.open(browser, `${url}/console/`)
      yield* Effect.promise(async () => {
        await page.getByLabel("Message").fill("Plan")
        await page.keyboard.press("Enter")
        await page.locator(".answer .json", { hasText: "Lyon" }).waitFor()
      })
      yield* Deferred.succeed(gate, undefined)
      yield* Effect.promise(() => page.locator(".answer .json", { hasText: "Tuesday" }).waitFor())
      yield* Effect.promise(() => page.getByText("Look at the run").waitFor())
      assert.strictEqual(yield* Effect.promise(() => page.locator(".answer .json").count()), 1)
      yield* Effect.promise(() => page.reload())
      yield* Effect.promise(() => page.locator(".answer .json", { hasText: "Tuesday" }).waitFor())
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("The messages that a stored run suggests are buttons, and one that is chosen is sent.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { model } = yield* Script.make([[Script.text("Yes.")], [Script.text("It is blue.")]])
      const { url } = yield* TestServer.listen({ agents: [Agent.make({ id: "helper", model })] })
      const { page } = yield* Browser.open(browser, `${url}/console/`)
      yield* Effect.promise(async () => {
        await page.getByLabel("Message").fill("Is there a lamp?")
        await page.keyboard.press("Enter")
        await page.getByText("Look at the run").waitFor()
        await page.route(/\/sessions\/[^/]+\/runs/, async (route) => {
          const response = await route.fetch()
          const runs = await response.json() as ReadonlyArray<object>
          await route.fulfill({ response, json: runs.map((run) => ({ ...run, followups: ["Which <b>color</b>?"] })) })
        })
        await page.reload()
        await page.getByRole("button", { name: "Which <b>color</b>?" }).click()
        await page.getByText("It is blue.").waitFor()
      })
      assert.strictEqual(yield* Effect.promise(() => page.locator(".followups").count()), 0)
    }).pipe(Effect.scoped))

  it.live("A long draft is there whole after a reload.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { model } = yield* Script.make([])
      const { url } = yield* TestServer.listen({ agents: [Agent.make({ id: "helper", name: "Helper", model })] })
      const { page } = yield* Browser.open(browser, `${url}/console/`)
      const text = "A long letter. ".repeat(10_000)
      const kept = yield* Effect.promise(async () => {
        await page.getByLabel("Message").fill("A short letter")
        await page.getByLabel("Message").fill(text)
        await page.reload()
        await page.getByLabel("Message").waitFor()
        return await page.getByLabel("Message").inputValue()
      })
      assert.isTrue(kept === text, `${kept.length} characters are kept`)
    }).pipe(Effect.scoped))
})
