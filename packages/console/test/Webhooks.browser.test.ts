// Webhooks, in a real browser against a real service that calls a receiver.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { findingsOn } from "./Accessibility.ts"
import * as Browser from "./Browser.ts"

const receiver = Effect.acquireRelease(
  Effect.promise(() => {
    const bodies: Array<string> = []
    const server = createServer((request, response) => {
      let body = ""
      request.on("data", (part: Buffer) => body += part.toString())
      request.on("end", () => {
        bodies.push(body)
        response.writeHead(204).end()
      })
    })
    return new Promise<{ server: typeof server; bodies: typeof bodies }>((resolve) =>
      server.listen(0, "127.0.0.1", () => resolve({ server, bodies }))
    )
  }),
  ({ server }) => Effect.sync(() => server.close().closeAllConnections())
)

describe("The webhooks", () => {
  it.live("A webhook is created with the events that are chosen, is called, disabled and changed.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { bodies, server } = yield* receiver
      const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a/long/path/of/the/hook`
      const { model } = yield* Script.make([])
      const { url } = yield* TestServer.listen({
        agents: [Agent.make({ id: "shop", model })],
        fetch: { allowPrivate: true }
      })
      const { page, problems, strangers } = yield* Browser.open(browser, `${url}/console/#/webhooks`)
      yield* Effect.promise(async () => {
        await page.getByText("New webhook").click()
        await page.getByLabel("Address (required)").fill(address)
        for (const event of await page.getByRole("checkbox").all()) await event.uncheck()
        await page.locator("button.primary:disabled").waitFor()
        await page.getByLabel("a run failed").check()
        await page.getByLabel("a run completed").check()
        await page.getByRole("button", { name: "Create" }).click()
        await page.getByText("It is shown only now").waitFor()
        await page.getByRole("cell", { name: "run.completed, run.failed" }).waitFor()
      })
      assert.deepStrictEqual(yield* findingsOn(page), [])
      yield* Effect.promise(async () => {
        await page.getByRole("link", { name: address }).click()
        await page.getByRole("button", { name: `Test ${address}` }).click()
        await page.getByRole("cell", { name: "succeeded" }).waitFor()
        await page.getByRole("button", { name: "Send again" }).click()
        while (bodies.length < 2) await new Promise((resolve) => setTimeout(resolve, 20))
      })
      assert.strictEqual(bodies[1], bodies[0])
      assert.deepStrictEqual(yield* findingsOn(page), [])
      yield* Effect.promise(async () => {
        await page.getByText("Change the webhook").click()
        await page.getByLabel("Events of").selectOption("agent/shop")
        await page.getByLabel("a run failed").uncheck()
        await page.getByRole("button", { name: "Save" }).click()
        await page.getByText("Events of agent shop: run.completed").waitFor()
        await page.getByRole("button", { name: `Disable ${address}` }).click()
        await page.getByRole("button", { name: `Enable ${address}` }).waitFor()
      })
      yield* Effect.promise(() => page.setViewportSize({ width: 390, height: 800 }))
      const widthOf = () => page.evaluate(() => document.querySelector("main")?.scrollWidth)
      assert.strictEqual(yield* Effect.promise(widthOf), 390)
      assert.deepStrictEqual([...problems, ...strangers], [])
    }).pipe(Effect.scoped))
})
