// The playground: changed instructions are tried beside what there is, and published, in a real browser.
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Schema } from "effect"
import { findingsOn } from "./Accessibility.ts"
import * as Browser from "./Browser.ts"

Tier.oneIn(6)

const find = Tool.make({
  name: "find_order",
  description: "Finds an order",
  parameters: Schema.Struct({ order: Schema.Finite }),
  effects: "read",
  execute: () => "shipped"
})

const serve = Effect.fnUntraced(function*(turns: ReadonlyArray<Script.Turn>) {
  const { model } = yield* Script.make(turns)
  const agents = [
    Agent.make({ id: "shop", name: "Shop", model, instructions: "Sell lamps.\nBe short.", tools: [find] })
  ]
  return yield* TestServer.listen({ agents, model: "demo" })
})

const get = (url: string, path: string) => Effect.promise(async () => (await fetch(`${url}${path}`)).json())

const send = (url: string, path: string, body: object) =>
  Effect.promise(async () => {
    const response = await fetch(`${url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    return await response.json()
  })

interface Run {
  readonly agent_id: string
  readonly run_id: string
  readonly session_id: string
}

describe("The playground", () => {
  it.live("Changed instructions of an agent in code run beside the code, and are published as a stored component.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* serve([[Script.text("In code.")], [Script.text("As changed.")]])
      const { page, problems, strangers } = yield* Browser.open(browser, `${url}/console/#/playground`)
      page.on("dialog", (dialog) => void dialog.accept())
      const second = page.getByRole("region", { name: "Variant B" })
      yield* Effect.promise(async () => {
        await page.getByRole("link", { name: /Shop/ }).click()
        await page.getByRole("region", { name: "Variant A" }).getByLabel("Instructions").waitFor()
        await page.getByRole("button", { name: "Compare two" }).click()
        assert.strictEqual(await second.getByLabel("Instructions").inputValue(), "Sell lamps.\nBe short.")
        await second.getByLabel("Instructions").fill("Sell lamps.\nBe friendly.")
        await second.getByLabel("Temperature").fill("0.3")
        await second.getByText("Tools").click()
        await second.getByLabel("find_order").uncheck()
        await second.getByText("changed", { exact: true }).waitFor()
        await page.getByRole("region", { name: "Instructions from A to B" }).getByText("friendly").waitFor()
      })
      assert.deepStrictEqual(yield* findingsOn(page), [])
      yield* Effect.promise(async () => {
        await page.getByLabel("Message", { exact: true }).fill("Do you have {{what}}?")
        await page.getByLabel("what", { exact: true }).fill("a desk lamp")
        await page.getByRole("button", { name: "Run A and B" }).click()
        await page.getByRole("region", { name: "Answer of variant A" }).getByText("Look at the run").waitFor()
        await page.getByRole("region", { name: "Answer of variant B" }).getByText("Look at the run").waitFor()
      })
      assert.deepStrictEqual(yield* findingsOn(page), [])
      const draft = yield* get(url, "/components/shop-copy/configs/1")
      assert.deepInclude(draft, { stage: "draft" })
      // everything else is as in code
      assert.deepStrictEqual(draft.config, {
        base: "shop",
        instructions: "Sell lamps.\nBe friendly.",
        model_settings: { temperature: 0.3 },
        tools: []
      })
      const { data } = yield* get(url, "/runs") as Effect.Effect<{ readonly data: ReadonlyArray<Run> }>
      assert.deepStrictEqual(data.map(({ agent_id }) => agent_id).toSorted(), ["shop", "shop-copy"])
      for (const { agent_id, run_id, session_id } of data) {
        const run = yield* get(url, `/agents/${agent_id}/runs/${run_id}?session_id=${session_id}`)
        assert.include(JSON.stringify(run), "Do you have a desk lamp?")
      }
      yield* Effect.promise(async () => {
        await second.getByRole("button", { name: "Publish version 1" }).click()
        await second.locator("option:checked", { hasText: "Version 1, current" }).waitFor({ state: "attached" })
      })
      assert.deepInclude(yield* get(url, "/components/shop-copy"), { current_version: 1 })
      assert.match(page.url(), /\?b=1&a=code$/)
      assert.deepStrictEqual([...problems, ...strangers], [])
    }).pipe(Effect.scoped))

  it.live("A dataset runs against two versions, and the better one is published from their comparison.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* serve([])
      yield* send(url, "/components", {
        name: "Host",
        component_type: "agent",
        stage: "published",
        config: { instructions: "Greet." }
      })
      yield* send(url, "/datasets", { name: "greetings", items: [{ input: "Hello", expected_output: "Hello" }] })
      const { page, problems } = yield* Browser.open(browser, `${url}/console/#/playground/agent/host?b=1&tab=dataset`)
      page.on("dialog", (dialog) => void dialog.accept())
      yield* Effect.promise(async () => {
        const second = page.getByRole("region", { name: "Variant B" })
        await second.getByLabel("Instructions").fill("Greet in French.")
        await page.getByRole("button", { name: "Run A and B, and compare" }).click()
        await page.getByRole("heading", { name: "Host, version 2", level: 1 }).waitFor()
        await page.waitForURL(/base=/)
        await page.locator(".figure", { hasText: "Passed" }).waitFor()
        await page.getByRole("img", { name: /^Passed: version/ }).waitFor()
      })
      const { data } = yield* get(url, "/experiments")
      assert.deepStrictEqual(
        data.map(({ component_version }: { readonly component_version: string }) => component_version).toSorted(),
        ["1", "2"]
      )
      assert.deepStrictEqual(yield* findingsOn(page), [])
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Publish version 2" }).click()
        await page.locator(".status.current").waitFor()
      })
      assert.deepInclude(yield* get(url, "/components/host"), { current_version: 2 })
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("Changes stay until they are saved, those of a draft in the draft, and the playground fits a narrow screen.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* serve([])
      yield* send(url, "/components", { name: "Host", component_type: "agent", config: { instructions: "Greet." } })
      const { page, problems } = yield* Browser.open(browser, `${url}/console/#/playground/agent/host`, { width: 390 })
      const first = page.getByRole("region", { name: "Variant A" })
      yield* Effect.promise(async () => {
        await first.getByLabel("Instructions").fill("Greet in French.")
        // what is not saved stays while the person looks at another page
        await page.goto(`${url}/console/#/runs`)
        await page.getByRole("heading", { name: "Runs" }).waitFor()
        await page.goBack()
        await first.getByText("changed", { exact: true }).waitFor()
        await first.getByRole("button", { name: "Save as a draft" }).click()
        await first.getByRole("button", { name: "Publish version 1" }).waitFor()
      })
      const versions = yield* get(url, "/components/host/configs")
      assert.deepStrictEqual(versions.map(({ config }: { readonly config: object }) => config), [
        { instructions: "Greet in French." }
      ])
      const width = yield* Effect.promise(() => page.evaluate(() => document.documentElement.scrollWidth))
      assert.strictEqual(width, 390)
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("A draft that is changed elsewhere is neither overwritten nor published unseen.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* serve([])
      const config = { instructions: "Be short." }
      yield* send(url, "/components", { name: "Host", component_type: "agent", stage: "published", config })
      yield* send(url, "/components/host/configs", { config: { instructions: "Be kind." } })
      const { page, problems } = yield* Browser.open(browser, `${url}/console/#/playground/agent/host?a=2`)
      page.on("dialog", (dialog) => void dialog.accept())
      const change = (instructions: string) =>
        Effect.promise(async () => {
          await fetch(`${url}/components/host/configs/2`, {
            method: "PATCH",
            headers: { "content-type": "application/json" },
            body: JSON.stringify({ config: { instructions } })
          })
        })
      const field = page.getByRole("region", { name: "Variant A" }).getByLabel("Instructions")
      yield* Effect.promise(() => field.waitFor())
      yield* change("Be strict.")
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Publish version 2" }).click()
        await page.getByText("Version 2 was changed elsewhere, and nothing was published").waitFor()
        await field.fill("Be funny.")
        await page.getByRole("button", { name: "Save" }).click()
        await page.getByText("Your changes are in the new draft, version 3").waitFor()
      })
      const versions: ReadonlyArray<{ readonly config: typeof config; readonly stage: string }> = yield* get(
        url,
        "/components/host/configs"
      )
      assert.sameDeepMembers(
        versions.map(({ config, stage }) => [config.instructions, stage]),
        [["Be short.", "published"], ["Be strict.", "draft"], ["Be funny.", "draft"]]
      )
      // the browser writes refused requests
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("A run is opened in the playground with its input, and a version goes back to the one before.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* serve([[Script.text("Yes.")]])
      const { run_id } = yield* send(url, "/agents/shop/runs", { message: "Do you have lamps?", stream: false })
      const host = { name: "Host", component_type: "agent", stage: "published", config: { instructions: "One." } }
      yield* send(url, "/components", host)
      yield* send(url, "/components/host/configs", { stage: "published", config: { instructions: "Two." } })
      const { page, problems } = yield* Browser.open(browser, `${url}/console/#/runs/${run_id}`)
      page.on("dialog", (dialog) => void dialog.accept())
      const first = page.getByRole("region", { name: "Variant A" })
      yield* Effect.promise(async () => {
        await page.getByRole("link", { name: "Open in the playground" }).click()
        await page.getByRole("button", { name: "Run", exact: true, disabled: false }).waitFor()
        assert.strictEqual(await page.getByLabel("Message", { exact: true }).inputValue(), "Do you have lamps?")
        await page.goto(`${url}/console/#/playground/agent/host`)
        await first.getByLabel("Version of variant A").selectOption("1")
        await first.getByRole("button", { name: "Go back to version 1" }).click()
        await first.locator("option:checked", { hasText: "Version 1, current" }).waitFor({ state: "attached" })
      })
      assert.strictEqual(yield* Effect.promise(() => first.getByLabel("Instructions").inputValue()), "One.")
      assert.deepInclude(yield* get(url, "/components/host"), { current_version: 1 })
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("A team in code is tried with another mode and fewer members, which is all that the draft has.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { model } = yield* Script.make([])
      const members = ["finder", "writer"].map((id) => Agent.make({ id, model }))
      const { url } = yield* TestServer.listen({
        agents: members,
        teams: [Team.make({ id: "desk", model, members, instructions: "Answer together." })]
      })
      const { page, problems } = yield* Browser.open(browser, `${url}/console/#/playground/team/desk`)
      const first = page.getByRole("region", { name: "Variant A" })
      yield* Effect.promise(async () => {
        await page.getByLabel("Id of the stored component").fill("desk-two")
        await page.keyboard.press("Enter")
        await page.waitForURL(/store=desk-two/)
        await first.getByRole("combobox", { name: "Mode", exact: true }).selectOption("route")
        await first.getByText("Members").click()
        await first.getByLabel("agent/writer").uncheck()
        await first.getByRole("button", { name: "Save as a draft" }).click()
        await first.getByRole("button", { name: "Publish version 1" }).waitFor()
      })
      assert.deepStrictEqual((yield* get(url, "/components/desk-two/configs/1")).config, {
        base: "desk",
        mode: "route",
        members: [{ type: "agent", agent_id: "finder" }]
      })
      assert.deepStrictEqual(yield* findingsOn(page), [])
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))
})
