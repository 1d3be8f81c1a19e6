// Decisions of a person on a run that waits for several, on its page: one by one, from two tabs, made elsewhere, and
// without the rights.
import { assert, describe, it } from "@effect/vitest"
import * as Parallel from "@svc-runtime/agents/workflow/define/Parallel"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect, Schema } from "effect"
import type { Page } from "playwright-core"
import { findingsOn } from "./Accessibility.ts"
import * as Browser from "./Browser.ts"

/** A workflow that waits at two steps of its own, and at an agent's with two calls. */
const paused = Effect.fnUntraced(function*() {
  const done: Array<unknown> = []
  const confirmed = (name: string) =>
    Step.make({ name, confirmation: { message: `May ${name}?`, onReject: "skip" }, run: () => (done.push(name), name) })
  const day = Step.make({
    name: "day",
    confirmation: { message: "May it be sent?", onReject: "skip" },
    userInput: { message: "When?", schema: Schema.Struct({ day: Schema.String }) },
    run: ({ userInput }) => (done.push(userInput), "day")
  })
  const tool = (name: string, options: object) =>
    Tool.make({
      name,
      parameters: Schema.Struct({ order: Schema.Finite, to: Schema.String }),
      execute: (given) => (done.push(given), name),
      ...options
    })
  const { model } = yield* Script.make([
    ["refund", "ship"].map((name) => Script.toolCall(name, { order: 17, to: "ann" }, name)),
    [Script.text("Done.")]
  ])
  const tools = [tool("refund", { requiresConfirmation: true }), tool("ship", { requiresUserInput: ["to"] })]
  const desk = Agent.make({ id: "desk", name: "Desk", model, tools })
  const steps = [confirmed("publish"), day, Step.make({ name: "ask", agent: desk })]
  const { url } = yield* TestServer.listen({
    workflows: [Workflow.make({ id: "flow", steps: [Parallel.make({ name: "all", steps })] })]
  })
  const body = new URLSearchParams({ message: "Hi", session_id: "s", run_id: "r", stream: "false" })
  yield* Effect.promise(() => fetch(`${url}/workflows/flow/runs`, { method: "POST", body }))
  return { done, url, page: `${url}/console/#/runs/r` }
})

const stepOf = (page: Page, name: string) =>
  page.locator(".decisions").filter({ has: page.getByRole("heading", { name: `The step ${name} ` }) })

describe("Decisions", () => {
  it.live("Each of several steps is decided on its own, with its messages, and a call shows whose it is and for what.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { done, page: address } = yield* paused()
      const { page, problems } = yield* Browser.open(browser, address)
      const [ask, day, publish] = ["ask", "day", "publish"].map((name) => stepOf(page, name))
      yield* Effect.promise(async () => {
        await day?.getByText("May it be sent?").waitFor()
        await day?.getByText("When?", { exact: true }).waitFor()
        await day?.getByText("If you reject it, the step is skipped.").waitFor()
        await ask?.getByText("Desk: refund").waitFor()
        assert.strictEqual(await ask?.locator(".decision", { hasText: "ship" }).locator("dd").innerText(), "17")
      })
      assert.deepStrictEqual(yield* findingsOn(page), [])
      yield* Effect.promise(async () => {
        await day?.getByLabel("day", { exact: true }).fill("friday")
        await day?.getByRole("button", { name: "Approve" }).press("Enter")
        await day?.waitFor({ state: "detached" })
        await ask?.getByText("Decide everything above first").waitFor()
        await ask?.getByRole("button", { name: "Approve" }).press("Enter")
        await ask?.getByLabel("Reject the call instead").check()
        await ask?.getByLabel("Note for the model").last().fill("Too late")
        await ask?.getByRole("button", { name: "Continue this step" }).click()
        await ask?.waitFor({ state: "detached" })
        await publish?.getByRole("button", { name: "Reject" }).press("Enter")
        await page.getByText("COMPLETED").first().waitFor()
      })
      assert.deepStrictEqual(done, [{ day: "friday" }, { order: 17, to: "ann" }])
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("A step that is decided elsewhere leaves the page, and what was entered for the others stays.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { page: address } = yield* paused()
      const [one, two] = [yield* Browser.open(browser, address), yield* Browser.open(browser, address)]
      const entered = stepOf(two.page, "day").getByLabel("day", { exact: true })
      yield* Effect.promise(async () => {
        await entered.fill("monday")
        await stepOf(one.page, "publish").getByRole("button", { name: "Reject" }).press("Enter")
        await stepOf(two.page, "publish").waitFor({ state: "detached" })
        assert.strictEqual(await entered.inputValue(), "monday")
      })
      assert.deepStrictEqual([one.problems, two.problems], [[], []])
    }).pipe(Effect.scoped))

  it.live("A decision counts once when two tabs make it, and the second tab shows that the step is decided.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { done, page: address } = yield* paused()
      const [one, two] = [yield* Browser.open(browser, address), yield* Browser.open(browser, address)]
      yield* Effect.promise(async () => {
        const approve = stepOf(two.page, "publish").getByRole("button", { name: "Approve" })
        await approve.waitFor()
        // the second tab does not read that the first one has decided
        await two.page.route(/\/runs\/r\?/, (route) => route.abort())
        await stepOf(one.page, "publish").getByRole("button", { name: "Reject" }).press("Enter")
        await stepOf(one.page, "publish").waitFor({ state: "detached" })
        await approve.press("Enter")
        await two.page.getByText("It has been decided meanwhile").waitFor()
      })
      assert.deepStrictEqual(done, [])
    }).pipe(Effect.scoped))

  it.live("The chat tells a person whose decision came second that another one counts.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { done, url } = yield* paused()
      const chat = `${url}/console/#/chat/workflow/flow?session=s`
      const [one, two] = [yield* Browser.open(browser, chat), yield* Browser.open(browser, chat)]
      yield* Effect.promise(async () => {
        const approve = stepOf(two.page, "publish").getByRole("button", { name: "Approve" })
        await approve.waitFor()
        await stepOf(one.page, "publish").getByRole("button", { name: "Reject" }).press("Enter")
        await stepOf(one.page, "publish").waitFor({ state: "detached" })
        await approve.press("Enter")
        await two.page.getByText("It has been decided meanwhile").waitFor()
        await stepOf(two.page, "publish").waitFor({ state: "detached" })
        await stepOf(two.page, "day").waitFor()
      })
      assert.deepStrictEqual(done, [])
    }).pipe(Effect.scoped))

  it.live("A decision without the rights is refused with what to do, and the step waits on.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { done, page: address } = yield* paused()
      const { page } = yield* Browser.open(browser, address)
      yield* Effect.promise(async () => {
        await page.route(
          /\/continue/,
          (route) => route.fulfill({ status: 403, json: { detail: "Insufficient scopes" } })
        )
        await stepOf(page, "publish").getByRole("button", { name: "Approve" }).press("Enter")
        await page.getByText("Your token lacks the scope for this.").waitFor()
        assert.isTrue(await stepOf(page, "publish").getByRole("button", { name: "Approve" }).isEnabled())
      })
      assert.deepStrictEqual(done, [])
    }).pipe(Effect.scoped))
})
