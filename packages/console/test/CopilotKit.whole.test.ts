// CopilotKit in a page, unmodified, with its three hooks.
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as ForeignClients from "@svc-runtime/test-support/ForeignClients"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect, Schema } from "effect"
import { join } from "node:path"
import { rolldown } from "rolldown"
import * as Browser from "./Browser.ts"

const bundled = Effect.promise(async () => {
  const bundle = await rolldown({
    input: join(ForeignClients.folder, "copilotkit.js"),
    platform: "browser",
    moduleTypes: { ".css": "empty" },
    transform: { define: { "process.env.NODE_ENV": "\"production\"" } },
    onLog: () => {}
  })
  const { output } = await bundle.generate({ format: "esm", codeSplitting: false })
  await bundle.close()
  return output[0].code
})

let script: string | undefined

const page =
  "<!doctype html><meta charset=\"utf-8\"><div id=\"root\"></div><script type=\"module\" src=\"/page.js\"></script>"

const opened = Effect.fnUntraced(function*(
  query: Readonly<Record<string, string>>,
  ...steps: Parameters<typeof Script.make>[0]
) {
  script ??= yield* bundled
  const code = script
  const { model } = yield* Script.make(steps)
  const { url } = yield* TestServer.listen({ agents: [Agent.make({ id: "a", model, tools: [publish] })] })
  const browser = yield* Browser.launch
  const context = yield* Effect.promise(() => browser.newContext())
  const tab = yield* Effect.promise(() => context.newPage())
  tab.setDefaultTimeout(20_000)
  const address = `${url}/page.html?${new URLSearchParams({ agent: "a", thread: "t", ...query }).toString()}`
  yield* Effect.promise(async () => {
    await tab.route(`${url}/page.html*`, (route) => route.fulfill({ contentType: "text/html", body: page }))
    await tab.route(`${url}/page.js`, (route) => route.fulfill({ contentType: "text/javascript", body: code }))
    await tab.goto(address)
    await tab.getByRole("textbox").fill("Do it")
    await tab.getByRole("textbox").press("Enter")
  })
  return tab
})

const publish = Tool.make({
  name: "publish",
  requiresConfirmation: true,
  parameters: Schema.Struct({ title: Schema.String }),
  execute: ({ title }) => `published ${title}`
})

const call = Script.toolCall("publish", { title: "Tea" }, "c1")

/** The results that the model got last, as its answer. */
const shown = ({ prompt }: Script.Call) => [Script.text(JSON.stringify(prompt.content.at(-1)?.content))]

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
