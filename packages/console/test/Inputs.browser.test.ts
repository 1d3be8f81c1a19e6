// What the chat sends: the input of a component with a schema, of a factory, and files.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Schema } from "effect"
import * as Browser from "./Browser.ts"

Tier.oneIn(6)

const inputSchema = Schema.Struct({
  city: Schema.String,
  days: Schema.optionalKey(Schema.Finite),
  unit: Schema.optional(Schema.Literals(["celsius", "kelvin"]))
})

const lists = Effect.fnUntraced(function*(agents: ReadonlyArray<Agent.Agent>) {
  return yield* TestServer.listen({ agents })
})

describe("The chat", () => {
  it.live("The form of a component with an input schema is the message, and is sent when it is complete.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { model, prompts } = yield* Script.make([[Script.text("Rain.")]])
      const { url } = yield* lists([Agent.make({ id: "weather", model, inputSchema })])
      const { page, problems } = yield* Browser.open(browser, `${url}/console/`)
      const button = page.getByRole("button", { name: "Send" })
      yield* Effect.promise(async () => {
        await page.getByLabel("city (required)").waitFor()
        assert.isTrue(await button.isDisabled())
        assert.strictEqual(await page.getByLabel("Message").count(), 0)
        await page.getByLabel("days").fill("3")
        await page.getByLabel("unit").selectOption("kelvin")
        await page.getByLabel("city (required)").fill("Oslo")
        await button.click()
        await page.getByText("Rain.").waitFor()
      })
      assert.include(JSON.stringify(yield* prompts), "Oslo")
      assert.strictEqual(
        yield* Effect.promise(() => page.locator(".turn .input").textContent()),
        `{"days":3,"unit":"kelvin","city":"Oslo"}`
      )
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("Files and a form that were filled for one component are not there for another one.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { model } = yield* Script.make([])
      const { url } = yield* lists([
        Agent.make({ id: "first", model, inputSchema }),
        Agent.make({ id: "other", model, inputSchema })
      ])
      const { page, problems } = yield* Browser.open(browser, `${url}/console/#/chat/agent/first`)
      const file = { name: "letter.txt", mimeType: "text/plain", buffer: Buffer.from("Dear Ann") }
      const picker = page.locator(".composer input[type=file]")
      const chosen = page.locator(".composer .files")
      yield* Effect.promise(async () => {
        await page.getByLabel("city (required)").fill("Oslo")
        await picker.setInputFiles(file)
        await page.getByRole("button", { name: "letter.txt" }).click()
        assert.strictEqual(await chosen.count(), 0)
        await picker.setInputFiles(file)
        await chosen.waitFor()
        await page.getByRole("link", { name: "other" }).click()
        await page.waitForURL(/other/)
        await chosen.waitFor({ state: "detached" })
        assert.strictEqual(await page.getByLabel("city (required)").inputValue(), "")
      })
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))
})
