// The pages of resources, in a real browser against a real service.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import { Knowledge } from "@svc-runtime/server"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import * as Tokens from "@svc-runtime/test-support/Tokens"
import { Effect } from "effect"
import { findingsOn } from "./Accessibility.ts"
import * as Browser from "./Browser.ts"

Tier.oneIn(6)

const serve = Effect.fnUntraced(function*(options: TestServer.Options = {}) {
  const { model } = yield* Script.make([[Script.text("Here is the report.")]])
  return yield* TestServer.listen({ agents: [Agent.make({ id: "shop", name: "Shop", model })], ...options })
})

describe("The pages of resources", () => {
  it.live("A schedule shows its times before it is saved, keeps its settings when it is changed, and has a run in its history.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* serve()
      const { page, problems, strangers } = yield* Browser.open(browser, `${url}/console/#/schedules`)
      yield* Effect.promise(async () => {
        await page.getByText("Create one above").waitFor()
        await page.getByText("New schedule").click()
        await page.getByLabel("Name (required)").fill("Daily report")
        await page.getByLabel("Cron expression").fill("0 9 * *")
        await page.getByText("0 9 * * does not have 5 or 6 fields").waitFor()
        await page.getByLabel("Cron expression").fill("0 9 * * *")
        await page.getByRole("list", { name: "Next times" }).locator("li").nth(4).waitFor()
        await page.getByLabel("Message").fill("Write the report")
        await page.getByLabel("Session").fill("reports")
        await page.getByText("Further settings").click()
        await page.getByLabel("Repetitions of a failed run").fill("2")
        await page.getByLabel("While a run has not ended").selectOption("queue")
        await page.getByLabel("Other fields of the request").fill(`{"user_id": "ann"}`)
        await page.getByRole("button", { name: "Create" }).click()
        await page.getByRole("list", { name: "Next times" }).locator("li").nth(4).waitFor()
        await page.getByRole("button", { name: "Trigger Daily report" }).click()
        await page.getByRole("cell", { name: "success" }).waitFor()
      })
      const stored = yield* Effect.promise(async () => await (await fetch(`${url}/schedules`)).json())
      assert.deepInclude(stored.data[0], {
        max_retries: 2,
        overlap: "queue",
        catch_up: "one",
        payload: { message: "Write the report", session_id: "reports", user_id: "ann" }
      })
      assert.deepStrictEqual(yield* findingsOn(page), [])
      yield* Effect.promise(async () => {
        await page.getByText("Change the schedule").click()
        await page.getByText("Further settings").click()
        await page.getByLabel("Other fields of the request").fill("")
        await page.getByRole("button", { name: "Save" }).click()
        await page.locator("details.fold:not([open])").waitFor()
      })
      const changed = yield* Effect.promise(async () => await (await fetch(`${url}/schedules`)).json())
      assert.deepInclude(changed.data[0], {
        max_retries: 2,
        payload: { message: "Write the report", session_id: "reports" }
      })
      yield* Effect.promise(async () => {
        await page.getByRole("link", { name: "Look at the run" }).click()
        await page.getByRole("button", { name: "answer" }).click()
        await page.getByText("Here is the report.").waitFor()
      })
      assert.deepStrictEqual([...problems, ...strangers], [])
    }).pipe(Effect.scoped))

  it.live("A file and a text that are added to a knowledge base are found by a search.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* serve({ knowledge: [Knowledge.make({ name: "handbook" })], embedder: "demo" })
      const { page, problems } = yield* Browser.open(browser, `${url}/console/#/knowledge`)
      yield* Effect.promise(async () => {
        await page.getByLabel("Files").setInputFiles({
          name: "holidays.txt",
          mimeType: "text/plain",
          buffer: Buffer.from("Everybody has thirty days of holiday.")
        })
        await page.getByText("Add a text").click()
        await page.getByLabel("Name (required)").fill("parking")
        await page.getByLabel("Text (required)").fill("Bicycles are parked in the yard.")
        await page.getByRole("button", { name: "Add", exact: true }).click()
        await page.getByRole("cell", { name: "completed" }).nth(1).waitFor()
        await page.getByRole("searchbox", { name: "Try a search" }).fill("days of holiday")
        await page.keyboard.press("Enter")
        const found = page.getByLabel("Found")
        await found.locator("mark", { hasText: "holiday" }).first().waitFor()
        await found.getByText("no. 1 by words").waitFor()
        await found.getByText("passage 1").first().waitFor()
      })
      assert.deepStrictEqual(yield* findingsOn(page), [])
      page.on("dialog", (dialog) => void dialog.accept())
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Delete parking" }).click()
        await page.getByText("1 in all").waitFor()
      })
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("A file of a source is found in its folder and added.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* TestServer.listen({ knowledge: [Knowledge.make({ name: "handbook" })], embedder: "demo" })
      const { page, problems } = yield* Browser.open(browser, `${url}/console/`)
      const meta = { page: 1, limit: 25, total_pages: 1, total_count: 1, search_time_ms: 0 }
      const source = { id: "wiki", name: "The wiki", type: "s3", metadata: null, prefix: null }
      const folder = { prefix: "trips/", name: "trips", is_empty: false }
      const file = { key: "trips/ships & boats.md", name: "ships & boats.md" }
      const added: Array<string> = []
      yield* Effect.promise(async () => {
        await page.route(/\/sources(\?|$)/, (route) => route.fulfill({ json: [source] }))
        await page.route(/\/sources\/wiki\/files/, (route) => {
          const isInside = new URL(route.request().url()).searchParams.get("prefix") === "trips/"
          const [folders, files] = isInside ? [[], [file]] : [[folder], []]
          return route.fulfill({
            json: { source_id: "wiki", source_name: "The wiki", prefix: "", folders, files, meta }
          })
        })
        await page.route(/\/remote-content/, (route) => {
          added.push(route.request().postData() ?? "")
          return route.fulfill({ status: 202, json: { id: "c", status: "processing" } })
        })
        await page.goto(`${url}/console/#/knowledge`)
        await page.getByLabel("Source").selectOption("The wiki")
        await page.getByRole("link", { name: "trips/" }).click()
        await page.getByRole("button", { name: "Add ships & boats.md" }).click()
        while (added.length === 0) await page.getByText("ships & boats.md").waitFor()
      })
      assert.deepStrictEqual(JSON.parse(added[0] ?? ""), { config_id: "wiki", path: "trips/ships & boats.md" })
      assert.deepStrictEqual(yield* findingsOn(page), [])
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("The token of a service account is shown once, is accepted, and is refused after it was revoked.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* serve({ authorization: { securityKey: Tokens.redacted("the-key-of-the-service") } })
      const { page, problems } = yield* Browser.open(browser, `${url}/console/#/accounts`)
      const statusOf = (token: string) =>
        Effect.promise(() => fetch(`${url}/agents`, { headers: { authorization: `Bearer ${token}` } }))
      yield* Effect.promise(async () => {
        await page.getByLabel("Token").fill("the-key-of-the-service")
        await page.getByRole("button", { name: "Sign in" }).click()
        await page.getByText("New service account").click()
        await page.getByLabel("Name (required)").fill("reporter")
        await page.getByLabel("Scopes").fill("agents:read")
        await page.getByRole("button", { name: "Create" }).click()
      })
      const token = yield* Effect.promise(() => page.locator(".secret code").innerText())
      assert.strictEqual((yield* statusOf(token)).status, 200)
      assert.deepStrictEqual(yield* findingsOn(page), [])
      yield* Effect.promise(async () => {
        await page.reload()
        await page.getByRole("cell", { name: "reporter", exact: true }).waitFor()
      })
      assert.notInclude(yield* Effect.promise(() => page.content()), token)
      page.on("dialog", (dialog) => void dialog.accept())
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Revoke reporter" }).click()
        await page.getByText("Create one above").waitFor()
      })
      assert.strictEqual((yield* statusOf(token)).status, 401)
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("A memory that is created is found by its topic, changed and deleted.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* serve()
      const { page, problems } = yield* Browser.open(browser, `${url}/console/#/memories`)
      page.on("dialog", (dialog) => void dialog.accept())
      yield* Effect.promise(async () => {
        await page.getByText("New memory").click()
        await page.getByLabel("Memory (required)").fill("Likes tea")
        await page.getByLabel("Topics").fill("drinks, morning")
        await page.getByRole("form", { name: "New memory" }).getByLabel("User").fill("ann")
        await page.getByRole("button", { name: "Create" }).click()
        await page.getByRole("combobox", { name: "Topic" }).selectOption("drinks")
        await page.getByRole("button", { name: "Change Likes tea" }).click()
        await page.getByRole("form", { name: "Change the memory" }).getByLabel("Memory (required)").fill("Likes coffee")
        await page.getByRole("button", { name: "Save" }).click()
        await page.getByText("Likes coffee").waitFor()
      })
      assert.deepStrictEqual(yield* findingsOn(page), [])
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Delete Likes coffee" }).click()
        await page.getByText("Nothing matches the filters").waitFor()
      })
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("On a narrow screen the menu opens by its button, closes by Escape, and when a page is chosen.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* serve()
      const { page } = yield* Browser.open(browser, `${url}/console/`, { width: 390 })
      const button = page.getByRole("button", { name: "Menu", exact: true })
      const menu = page.getByRole("dialog", { name: "Menu" })
      const schedules = menu.getByRole("link", { name: "Schedules" })
      yield* Effect.promise(async () => {
        await button.press("Enter")
        await schedules.press("Escape")
        await menu.waitFor({ state: "detached" })
        await button.press("Enter")
        await schedules.waitFor()
      })
      assert.deepStrictEqual(yield* findingsOn(page), [])
      yield* Effect.promise(async () => {
        await schedules.press("Enter")
        await page.getByRole("heading", { name: "Schedules" }).waitFor()
        await menu.waitFor({ state: "detached" })
      })
      assert.deepStrictEqual(yield* findingsOn(page), [])
    }).pipe(Effect.scoped))

  it.live("Ctrl K finds pages, components and sessions by a part of their name, by keys alone.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* serve()
      yield* Effect.promise(() =>
        fetch(`${url}/sessions?type=agent`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ session_name: "Lamps for Lyon", agent_id: "shop" })
        })
      )
      const { page, problems } = yield* Browser.open(browser, `${url}/console/`)
      const field = page.getByLabel("Search pages")
      const find = async (text: string) => {
        await page.keyboard.press("Control+k")
        await field.fill(text)
      }
      yield* Effect.promise(async () => {
        await page.getByLabel("Message").waitFor()
        await find("webh")
        await page.getByRole("option", { name: "Webhooks Page" }).waitFor()
      })
      assert.deepStrictEqual(yield* findingsOn(page), [])
      yield* Effect.promise(async () => {
        await page.keyboard.press("Enter")
        await page.getByRole("heading", { name: "Webhooks" }).waitFor()
        await find("lamps")
        await page.getByRole("option", { name: "Lamps for Lyon Session" }).waitFor()
        await page.keyboard.press("Enter")
        await page.waitForURL(/#\/chat\/agent\/shop\?session=/)
        await find("no such thing")
        await page.getByText("Nothing found").waitFor()
        await page.keyboard.press("Escape")
        await field.waitFor({ state: "detached" })
      })
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("Each page opens on a service without data, and has no serious finding.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* serve()
      const { page, problems } = yield* Browser.open(browser, `${url}/console/`)
      const titles = ["Learnings", "Webhooks", "Metrics", "Traces", "System"]
      for (const title of titles) {
        yield* Effect.promise(() => page.goto(`${url}/console/#/${title.toLowerCase()}`))
        yield* Effect.promise(() => page.getByRole("heading", { name: title, exact: true }).waitFor())
        assert.deepStrictEqual(yield* findingsOn(page), [], title)
      }
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("The system shows its nodes, and which runs the node that responds has ended.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* serve()
      yield* Effect.promise(() =>
        fetch(`${url}/agents/shop/runs`, {
          method: "POST",
          body: new URLSearchParams({ message: "Hi", stream: "false" })
        })
      )
      const { page, problems } = yield* Browser.open(browser, `${url}/console/#/system`, { width: 390 })
      yield* Effect.promise(() =>
        page.locator(".figure", { hasText: "Ended runs" }).getByText("1", { exact: true }).waitFor()
      )
      yield* Effect.promise(() => page.getByText("(this one)").waitFor())
      assert.deepStrictEqual(yield* findingsOn(page), [])
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))
})
