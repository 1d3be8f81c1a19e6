// assistant-ui in a page, unmodified, over each of its runtimes that speaks a protocol of the service.
import { assert, describe, it } from "@effect/vitest"
import * as ForeignClients from "@svc-runtime/test-support/ForeignClients"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { call, open, shown } from "./ForeignPage.ts"

const say = async (tab: Page, text: string) => {
  await tab.getByTestId("message").fill(text)
  await tab.getByTestId("send").click()
}

const answeredTwice = async (tab: Page) => {
  await say(tab, "one")
  await tab.getByText("answer one").waitFor()
  await tab.getByTestId("reload").click()
  await tab.getByText("answer two").waitFor()
}

/** The texts of a request to the model, without the instructions. */
const textsOf = ({ prompt }: Script.Call) =>
  prompt.content.flatMap(({ content, role }) =>
    role === "system" || typeof content === "string" ?
      [] :
      content.flatMap((part) => part.type === "text" ? [part.text] : [])
  )

const answers = ["answer one", "answer two", "answer three"].map((text) => [Script.text(text)])

const opened = (runtime: string, ...steps: Parameters<typeof Script.make>[0]) =>
  open("assistant-ui.js", { runtime }, steps)

describe.skipIf(!ForeignClients.areInstalled)("assistant-ui in a page", () => {
  for (const runtime of ["ai-sdk", "ag-ui", "a2a"]) {
    it.live(`${runtime}: The answers of two turns are shown, and the second one knows the first.`, () =>
      Effect.gen(function*() {
        const { calls, tab } = yield* opened(runtime, ...answers)
        yield* Effect.promise(async () => {
          await say(tab, "one")
          await tab.getByText("answer one").waitFor()
          await say(tab, "two")
          await tab.getByText("answer two").waitFor()
        })
        assert.deepStrictEqual(textsOf((yield* calls)[1] as Script.Call), ["one", "answer one", "two"])
      }).pipe(Effect.scoped))
  }

  for (const runtime of ["ai-sdk", "ag-ui"]) {
    it.live(`${runtime}: A call that is approved is executed, and its result is shown.`, () =>
      Effect.gen(function*() {
        const { tab } = yield* opened(runtime, [call], shown)
        yield* Effect.promise(async () => {
          await say(tab, "Do it")
          await tab.getByTestId("approve").click()
          await tab.getByTestId("call-publish").getByText("published Tea").waitFor()
          await tab.getByTestId("assistant").getByText("published Tea").last().waitFor()
        })
      }).pipe(Effect.scoped))

    it.live(`${runtime}: A call that is denied is not executed, and the model gets the reason.`, () =>
      Effect.gen(function*() {
        const { tab } = yield* opened(runtime, [call], shown)
        yield* Effect.promise(async () => {
          await say(tab, "Do it")
          await tab.getByTestId("deny").click()
          await tab.getByTestId("assistant").getByText("Too late").last().waitFor()
        })
      }).pipe(Effect.scoped))

    it.live(`${runtime}: A tool of the page is executed there, and the model gets its result.`, () =>
      Effect.gen(function*() {
        const { tab } = yield* opened(runtime, [Script.toolCall("paint", { color: "red" }, "p1")], shown)
        yield* Effect.promise(async () => {
          await say(tab, "Paint it")
          await tab.getByTestId("assistant").getByText("painted red").last().waitFor()
          assert.strictEqual(await tab.getByTestId("color").textContent(), "red")
        })
      }).pipe(Effect.scoped))

    it.live(`${runtime}: An answer that is made again replaces the one before it, also for the model.`, () =>
      Effect.gen(function*() {
        const { calls, tab } = yield* opened(runtime, ...answers)
        yield* Effect.promise(async () => {
          await answeredTwice(tab)
          await say(tab, "and then")
          await tab.getByText("answer three").waitFor()
        })
        const requests = (yield* calls).map(textsOf)
        assert.deepStrictEqual(requests, [["one"], ["one"], ["one", "answer two", "and then"]])
      }).pipe(Effect.scoped))

    it.live(`${runtime}: After an earlier answer is shown again, the model sees that one.`, () =>
      Effect.gen(function*() {
        const { calls, tab } = yield* opened(runtime, ...answers)
        yield* Effect.promise(async () => {
          await answeredTwice(tab)
          await tab.getByTestId("previous").click()
          await tab.getByText("answer one").waitFor()
          await say(tab, "and then")
          await tab.getByText("answer three").waitFor()
        })
        assert.deepStrictEqual(textsOf((yield* calls)[2] as Script.Call), ["one", "answer one", "and then"])
      }).pipe(Effect.scoped))

    it.live(`${runtime}: A message that is edited replaces the one before it, also for the model.`, () =>
      Effect.gen(function*() {
        const { calls, tab } = yield* opened(runtime, ...answers)
        yield* Effect.promise(async () => {
          await say(tab, "My name is Ann")
          await tab.getByText("answer one").waitFor()
          await tab.getByTestId("edit").click()
          await tab.getByTestId("edited").fill("My name is Bob")
          await tab.getByTestId("save").click()
          await tab.getByText("answer two").waitFor()
          await say(tab, "and then")
          await tab.getByText("answer three").waitFor()
        })
        const requests = (yield* calls).map(textsOf)
        assert.deepStrictEqual(requests, [
          ["My name is Ann"],
          ["My name is Bob"],
          ["My name is Bob", "answer two", "and then"]
        ])
      }).pipe(Effect.scoped))
  }
})
