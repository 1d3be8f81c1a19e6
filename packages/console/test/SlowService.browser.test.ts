// What the console does when responses of the service take long, or are refused.
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import { Knowledge } from "@svc-runtime/server"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Schema } from "effect"
import type { Page } from "playwright-core"
import * as Browser from "./Browser.ts"
import { agentOf, send } from "./Chatting.ts"

Tier.oneIn(6)

/** Requests to these addresses get their responses late: with `release`. */
const hold = async (page: Page, address: RegExp, refusal?: object) => {
  const { promise, resolve } = Promise.withResolvers<void>()
  let count = 0
  await page.route(address, async (route) => {
    count++
    if (refusal === undefined) {
      const response = await route.fetch()
      await promise
      return route.fulfill({ response })
    }
    await promise
    await route.fulfill({ status: 409, json: refusal })
  })
  return { release: resolve, count: () => count }
}

/** The address of the conversation that was begun. */
const withSession = async (page: Page) => {
  await page.waitForURL(/session=/)
  return page.url()
}

describe("A slow service", () => {
  it.live("A list that is read again and again sends no second request before the response to the first.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* TestServer.listen({ agents: yield* agentOf([]) })
      const { page, problems } = yield* Browser.open(browser, `${url}/console/`)
      yield* Effect.promise(async () => {
        await page.getByLabel("Message").waitFor()
        await page.clock.install()
        const { count, release } = await hold(page, /\/runs\?/)
        await page.getByRole("link", { name: "Runs", exact: true }).click()
        while (count() === 0) await page.clock.runFor(1)
        for (let seconds = 0; seconds < 20; seconds++) await page.clock.runFor(1000)
        assert.strictEqual(count(), 1)
        release()
        await page.getByText("Start one in the chat").waitFor()
      })
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("A message that is sent before the earlier ones are there is shown after them, and answered.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* TestServer.listen({
        agents: yield* agentOf([[Script.text("First answer.")], [Script.text("Second answer.")]])
      })
      const { page, problems } = yield* Browser.open(browser, `${url}/console/`)
      const shown = yield* Effect.promise(async () => {
        await send(page, "First")
        await page.getByText("First answer.").waitFor()
        await withSession(page)
        const { count, release } = await hold(page, /\/sessions\/[^/]+\/runs/)
        await page.reload()
        while (count() === 0) await page.getByLabel("Message").waitFor()
        await send(page, "Second")
        await page.getByText("Second answer.").waitFor()
        release()
        await page.getByText("First answer.").waitFor()
        return await page.locator(".turn .input").allTextContents()
      })
      assert.deepStrictEqual(shown, ["First", "Second"])
      assert.strictEqual(yield* Effect.promise(() => page.getByText("Second answer.").count()), 1)
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))
})

describe("A request that failed", () => {
  it.live("The messages of a session that could not be read are there after a retry.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* TestServer.listen({ agents: yield* agentOf([[Script.text("First answer.")]]) })
      const { page, problems } = yield* Browser.open(browser, `${url}/console/`)
      yield* Effect.promise(async () => {
        await send(page, "First")
        await page.getByText("First answer.").waitFor()
        await withSession(page)
        const runs = /\/sessions\/[^/]+\/runs/
        await page.route(runs, (route) => route.fulfill({ status: 500, json: { detail: "It broke" } }))
        await page.reload()
        await page.getByText("It broke").waitFor()
        await page.unroute(runs)
        await page.getByRole("button", { name: "Try again" }).click()
        await page.getByText("First answer.").waitFor()
      })
      assert.strictEqual(yield* Effect.promise(() => page.getByText("It broke").count()), 0)
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("A decision that was refused leaves what the person has entered.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { model } = yield* Script.make([[Script.toolCall("refund", { order: 17 })], [Script.text("Not refunded.")]])
      const refund = Tool.make({
        name: "refund",
        parameters: Schema.Struct({ order: Schema.Finite }),
        approval: "required",
        execute: () => "refunded"
      })
      const { url } = yield* TestServer.listen({ agents: [Agent.make({ id: "shop", model, tools: [refund] })] })
      const { page, problems } = yield* Browser.open(browser, `${url}/console/`)
      const reason = page.getByLabel("Note for the model")
      yield* Effect.promise(async () => {
        await send(page, "Refund order 17")
        await reason.fill("It was used")
        const { release } = await hold(page, /\/continue/, { detail: "It is decided" })
        await page.getByRole("button", { name: "Reject" }).click()
        await reason.waitFor({ state: "hidden" })
        release()
        await page.getByText("It is decided").waitFor()
        assert.strictEqual(await reason.inputValue(), "It was used")
        await page.unroute(/\/continue/)
        await page.getByRole("button", { name: "Reject" }).click()
        await page.getByText("Not refunded.").waitFor()
      })
      assert.strictEqual(yield* Effect.promise(() => reason.count()), 0)
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("A file whose upload failed is uploaded again by a button.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* TestServer.listen({ knowledge: [Knowledge.make({ name: "handbook" })], embedder: "demo" })
      const { page, problems } = yield* Browser.open(browser, `${url}/console/#/knowledge`)
      yield* Effect.promise(async () => {
        const content = /\/knowledge\/content/
        await page.getByLabel("Files").waitFor()
        await page.route(
          content,
          (route) =>
            route.request().method() === "POST"
              ? route.fulfill({ status: 500, json: { detail: "It broke" } })
              : route.continue()
        )
        await page.getByLabel("Files").setInputFiles({
          name: "holidays.txt",
          mimeType: "text/plain",
          buffer: Buffer.from("Thirty days a year.")
        })
        await page.getByText("It broke").waitFor()
        await page.unroute(content)
        await page.getByRole("button", { name: "Upload again" }).click()
        await page.locator(".uploads li", { hasText: "uploaded" }).waitFor()
        await page.getByRole("cell", { name: "holidays.txt", exact: true }).waitFor()
      })
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))
})

describe("A page without TLS", () => {
  it.live("A message is sent, and the command of its run is copied.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* TestServer.listen({ agents: yield* agentOf([[Script.text("An answer.")]]) })
      const { port } = new URL(url)
      const { page, problems } = yield* Browser.open(browser, `http://${Browser.insecureHost}:${port}/console/`)
      yield* Effect.promise(async () => {
        await page.getByLabel("Message").waitFor()
        assert.isFalse(await page.evaluate(() => isSecureContext))
        await send(page, "A question")
        await page.getByText("An answer.").waitFor()
        await page.getByRole("link", { name: "Look at the run" }).click()
        await page.getByRole("button", { name: "Copy as curl" }).click()
        await page.getByRole("button", { name: "Copied" }).waitFor()
      })
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))
})
