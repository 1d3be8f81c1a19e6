// The console without a mouse, in a real browser against a real service.
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import { TraceBuffer } from "@svc-runtime/features/traces/TraceWriter"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect, Schema } from "effect"
import type { Page } from "playwright-core"
import * as Browser from "./Browser.ts"

/** Whether keys go to this part of the page. */
const hasFocus = (page: Page, selector: string) =>
  page.waitForFunction((selector) => document.activeElement?.matches(selector), selector)

/** Presses Tab until it has the focus. */
const tabTo = async (page: Page, name: RegExp): Promise<void> => {
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press("Tab")
    const text = await page.evaluate(() => {
      const { activeElement: element } = document
      return element instanceof HTMLElement ? `${element.ariaLabel ?? ""} ${element.innerText}` : ""
    })
    if (name.test(text)) return
  }
  assert.fail(`Tab did not reach ${name.source}`)
}

describe("The keyboard alone", () => {
  it.live("A person sends a message, looks at the run, approves its call and makes a schedule.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { model } = yield* Script.make([[Script.toolCall("refund", { order: 17 })], [
        Script.text("It is refunded.")
      ]])
      const refund = Tool.make({
        name: "refund",
        parameters: Schema.Struct({ order: Schema.Finite }),
        approval: "required",
        execute: () => "refunded"
      })
      const agents = [Agent.make({ id: "shop", name: "Shop", model, tools: [refund] })]
      const { url } = yield* TestServer.listen({ agents, traces: new TraceBuffer({ hasContent: true }) })
      const { page, problems } = yield* Browser.open(browser, `${url}/console/`)
      const { keyboard } = page
      yield* Effect.promise(async () => {
        await page.getByLabel("Message").waitFor()
        await keyboard.press("/")
        await keyboard.type("Refund order 17")
        await keyboard.press("Enter")
        await page.getByText("The run waits for you").waitFor()
        await tabTo(page, /^ Look at the run$/)
        await keyboard.press("Enter")
        await page.locator(".waterfall .row").nth(1).waitFor()
        await hasFocus(page, "main")
        await keyboard.press("j")
        await hasFocus(page, ".waterfall .row")
        await keyboard.press("Enter")
        await page.locator(".waterfall .details").waitFor()
        await keyboard.press("g")
        await keyboard.press("a")
        await page.locator(".approval").waitFor()
        await keyboard.press("j")
        await hasFocus(page, ".approval")
        await keyboard.press("y")
        await hasFocus(page, ".approval button.approve")
        await keyboard.press("Enter")
        await page.getByText("Nothing waits for you").waitFor()
        await keyboard.press("Control+k")
        await page.getByLabel("Search pages").waitFor()
        await keyboard.type("sched")
        await keyboard.press("Enter")
        await page.getByText("New schedule").waitFor()
        await tabTo(page, /^ New schedule$/)
        await keyboard.press("Enter")
        await page.getByLabel("Name (required)").waitFor()
        await keyboard.press("Tab")
        await keyboard.type("Daily report")
        await keyboard.press("Tab")
        await keyboard.type("0 9 * * *")
        for (const _ of ["time zone", "component", "message"]) await keyboard.press("Tab")
        await keyboard.type("Write the report")
        await keyboard.press("Tab")
        await keyboard.press("Enter")
        await page.getByRole("heading", { name: "Daily report" }).waitFor()
      })
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("The menu and the search keep the keys to themselves, and give the focus back; each page has a title.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { model } = yield* Script.make([])
      const { url } = yield* TestServer.listen({ agents: [Agent.make({ id: "shop", name: "Shop", model })] })
      const { page, problems } = yield* Browser.open(browser, `${url}/console/#/runs`, { width: 390 })
      const { keyboard } = page
      const menu = page.getByRole("dialog", { name: "Menu" })
      const titled = (title: string) => page.waitForFunction((title) => document.title === title, title)
      yield* Effect.promise(async () => {
        await titled("Runs · Svc")
        const button = page.getByRole("button", { name: "Menu", exact: true })
        await button.press("Enter")
        await menu.waitFor()
        await keyboard.press("g")
        await keyboard.press("a")
        await menu.getByRole("button", { name: "Close: Menu" }).click()
        await menu.waitFor({ state: "detached" })
        assert.match(page.url(), /#\/runs$/)
        await hasFocus(page, `[aria-label="Menu"]`)
        await button.press("Enter")
        await menu.waitFor()
        await keyboard.press("Control+k")
        await menu.waitFor({ state: "detached" })
        await keyboard.type("metrics")
        await keyboard.press("Enter")
        await titled("Metrics · Svc")
        await button.press("Enter")
        await menu.waitFor()
        await page.goBack()
        await titled("Runs · Svc")
        await menu.waitFor({ state: "detached" })
        await page.goto(`${url}/console/#/chat/agent/shop`)
        await titled("shop · Chat · Svc")
      })
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))
})
