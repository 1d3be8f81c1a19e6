// The pages of the console beside the chat, in a real browser against a real service.
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import { TraceBuffer } from "@svc-runtime/features/traces/TraceWriter"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import * as Tokens from "@svc-runtime/test-support/Tokens"
import { Effect, Schema } from "effect"
import { findingsOn } from "./Accessibility.ts"
import * as Browser from "./Browser.ts"

Tier.oneIn(6)

const refund = (options: object = {}) =>
  Tool.make({
    name: "refund",
    parameters: Schema.Struct({ order: Schema.Finite }),
    execute: ({ order }: { readonly order: number }) => `refunded ${order}`,
    ...options
  })

const serve = Effect.fnUntraced(function*(
  turns: ReadonlyArray<Script.Turn>,
  options: TestServer.Options & { readonly tool?: object } = {}
) {
  const { model } = yield* Script.make(turns)
  const agents = [Agent.make({ id: "shop", name: "Shop", model, tools: [refund(options.tool)] })]
  return yield* TestServer.listen({ agents, traces: new TraceBuffer({ hasContent: true }), ...options })
})

const start = (url: string, fields: Readonly<Record<string, string>> = {}, token?: string) =>
  Effect.promise(async () => {
    const response = await fetch(`${url}/agents/shop/runs`, {
      method: "POST",
      body: new URLSearchParams({ message: "Refund order 17", stream: "false", ...fields }),
      ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } })
    })
    return await response.json() as { readonly run_id: string; readonly status: string }
  })

const call = [Script.toolCall("refund", { order: 17 })]

describe("The pages", () => {
  it.live("A run has a row for each model call and tool call, with what went in and out.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* serve([call, [Script.text("Order 17 is refunded.")]])
      yield* start(url)
      const { page, problems, strangers } = yield* Browser.open(browser, `${url}/console/#/runs`)
      yield* Effect.promise(() => page.getByRole("link", { name: "shop", exact: true }).click())
      const rows = page.locator(".waterfall .row")
      yield* Effect.promise(() => rows.nth(3).waitFor())
      const names = yield* Effect.promise(() => rows.locator(".name").allInnerTexts())
      assert.deepStrictEqual(names.map((name) => name.split(" ").at(-1)), ["agent", "model", "tool", "model"])
      yield* Effect.promise(() => rows.nth(2).click())
      yield* Effect.promise(() => page.locator(".details", { hasText: "refunded 17" }).waitFor())
      assert.deepStrictEqual(yield* findingsOn(page), [])
      assert.deepStrictEqual([...problems, ...strangers], [])
    }).pipe(Effect.scoped))

  it.live("A trace is opened from the list, also when it is of no run, and names its run.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* serve([call, [Script.text("Order 17 is refunded.")]])
      const { run_id } = yield* start(url)
      const { page, problems } = yield* Browser.open(browser, `${url}/console/#/traces`)
      yield* Effect.promise(() => page.getByRole("link", { name: "shop agent" }).click())
      yield* Effect.promise(() => page.locator(".waterfall .row").nth(3).waitFor())
      const link = page.getByRole("link", { name: "Look at the run" })
      assert.strictEqual(yield* Effect.promise(() => link.getAttribute("href")), `#/runs/${run_id}`)
      assert.deepStrictEqual(yield* findingsOn(page), [])
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("A model call shows its prompt as messages, and the JSON of them when it is opened.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* serve([call, [Script.text("Order 17 is **refunded**.")]])
      const { run_id } = yield* start(url)
      const { page, problems } = yield* Browser.open(browser, `${url}/console/#/runs/${run_id}`)
      yield* Effect.promise(async () => {
        await page.locator(".waterfall .row").nth(3).click()
        const sent = page.locator(".span-messages").first()
        await sent.locator(".user", { hasText: "Refund order 17" }).waitFor()
        await sent.locator(".assistant", { hasText: "Calls refund" }).waitFor()
        await sent.locator(".tool", { hasText: "refunded 17" }).waitFor()
        await page.locator(".span-messages .assistant strong", { hasText: "refunded" }).waitFor()
        await page.getByText("Raw").first().click()
        await page.locator(".json", { hasText: `"tool_call"` }).waitFor()
      })
      assert.deepStrictEqual(yield* findingsOn(page), [])
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("A run is started again from its page, and becomes an item of a new dataset with a corrected answer.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* serve([[Script.text("It is order 17.")], [Script.text("It is order 18.")]])
      const { run_id } = yield* start(url)
      const { page, problems } = yield* Browser.open(browser, `${url}/console/#/runs/${run_id}?tab=dataset`)
      yield* Effect.promise(async () => {
        await page.getByLabel("Name of a new dataset").fill("Orders")
        await page.getByLabel("Expected answer").fill("It is order 18.")
        await page.getByRole("button", { name: "Add", exact: true }).click()
        await page.getByRole("link", { name: "Orders" }).waitFor()
      })
      const item = yield* Effect.promise(async () => {
        const { data: [dataset] } = await (await fetch(`${url}/datasets`)).json()
        return (await (await fetch(`${url}/datasets/${dataset.id}/items`)).json()).data[0]
      })
      assert.deepInclude(item, { input: "Refund order 17", expected_output: "It is order 18." })
      assert.deepStrictEqual(yield* findingsOn(page), [])
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Run again" }).click()
        await page.waitForURL((address) => !address.hash.includes(run_id) && address.hash.startsWith("#/runs/"))
        await page.getByRole("button", { name: "answer" }).click()
        await page.getByText("It is order 18.").waitFor()
      })
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("The metrics have totals, what changed against the time before, and axes with units.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* serve([])
      const { page, problems } = yield* Browser.open(browser, `${url}/console/`)
      const figures = (time: number, runs: number) => ({
        time: new Date(time).toISOString(),
        runs: { total: runs, completed: runs, failed: 0, cancelled: 0 },
        tokens: { input_tokens: runs * 1000, output_tokens: runs * 100, total_tokens: runs * 1100 },
        cost: runs / 100,
        duration: { p50: 2, p95: 4 },
        component_type: "agent",
        component_id: "shop"
      })
      const day = 86_400_000
      const today = Math.floor(Date.now() / day) * day
      yield* Effect.promise(async () => {
        await page.route(/\/metrics\/usage/, (route) => {
          const last = Date.parse(String(new URL(route.request().url()).searchParams.get("ending_date")))
          const data = last === today ? [figures(today - day, 100), figures(today, 50)] : [figures(last, 100)]
          return route.fulfill({
            json: { data, meta: { page: 1, limit: 1000, total_pages: 1, total_count: data.length } }
          })
        })
        await page.goto(`${url}/console/#/metrics`)
        await page.locator(".figure", { hasText: "Runs150+50% against the time before" }).waitFor()
        await page.locator(".figure", { hasText: "Cost$1.50" }).waitFor()
        await page.locator(".chart canvas").nth(3).waitFor()
        await page.getByRole("cell", { name: "agent shop" }).waitFor()
      })
      assert.deepStrictEqual(yield* findingsOn(page), [])
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("Feedback on a run is given with a comment, shown, replaced and deleted.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* serve([[Script.text("Order 17 is refunded.")]])
      const { run_id } = yield* start(url)
      const { page, problems } = yield* Browser.open(browser, `${url}/console/#/runs/${run_id}?tab=feedback`)
      const give = page.getByRole("button", { name: "Give feedback" })
      const rows = page.locator(".entries tbody tr")
      page.on("dialog", (dialog) => void dialog.accept())
      yield* Effect.promise(async () => {
        await page.getByText("No feedback yet").waitFor()
        await page.getByLabel("The answer is").selectOption("bad")
        await page.getByLabel("Comment").fill("It is order 18")
        await give.click()
        await rows.filter({ hasText: "It is order 18" }).filter({ hasText: "bad" }).waitFor()
      })
      assert.deepStrictEqual(yield* findingsOn(page), [])
      yield* Effect.promise(async () => {
        await page.getByLabel("The answer is").selectOption("good")
        await give.click()
        await rows.filter({ hasText: "good" }).waitFor()
        assert.strictEqual(await rows.count(), 1)
        await page.getByRole("button", { name: "Delete the score of rating" }).click()
        await page.getByText("No feedback yet").waitFor()
      })
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("Each part of a run fits a narrow screen, and the list of runs names its values there.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* serve([call, [Script.text("Order 17 is refunded.")]])
      const { run_id } = yield* start(url)
      const { page } = yield* Browser.open(browser, `${url}/console/#/runs`, { width: 360 })
      yield* Effect.promise(() => page.locator("td[data-title=Component]", { hasText: "shop" }).waitFor())
      yield* Effect.promise(() => page.goto(`${url}/console/#/runs/${run_id}`))
      const tabs = page.getByRole("navigation", { name: "Parts of the run" }).getByRole("button")
      yield* Effect.promise(() => tabs.first().waitFor())
      for (const tab of yield* Effect.promise(() => tabs.all())) {
        yield* Effect.promise(() => tab.click())
        const widths = yield* Effect.promise(() =>
          page.evaluate(() => [document.documentElement.scrollWidth, document.querySelector("main")?.scrollWidth])
        )
        assert.deepStrictEqual(widths, [360, 360], yield* Effect.promise(() => tab.innerText()))
      }
    }).pipe(Effect.scoped))

  it.live("The runs show what they used, are sorted by it, and a view with a name leads back to the order.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const used = (total: number) => [Script.text("Done."), Script.usage({ input: total - 1, output: 1 })]
      const { url } = yield* serve([used(10), used(3000), used(200)])
      for (const message of ["first", "second", "third"]) yield* start(url, { message })
      const { page, problems } = yield* Browser.open(browser, `${url}/console/#/runs`)
      const tokens = () => page.locator(`td[data-title="Tokens"]`).allInnerTexts()
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Tokens" }).click()
        await page.locator(`th[aria-sort="descending"]`, { hasText: "Tokens" }).waitFor()
        await page.locator("tbody tr").first().getByText("3,000").waitFor()
      })
      assert.deepStrictEqual(yield* Effect.promise(tokens), ["3,000", "200", "10"])
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Save this view" }).click()
        await page.getByLabel("Name of the view").fill("Large runs")
        await page.getByRole("button", { name: "Save", exact: true }).click()
        await page.getByRole("button", { name: "Tokens" }).click()
        await page.locator("tbody tr").last().getByText("3,000").waitFor()
        await page.reload()
        await page.getByRole("link", { name: "Large runs" }).click()
        await page.locator("tbody tr").first().getByText("3,000").waitFor()
      })
      assert.deepStrictEqual(yield* findingsOn(page), [])
      assert.deepStrictEqual([...problems], [])
    }).pipe(Effect.scoped))

  it.live("Two runs of a component are shown side by side, with what the other one used more or less.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const used = (total: number) => Script.usage({ input: total - 1, output: 1 })
      const { url } = yield* serve([[Script.text("Long."), used(300)], [Script.text("Short."), used(150)]])
      const { run_id } = yield* start(url)
      const other = yield* start(url)
      const { page, problems } = yield* Browser.open(browser, `${url}/console/#/runs/${run_id}?tab=compare`)
      yield* Effect.promise(async () => {
        await page.getByLabel("Compare with").selectOption(other.run_id)
        const side = page.getByRole("region", { name: "The other run" })
        await side.getByText("Short.").waitFor()
        await side.getByText("-50%").waitFor()
        await page.getByRole("region", { name: "This run" }).getByText("Long.").waitFor()
      })
      assert.deepStrictEqual(yield* findingsOn(page), [])
      assert.deepStrictEqual([...problems], [])
    }).pipe(Effect.scoped))

  it.live("The filters of the runs are in the address, and a reload keeps them.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* serve([[Script.text("One")], [Script.fail("broken")]])
      yield* start(url)
      yield* start(url)
      const { page } = yield* Browser.open(browser, `${url}/console/#/runs`)
      yield* Effect.promise(() => page.getByLabel("State").selectOption("ERROR"))
      yield* Effect.promise(() => page.getByText("1 in all").waitFor())
      assert.match(page.url(), /#\/runs\?status=ERROR$/)
      yield* Effect.promise(() => page.reload())
      yield* Effect.promise(() => page.getByText("1 in all").waitFor())
      assert.deepStrictEqual(yield* findingsOn(page), [])
      // a page after the last one opens the last one
      yield* Effect.promise(() => page.goto(`${url}/console/#/runs?page=7`))
      yield* Effect.promise(() => page.getByText("2 in all").waitFor())
    }).pipe(Effect.scoped))

  it.live("An approval that is decided in the inbox lets its run continue with the changed arguments.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* serve([call, [Script.text("Done.")]], { tool: { approval: "required" } })
      const { run_id, status } = yield* start(url)
      assert.strictEqual(status, "PAUSED")
      const { page, problems } = yield* Browser.open(browser, `${url}/console/`)
      yield* Effect.promise(() => page.getByRole("link", { name: /^Approvals\s*1$/ }).click())
      yield* Effect.promise(() => page.getByText("Change the arguments").click())
      yield* Effect.promise(() => page.getByLabel("order").fill(""))
      yield* Effect.promise(() => page.getByLabel("order").pressSequentially("18.5"))
      assert.deepStrictEqual(yield* findingsOn(page), [])
      yield* Effect.promise(() => page.getByRole("button", { name: "Approve" }).click())
      yield* Effect.promise(() => page.getByText("Nothing waits for you").waitFor())
      yield* Effect.promise(() => page.getByRole("link", { name: /^Approvals$/ }).waitFor())
      yield* Effect.promise(async () => {
        await page.getByLabel("State").selectOption("approved")
        await page.getByText("Entered with the decision").click()
        await page.locator(".approval .json", { hasText: `"order": 18.5` }).waitFor()
      })
      yield* Effect.promise(() => page.goto(`${url}/console/#/runs/${run_id}?tab=messages`))
      yield* Effect.promise(() => page.getByText("refunded 18.5").waitFor())
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("An approval of several calls shows each of them, and one press is for all.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const both = [Script.toolCall("refund", { order: 17 }), Script.toolCall("refund", { order: 99 })]
      const { url } = yield* serve([both, [Script.text("Done.")]], { tool: { approval: "required" } })
      yield* start(url)
      const { page, problems } = yield* Browser.open(browser, `${url}/console/#/approvals`)
      yield* Effect.promise(() => page.locator(".approval").first().waitFor())
      const shown = yield* Effect.promise(() => page.locator(".approval .values").allInnerTexts())
      assert.deepStrictEqual(shown.map((text) => text.replaceAll(/\s+/g, " ")).toSorted(), ["order 17", "order 99"])
      assert.deepStrictEqual(yield* findingsOn(page), [])
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("A press at the place of an approval that was just decided does not decide the next one.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const turns = [call, call, [Script.text("Done.")], [Script.text("Done.")]]
      const { url } = yield* serve(turns, { tool: { approval: "required" } })
      yield* start(url)
      yield* start(url)
      const { page } = yield* Browser.open(browser, `${url}/console/#/approvals`)
      const decided: Array<string> = []
      page.on("request", (request) => {
        if (request.url().endsWith("/resolve")) decided.push(request.url())
      })
      yield* Effect.promise(async () => {
        await page.locator(".approval").nth(1).waitFor()
        // a second press, as soon as the next card is in the place of the first
        await page.evaluate(() => {
          new MutationObserver((_, observer) => {
            const [card, other] = document.querySelectorAll(".approval")
            if (card === undefined || other !== undefined) return
            observer.disconnect()
            const press = new MouseEvent("click", { bubbles: true, cancelable: true, detail: 1 })
            document.body.dataset["pressed"] = String(card.querySelector("button.approve")?.dispatchEvent(press))
          }).observe(document.body, { childList: true, subtree: true })
        })
        await page.locator("button.approve").first().click()
        await page.locator("[data-pressed=false]").waitFor()
        // keys have no place, so one of them decides at once
        await page.locator("button.approve").press("Enter")
        await page.getByText("Nothing waits for you").waitFor()
      })
      assert.lengthOf(decided, 2)
    }).pipe(Effect.scoped))

  it.live("An approval is found and decided by keys alone.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* serve([call, [Script.text("Done.")]], { tool: { approval: "required" } })
      yield* start(url)
      const { page } = yield* Browser.open(browser, `${url}/console/`)
      yield* Effect.promise(() => page.getByRole("link", { name: /^Approvals\s*1$/ }).waitFor())
      yield* Effect.promise(() => page.keyboard.press("g"))
      yield* Effect.promise(() => page.keyboard.press("a"))
      yield* Effect.promise(() => page.locator(".approval").waitFor())
      yield* Effect.promise(() => page.keyboard.press("j"))
      yield* Effect.promise(() => page.keyboard.press("y"))
      yield* Effect.promise(() => page.locator("button.approve:focus").waitFor())
      yield* Effect.promise(() => page.keyboard.press("Enter"))
      yield* Effect.promise(() => page.getByText("Nothing waits for you").waitFor())
    }).pipe(Effect.scoped))

  it.live("A closed service shows nothing before a valid token is given, and the token is in no address.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* serve([[Script.text("Hello.")]], {
        authorization: { securityKey: Tokens.redacted("the-key-of-the-service") }
      })
      const { page, problems } = yield* Browser.open(browser, `${url}/console/`)
      yield* Effect.promise(() => page.getByLabel("Token").fill("a-wrong-key"))
      yield* Effect.promise(() => page.getByRole("button", { name: "Sign in" }).click())
      yield* Effect.promise(() => page.getByRole("alert").waitFor())
      assert.deepStrictEqual(yield* findingsOn(page), [])
      yield* Effect.promise(() => page.getByLabel("Token").fill("the-key-of-the-service"))
      yield* Effect.promise(() => page.getByRole("button", { name: "Sign in" }).click())
      yield* Effect.promise(() => page.getByLabel("Message").fill("Hi"))
      yield* Effect.promise(() => page.keyboard.press("Enter"))
      yield* Effect.promise(() => page.getByText("Hello.").waitFor())
      assert.notInclude(page.url(), "the-key")
      yield* Effect.promise(() => page.getByRole("button", { name: "Sign out" }).click())
      yield* Effect.promise(() => page.getByLabel("Token").waitFor())
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("A user sees only their own runs, and a missing scope is named.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const issuer = yield* Tokens.issuer()
      const token = (sub: string, scopes: ReadonlyArray<string>) =>
        issuer.sign({ sub, scopes: [...scopes], aud: "svc", exp: Math.floor(Date.now() / 1000) + 3600 })
      const all = ["agents:read", "agents:run", "sessions:read"]
      const { url } = yield* serve([[Script.text("One")], [Script.text("Two")]], {
        authorization: {
          enabled: true,
          verificationKeys: [Tokens.redacted(issuer.publicPem)],
          algorithm: "RS256",
          userIsolation: true
        }
      })
      yield* start(url, {}, yield* token("ann", all))
      yield* start(url, {}, yield* token("bob", all))
      const { page } = yield* Browser.open(browser, `${url}/console/#/runs`)
      const signIn = (given: string) =>
        Effect.promise(async () => {
          await page.getByLabel("Token").fill(given)
          await page.getByRole("button", { name: "Sign in" }).click()
        })
      yield* signIn(yield* token("ann", all))
      yield* Effect.promise(() => page.getByText("1 in all").waitFor())
      yield* Effect.promise(() => page.getByRole("button", { name: "Sign out" }).click())
      yield* signIn(yield* token("ann", ["agents:read"]))
      yield* Effect.promise(() => page.getByText("lacks the scope").first().waitFor())
    }).pipe(Effect.scoped))

  it.live("Names with markup are shown as text.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* serve([[Script.text("<script>window.hacked = true</script><svg onload=alert(1)>")]])
      yield* start(url, { message: "<img src=x onerror=\"window.hacked = true\">" })
      const { page, problems } = yield* Browser.open(browser, `${url}/console/#/runs`)
      yield* Effect.promise(() => page.getByText("<img src=x").waitFor())
      yield* Effect.promise(() => page.getByRole("link", { name: "shop", exact: true }).click())
      yield* Effect.promise(() => page.getByRole("button", { name: "answer" }).click())
      yield* Effect.promise(() => page.getByText("<script>window").waitFor())
      assert.isFalse(yield* Effect.promise(() => page.evaluate(() => "hacked" in globalThis)))
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))
})
