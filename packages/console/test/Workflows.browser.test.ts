// The graph of a workflow, and what a person sees of large and hostile answers, in a real browser.
import { assert, describe, it } from "@effect/vitest"
import * as ForEach from "@svc-runtime/agents/workflow/define/ForEach"
import * as Parallel from "@svc-runtime/agents/workflow/define/Parallel"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Schema } from "effect"
import { findingsOn } from "./Accessibility.ts"
import * as Browser from "./Browser.ts"

Tier.oneIn(6)

describe("Workflows", () => {
  it.live("A call inside of a step that is approved in the chat continues the step in its place.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { model } = yield* Script.make([[Script.toolCall("send", {})], [Script.text("It is sent.")]])
      const send = Tool.make({
        name: "send",
        parameters: Schema.Struct({}),
        approval: "required",
        execute: () => "sent"
      })
      const writer = Agent.make({ id: "writer", name: "Writer", model, tools: [send] })
      const { url } = yield* TestServer.listen({
        workflows: [Workflow.make({ id: "letter", steps: [Step.make({ name: "write", agent: writer })] })]
      })
      const { page, problems } = yield* Browser.open(browser, `${url}/console/#/chat/workflow/letter`)
      const activities = page.locator(".activity > summary")
      yield* Effect.promise(async () => {
        await page.getByLabel("Message").fill("Write to Ann")
        await page.keyboard.press("Enter")
        await page.getByRole("button", { name: "Approve" }).click()
        await page.getByText("It is sent.").first().waitFor()
        await page.locator(".figures").waitFor()
      })
      const shown = yield* Effect.promise(() => activities.allInnerTexts())
      assert.deepStrictEqual(shown.map((text) => text.trim().replaceAll(/\s+/g, " ")), [
        "completed write",
        "completed Writer"
      ])
      assert.strictEqual(yield* Effect.promise(() => page.locator(".call").count()), 1)
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("A step for the items of a list shows the item that a person decides about.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const send = Step.make({ name: "send", confirmation: true, run: ({ input }) => `sent to ${String(input)}` })
      const { url } = yield* TestServer.listen({
        workflows: [
          Workflow.make({
            id: "letters",
            steps: [ForEach.make({ name: "each", items: () => ["ann", "bob"], steps: [send] })]
          })
        ]
      })
      const { page, problems } = yield* Browser.open(browser, `${url}/console/#/chat/workflow/letters`)
      const items = page.locator(".decisions .json")
      yield* Effect.promise(async () => {
        await page.getByLabel("Message").fill("Write to both")
        await page.keyboard.press("Enter")
        await items.nth(1).waitFor()
        assert.deepStrictEqual(await items.allInnerTexts(), ["ann", "bob"])
        const ann = page.locator(".decisions").filter({ has: page.locator(".json", { hasText: "ann" }) })
        await ann.getByRole("heading", { name: "The step send at 0/0/0 waits for you" }).waitFor()
        await ann.getByRole("button", { name: "Reject" }).click()
        await ann.waitFor({ state: "detached" })
        await page.getByRole("button", { name: "Approve" }).press("Enter")
        await page.getByText("sent to bob").first().waitFor()
      })
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("A failed step shows its error, and a person repeats it or skips it in the chat and on the page of the run.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      let attempts = 0
      const fails = Step.make({
        name: "charge",
        onError: "pause",
        run: () => Effect.die(new Error(`The bank is away, ${++attempts}`))
      })
      const beside = Step.make({ name: "mail", confirmation: true, run: () => "It is sent." })
      const { url } = yield* TestServer.listen({
        workflows: [
          Workflow.make({ id: "bill", steps: [Parallel.make({ name: "both", steps: [fails, beside] })] })
        ]
      })
      const body = new URLSearchParams({ message: "Hi", session_id: "s", run_id: "r", stream: "false" })
      yield* Effect.promise(() => fetch(`${url}/workflows/bill/runs`, { method: "POST", body }))
      const chat = `${url}/console/#/chat/workflow/bill?session=s`
      const { page, problems } = yield* Browser.open(browser, chat)
      const decisions = page.locator(".decisions")
      yield* Effect.promise(async () => {
        await decisions.getByText("The bank is away, 1").waitFor()
        await page.getByRole("button", { name: "Try again" }).click()
        await decisions.getByText("The bank is away, 2").waitFor()
        await decisions.getByText("The step mail at 0/1 waits for you").waitFor()
        await page.goto(`${url}/console/#/runs/r?session=s`)
        await page.getByRole("button", { name: "Skip the step" }).click()
        await decisions.getByText("The bank is away, 2").waitFor({ state: "detached" })
        await page.getByRole("button", { name: "Approve" }).press("Enter")
        await page.getByText("COMPLETED").first().waitFor()
      })
      assert.strictEqual(attempts, 2)
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("Fields of a step that are not required can stay empty, of any type.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const entered: Array<unknown> = []
      const ask = Step.make({
        name: "ask",
        effects: "read",
        userInput: {
          schema: Schema.Struct({
            age: Schema.Int,
            rank: Schema.optionalKey(Schema.Int),
            size: Schema.optionalKey(Schema.Literals(["S", "L"])),
            isNew: Schema.NullOr(Schema.Boolean)
          })
        },
        run: ({ userInput }) => {
          entered.push(userInput)
          return "Thanks."
        }
      })
      const { url } = yield* TestServer.listen({ workflows: [Workflow.make({ id: "form", steps: [ask] })] })
      const { page, problems } = yield* Browser.open(browser, `${url}/console/#/chat/workflow/form`)
      yield* Effect.promise(async () => {
        await page.getByLabel("Message").fill("Hi")
        await page.keyboard.press("Enter")
        await page.getByLabel("age", { exact: true }).fill("7")
        await page.getByRole("button", { name: "Continue the run" }).click()
        await page.getByText("Thanks.").first().waitFor()
      })
      assert.deepStrictEqual(entered, [{ age: 7, isNew: null }])
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("The second question of a step starts without what was entered for the first.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const ask = Step.make({
        name: "ask",
        run: async ({ pause }) => `${await pause({ question: "Which city?" })}, ${await pause({ question: "When?" })}`
      })
      const { url } = yield* TestServer.listen({ workflows: [Workflow.make({ id: "trip", steps: [ask] })] })
      const { page, problems } = yield* Browser.open(browser, `${url}/console/#/chat/workflow/trip`)
      yield* Effect.promise(async () => {
        await page.getByLabel("Message").fill("Go")
        await page.keyboard.press("Enter")
        await page.getByText("Which city?").waitFor()
        await page.getByText("Look at the run").click()
        const answer = page.getByLabel("answer", { exact: true })
        await answer.fill("Lyon")
        await page.getByRole("button", { name: "Continue the run" }).click()
        await page.getByText("When?").waitFor()
        assert.strictEqual(await answer.inputValue(), "")
      })
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("The graph shows which steps a run has reached, while it executes.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const gate = yield* Deferred.make<void>()
      const { model } = yield* Script.make([[Script.wait(gate), Script.text("Written.")]])
      const writer = Agent.make({ id: "writer", model })
      const brief = Workflow.make({
        id: "brief",
        steps: [
          Step.make({
            name: "collect",
            run: () => "facts"
          }),
          Step.make({ name: "write", agent: writer })
        ]
      })
      const { url } = yield* TestServer.listen({ workflows: [brief] })
      const { page, problems } = yield* Browser.open(browser, `${url}/console/#/chat/workflow/brief`)
      yield* Effect.promise(() => page.getByLabel("Message").fill("Go"))
      yield* Effect.promise(() => page.keyboard.press("Enter"))
      yield* Effect.promise(() => page.locator(".activity", { hasText: "collect" }).waitFor())
      yield* Effect.promise(() => page.waitForURL(/session=/))
      yield* Effect.promise(() => page.getByRole("link", { name: "Workflows" }).click())
      yield* Effect.promise(() =>
        page.getByRole("complementary").getByRole("listitem").getByRole("link").first().click()
      )
      yield* Effect.promise(() => page.locator(".graph .step.completed", { hasText: "collect" }).waitFor())
      yield* Effect.promise(() => page.locator(".graph .step.executing", { hasText: "write" }).waitFor())
      yield* Deferred.succeed(gate, undefined)
      yield* Effect.promise(() => page.locator(".graph .step.completed", { hasText: "write" }).waitFor())
      assert.deepStrictEqual(yield* findingsOn(page), [])
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))
})

describe("Large answers", () => {
  it.live("An answer of ten thousand pieces is shown to its last word, and the page stays usable.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const pieces = Array.from(
        { length: 10_000 },
        (_, index) => index % 50 === 0 ? `\n\nParagraph ${index}: ` : `word${index} `
      )
      const { model } = yield* Script.make([[Script.text(...pieces, "the end")]])
      const { url } = yield* TestServer.listen({ agents: [Agent.make({ id: "long", model })] })
      const { page } = yield* Browser.open(browser, `${url}/console/`)
      yield* Effect.promise(() => page.getByLabel("Message").fill("Write"))
      yield* Effect.promise(() => page.keyboard.press("Enter"))
      yield* Effect.promise(() => page.getByText("Look at the run").waitFor())
      yield* Effect.promise(async () => {
        const more = page.getByRole("button", { name: /^Show more/ })
        if (await more.count() > 0) await more.click()
      })
      yield* Effect.promise(() => page.getByText("the end").waitFor())
      yield* Effect.promise(() => page.getByLabel("Message").fill("Still typing"))
    }).pipe(Effect.scoped))
})
