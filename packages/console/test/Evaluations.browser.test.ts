// Evaluations, datasets and experiments, in a real browser against a real service.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { findingsOn } from "./Accessibility.ts"
import * as Browser from "./Browser.ts"

Tier.oneIn(6)

const agent = Effect.fnUntraced(function*(id: string, turns: ReadonlyArray<Script.Turn>) {
  const { model } = yield* Script.make(turns)
  return Agent.make({ id, name: id, model })
})

const send = (url: string, path: string, body: object) =>
  Effect.promise(async () => {
    const response = await fetch(`${url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    return await response.json() as { readonly id: string }
  })

const capitals = {
  name: "capitals",
  items: [
    { id: "france", input: "The capital of France?", expected_output: "Paris" },
    { id: "italy", input: "The capital of Italy?", expected_output: "Rome" }
  ]
}

describe("The pages of evaluations", () => {
  it.live("An evaluation that is started shows its score and the reason of the judge.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const agents = [yield* agent("geographer", [[Script.text("It is Paris")]])]
      const { url } = yield* TestServer.listen({ agents, model: "demo" })
      const { page, problems, strangers } = yield* Browser.open(browser, `${url}/console/#/evaluations`)
      yield* Effect.promise(async () => {
        await page.getByText("New evaluation").click()
        await page.getByLabel("Component (required)").locator("option").first().waitFor({ state: "attached" })
        await page.getByLabel("Input (required)").fill("What is the capital of France?")
        await page.getByLabel("Expected answer").fill("Paris")
        await page.getByRole("button", { name: "Start" }).click()
        await page.getByText("10 of 10").waitFor()
        await page.getByText("The demo model compares words only").waitFor()
      })
      assert.deepStrictEqual(yield* findingsOn(page), [])
      page.on("dialog", (dialog) => void dialog.accept())
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Delete accuracy" }).click()
        await page.getByText("Start one above").waitFor()
      })
      assert.deepStrictEqual([...problems, ...strangers], [])
    }).pipe(Effect.scoped))

  it.live("An evaluation gets the threshold and the guidelines of its judge from the form.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const agents = [yield* agent("geographer", [[Script.text("It is Paris")]])]
      const { url } = yield* TestServer.listen({ agents, model: "demo" })
      const { page, problems } = yield* Browser.open(browser, `${url}/console/#/evaluations`)
      yield* Effect.promise(async () => {
        await page.getByText("New evaluation").click()
        await page.getByLabel("Component (required)").locator("option").first().waitFor({ state: "attached" })
        await page.getByRole("form").getByRole("combobox", { name: "Type" }).selectOption("agent_as_judge")
        await page.getByLabel("Input (required)").fill("What is the capital of France?")
        await page.getByRole("textbox", { name: "Criteria" }).fill("It names Paris")
        await page.getByText("Further settings").click()
        await page.getByLabel("The judge answers").selectOption("numeric")
        await page.getByLabel("Passes from this score on").fill("3")
        await page.getByRole("textbox", { name: "Guidelines for the judge" }).fill("Be mild")
        await page.getByLabel("Calls of other tools").selectOption("allow")
        await page.getByLabel("Expected arguments").fill(`{"search": {"city": "Paris"}}`)
        await page.getByLabel("Model of the component").fill("demo:demo")
      })
      assert.deepStrictEqual(yield* findingsOn(page), [])
      const sent = yield* Effect.promise(async () => {
        const request = page.waitForRequest((request) => request.method() === "POST" && /eval-runs/.test(request.url()))
        await page.getByRole("button", { name: "Start" }).click()
        const body: unknown = (await request).postDataJSON()
        await page.getByRole("heading", { name: "agent_as_judge" }).waitFor()
        return body
      })
      assert.deepStrictEqual(sent, {
        agent_id: "geographer",
        eval_type: "agent_as_judge",
        input: "What is the capital of France?",
        background: true,
        criteria: "It names Paris",
        additional_guidelines: "Be mild",
        threshold: 3,
        scoring_strategy: "numeric",
        allow_additional_tool_calls: true,
        model_provider: "demo",
        model_id: "demo",
        expected_tool_call_arguments: { search: { city: "Paris" } }
      })
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("An evaluation that executes shows how far it is, and can be cancelled.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const agents = [yield* agent("geographer", [[Script.text("Paris")], [Script.hang]])]
      const { url } = yield* TestServer.listen({ agents, model: "demo" })
      yield* send(url, "/eval-runs", {
        agent_id: "geographer",
        eval_type: "accuracy",
        input: "The capital of France?",
        expected_output: "Paris",
        num_iterations: 2,
        background: true
      })
      const { page, problems } = yield* Browser.open(browser, `${url}/console/#/evaluations`)
      yield* Effect.promise(() => page.getByText("1 of 2").waitFor())
      assert.deepStrictEqual(yield* findingsOn(page), [])
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Cancel accuracy" }).click()
        await page.getByRole("cell", { name: "cancelled" }).waitFor()
      })
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("An item that is added to a dataset makes a version, and the version before does not have it.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* TestServer.listen({ agents: [yield* agent("geographer", [])] })
      const { page, problems } = yield* Browser.open(browser, `${url}/console/#/datasets`)
      yield* Effect.promise(async () => {
        await page.getByText("New dataset").click()
        await page.getByLabel("Name (required)").fill("capitals")
        await page.getByRole("button", { name: "Create" }).click()
        await page.getByText("Add an item").click()
        await page.getByLabel("Input (required)").fill("The capital of France?")
        await page.getByLabel("Expected answer").fill("Paris")
        await page.getByRole("button", { name: "Add", exact: true }).click()
        await page.getByRole("cell", { name: "Paris" }).waitFor()
        await page.getByText("Version 2, 1 item").waitFor()
      })
      assert.deepStrictEqual(yield* findingsOn(page), [])
      yield* Effect.promise(async () => {
        await page.getByLabel("Version").fill("1")
        await page.keyboard.press("Enter")
        await page.getByRole("heading", { name: "Items of version 1" }).waitFor()
        await page.getByText("Nothing matches the filters").waitFor()
      })
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("Real questions are added from the runs of a component, and an experiment with them is started.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* TestServer.listen({
        agents: [yield* agent("geographer", [[Script.text("Paris")], [Script.text("Rome")]])]
      })
      for (const message of ["The capital of France?", "The capital of Italy?"]) {
        yield* send(url, "/agents/geographer/runs", { message, stream: false })
      }
      const { page, problems } = yield* Browser.open(browser, `${url}/console/#/datasets?new=1`)
      yield* Effect.promise(async () => {
        await page.getByLabel("Name (required)").fill("capitals")
        await page.getByRole("button", { name: "Create" }).click()
        await page.getByLabel(/The capital of France/).check()
        await page.getByLabel("Their answers are the expected ones").check()
      })
      assert.deepStrictEqual(yield* findingsOn(page), [])
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Add 1 question" }).click()
        await page.getByRole("cell", { name: "Paris" }).waitFor()
        await page.getByRole("link", { name: "Run an experiment" }).click()
        await page.getByLabel("Dataset (required)").locator("option:checked", { hasText: "capitals" }).waitFor({
          state: "attached"
        })
      })
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("Two experiments are compared by the inputs of their items: which got worse, and which got better.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const agents = [
        yield* agent("first", [[Script.text("Paris")], [Script.text("I do not know")]]),
        yield* agent("second", [[Script.text("I do not know")], [Script.text("Rome")]])
      ]
      const { url } = yield* TestServer.listen({ agents, model: "demo" })
      const { id } = yield* send(url, "/datasets", capitals)
      yield* send(url, "/experiments", { dataset_id: id, agent_id: "first", scorers: [{ type: "exact" }] })
      const { page, problems, strangers } = yield* Browser.open(browser, `${url}/console/#/experiments`)
      yield* Effect.promise(async () => {
        await page.locator("tr", { hasText: "first" }).getByText("50 %").waitFor()
        await page.getByText("New experiment").click()
        await page.getByLabel("Dataset (required)").locator("option").first().waitFor({ state: "attached" })
        await page.getByLabel("Component (required)").selectOption("agent/second")
        await page.getByRole("button", { name: "Start" }).click()
        await page.getByRole("cell", { name: "The capital of Italy?" }).waitFor()
        await page.getByText("contains: The output does not contain: Paris").waitFor()
      })
      assert.deepStrictEqual(yield* findingsOn(page), [])
      yield* Effect.promise(async () => {
        await page.getByLabel("Compared with").selectOption({ index: 1 })
        await page.getByText("1 worse, 1 better, 0 unchanged").waitFor()
        await page.locator(".differences li", { hasText: "Italy" }).getByText("better").waitFor()
        // what differs is first and open
        const first = page.locator(".differences li").first()
        await first.getByText("worse").waitFor()
        await first.getByRole("region", { name: "Before" }).getByText("Paris").waitFor()
        await first.getByRole("region", { name: "Now" }).getByText("I do not know").waitFor()
        const vote = first.getByRole("region", { name: "Now" }).getByRole("button", { name: "Bad answer" })
        await vote.click()
        await page.reload()
        await page.locator(".differences li").first().locator("[aria-pressed=true]").waitFor()
      })
      assert.deepStrictEqual(yield* findingsOn(page), [])
      assert.match(page.url(), /base=/)
      assert.deepStrictEqual([...problems, ...strangers], [])
    }).pipe(Effect.scoped))
})
