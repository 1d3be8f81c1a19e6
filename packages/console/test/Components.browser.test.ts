// Stored components and their versions, in a real browser against a real service.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { findingsOn } from "./Accessibility.ts"
import * as Browser from "./Browser.ts"

Tier.oneIn(6)

const serve = Effect.gen(function*() {
  const { model } = yield* Script.make([[Script.text("Hello.")]])
  return yield* TestServer.listen({ agents: [Agent.make({ id: "shop", model })] })
})

const send = (url: string, path: string, body: object) =>
  Effect.promise(async () => {
    const response = await fetch(`${url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    assert.strictEqual(response.status, 201, await response.text())
  })

const create = (url: string) =>
  send(url, "/components", {
    name: "Greeter",
    component_type: "agent",
    stage: "published",
    config: { instructions: "Greet the user.\nBe short." }
  })

describe("The components", () => {
  it.live("A draft is made of a version, shows what it changes, is published, and is rolled back.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* serve
      yield* create(url)
      const { page, problems, strangers } = yield* Browser.open(browser, `${url}/console/#/components`)
      page.on("dialog", (dialog) => void dialog.accept())
      yield* Effect.promise(async () => {
        await page.getByRole("link", { name: "Greeter" }).click()
        await page.getByText("New version from version 1").click()
        await page.getByLabel("Instructions").fill("Greet the user.\nUse French.")
        await page.getByLabel("Temperature").fill("0.5")
        await page.getByLabel("Notes").fill("French")
        await page.getByRole("button", { name: "Create a draft" }).click()
        await page.getByRole("cell", { name: "draft" }).waitFor()
      })
      const difference = page.getByRole("region", { name: "From version 1 to version 2" })
      const lines = yield* Effect.promise(() => difference.locator("del, ins").allInnerTexts())
      assert.deepStrictEqual(lines.map((line) => line.trim()), ["- Be short.", "+ Use French."])
      const settings = page.getByRole("table", { name: "Changed settings" }).getByRole("row").nth(1)
      assert.deepStrictEqual(yield* Effect.promise(() => settings.getByRole("cell").allInnerTexts()), [
        "Temperature",
        "default",
        "0.5"
      ])
      assert.deepStrictEqual(yield* findingsOn(page), [])
      const sent = yield* Effect.promise(async () => {
        await page.getByRole("link", { name: "Try version 2 in the chat" }).click()
        await page.getByText("Messages go to version 2.").waitFor()
        const request = page.waitForRequest(/\/agents\/greeter\/runs$/)
        await page.getByLabel("Message").fill("Bonjour")
        await page.keyboard.press("Enter")
        const body = (await request).postData()
        await page.getByText("Look at the run").waitFor()
        const again = page.waitForRequest(/\/agents\/greeter\/runs$/)
        await page.getByRole("button", { name: "Answer again" }).click()
        const bodies = [body, (await again).postData()]
        await page.getByText("2/2").waitFor()
        await page.goto(`${url}/console/#/components/greeter`)
        return bodies
      })
      for (const body of sent) assert.include(JSON.parse(body ?? "{}"), { version: 2 })
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Publish version 2" }).click()
        await page.locator("tr", { hasText: "French" }).getByText("current").waitFor()
        await page.getByRole("button", { name: "Go back to version 1" }).click()
        await page.getByRole("button", { name: "Make version 2 current" }).waitFor()
        await page.getByRole("link", { name: "Chat with it" }).click()
        await page.getByLabel("Message").waitFor()
      })
      assert.match(page.url(), /#\/chat\/agent\/greeter$/)
      assert.deepStrictEqual([...problems, ...strangers], [])
    }).pipe(Effect.scoped))

  it.live("A config that the service refuses is kept in the fields, with the reason.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* serve
      yield* create(url)
      yield* send(url, "/components/greeter/configs", { config: { instructions: "Say nothing." } })
      const { page, problems } = yield* Browser.open(browser, `${url}/console/#/components/greeter`)
      const config = page.getByLabel("Config as JSON")
      yield* Effect.promise(async () => {
        await page.getByText("Change draft 2").click()
        await page.getByText("All settings as JSON").click()
        await config.fill(`{"instruction": "Say nothing."}`)
        await page.getByRole("button", { name: "Save" }).click()
        await page.getByRole("alert").getByText("instruction").first().waitFor()
      })
      assert.strictEqual(yield* Effect.promise(() => config.inputValue()), `{"instruction": "Say nothing."}`)
      assert.deepStrictEqual(yield* findingsOn(page), [])
      yield* Effect.promise(async () => {
        await config.fill(`{"instructions": "Say something."}`)
        await page.getByRole("button", { name: "Save" }).click()
        await page.locator("ins", { hasText: "Say something." }).waitFor()
      })
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("A component gets another name and a description, and keeps its id.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* serve
      yield* create(url)
      const { page, problems } = yield* Browser.open(browser, `${url}/console/#/components/greeter`)
      yield* Effect.promise(async () => {
        await page.getByText("Change the name and the description").click()
        await page.getByLabel("Name (required)").fill("Welcome")
        await page.getByRole("textbox", { name: "Description" }).fill("Greets each visitor.")
      })
      assert.deepStrictEqual(yield* findingsOn(page), [])
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Save" }).click()
        await page.getByRole("heading", { name: "Welcome" }).waitFor()
        await page.getByText("Greets each visitor.").waitFor()
        await page.getByRole("textbox", { name: "Description" }).waitFor({ state: "detached" })
        await page.getByText("Change the name and the description").click()
        await page.getByRole("textbox", { name: "Description" }).fill("")
        await page.getByRole("button", { name: "Save" }).click()
        await page.getByText("Greets each visitor.").waitFor({ state: "detached" })
      })
      assert.match(page.url(), /components\/greeter$/)
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))
})
