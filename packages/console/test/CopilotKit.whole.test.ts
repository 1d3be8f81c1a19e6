// CopilotKit in a page, unmodified, with its three hooks.
import { assert, describe, it } from "@effect/vitest"
import * as ForeignClients from "@svc-runtime/test-support/ForeignClients"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Effect } from "effect"
import * as ForeignPage from "./ForeignPage.ts"

const { call, shown } = ForeignPage

const opened = Effect.fnUntraced(function*(
  query: Readonly<Record<string, string>>,
  ...steps: Parameters<typeof Script.make>[0]
) {
  const { tab } = yield* ForeignPage.open("copilotkit.js", query, steps, "/agent/a/connect")
  yield* Effect.promise(async () => {
    await tab.getByRole("textbox").fill("Do it")
    await tab.getByRole("textbox").press("Enter")
  })
  return tab
})

/** Each answer of the page, with what the model gets. */
const answers = [
  ["{\"approved\":true}", "published Tea"],
  ["{\"accepted\":true}", "published Tea"],
  ["{\"approved\":true,\"editedArgs\":{\"title\":\"Milk\"}}", "published Milk"],
  ["{\"approved\":false,\"note\":\"Too late\"}", "Too late"]
] as const

describe.skipIf(!ForeignClients.areInstalled)("CopilotKit in a page", () => {
  for (const [answer, result] of answers) {
    it.live(`useInterrupt asks about a call, and ${answer} decides it.`, () =>
      Effect.gen(function*() {
        const tab = yield* opened({ hook: "interrupt", answer }, [call], shown)
        yield* Effect.promise(async () => {
          await tab.getByTestId("resolve").click()
          await tab.getByText(result).last().waitFor()
        })
      }).pipe(Effect.scoped))

    it.live(`useHumanInTheLoop with the name of a tool asks about its call, and ${answer} decides it.`, () =>
      Effect.gen(function*() {
        const tab = yield* opened({ hook: "human", answer }, [call], shown)
        yield* Effect.promise(async () => {
          await tab.getByTestId("respond").click()
          await tab.getByText(result).last().waitFor()
        })
      }).pipe(Effect.scoped))
  }

  it.live("cancel of useInterrupt rejects the call.", () =>
    Effect.gen(function*() {
      const tab = yield* opened({ hook: "interrupt" }, [call], shown)
      yield* Effect.promise(async () => {
        await tab.getByTestId("cancel").click()
        await tab.getByText("The user cancelled it").last().waitFor()
      })
    }).pipe(Effect.scoped))

  it.live("An answer that fits neither is an error, and the page asks again when it is loaded again.", () =>
    Effect.gen(function*() {
      const tab = yield* opened({ hook: "interrupt", answer: "{\"agreed\":true}" }, [call], shown)
      yield* Effect.promise(async () => {
        const refusal = tab.waitForResponse((response) => response.request().postData()?.includes("resume") === true)
        await tab.getByTestId("resolve").click()
        assert.include(await (await refusal).text(), "RUN_ERROR")
        await tab.goto(tab.url().replace("agreed", "approved"))
        await tab.getByTestId("resolve").click()
        await tab.getByText("published Tea").last().waitFor()
      })
    }).pipe(Effect.scoped))

  it.live("useFrontendTool executes a call of the model, also in a run that continued after an interrupt.", () =>
    Effect.gen(function*() {
      const paint = (color: string) => Script.toolCall("paint", { color }, color)
      const tab = yield* opened(
        { hook: "all", answer: "{\"approved\":true}" },
        [paint("green")],
        [call],
        [paint("red")],
        shown
      )
      yield* Effect.promise(async () => {
        await tab.getByTestId("resolve").click()
        await tab.getByText("painted red").last().waitFor()
        assert.strictEqual(await tab.getByTestId("color").textContent(), "red")
      })
    }).pipe(Effect.scoped))
})
