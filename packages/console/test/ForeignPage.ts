// A page of another maker's client, in a browser, with an agent whose model is scripted.
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as ForeignClients from "@svc-runtime/test-support/ForeignClients"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect, Schema } from "effect"
import { join } from "node:path"
import { rolldown } from "rolldown"
import * as Browser from "./Browser.ts"

const bundled = (name: string) =>
  Effect.promise(async () => {
    const bundle = await rolldown({
      input: join(ForeignClients.folder, name),
      platform: "browser",
      moduleTypes: { ".css": "empty" },
      transform: { define: { "process.env.NODE_ENV": "\"production\"" } },
      onLog: () => {}
    })
    const { output } = await bundle.generate({ format: "esm", codeSplitting: false })
    await bundle.close()
    return output[0].code
  })

const scripts = new Map<string, string>()

const page =
  "<!doctype html><meta charset=\"utf-8\"><div id=\"root\"></div><script type=\"module\" src=\"/page.js\"></script>"

const publish = Tool.make({
  name: "publish",
  requiresConfirmation: true,
  parameters: Schema.Struct({ title: Schema.String }),
  execute: ({ title }) => `published ${title}`
})

/**
 * A tab with the page of a file of the folder. The model answers with the steps. `ready`: a part of the address that
 * the page has read when it is ready, because clients may lose a message before.
 */
export const open = Effect.fnUntraced(function*(
  name: string,
  query: Readonly<Record<string, string>>,
  steps: Parameters<typeof Script.make>[0],
  ready?: string
) {
  const code = scripts.get(name) ?? (yield* bundled(name))
  scripts.set(name, code)
  const { calls, model } = yield* Script.make(steps)
  const agent = Agent.make({ id: "a", model, tools: [publish], addHistoryToContext: true })
  const { url } = yield* TestServer.listen({ agents: [agent] })
  const browser = yield* Browser.launch
  const context = yield* Effect.promise(() => browser.newContext())
  const tab = yield* Effect.promise(() => context.newPage())
  tab.setDefaultTimeout(60_000)
  const address = `${url}/page.html?${new URLSearchParams({ agent: "a", thread: "t", ...query }).toString()}`
  yield* Effect.promise(async () => {
    await tab.route(`${url}/page.html*`, (route) => route.fulfill({ contentType: "text/html", body: page }))
    await tab.route(`${url}/page.js`, (route) => route.fulfill({ contentType: "text/javascript", body: code }))
    const isReady = ready === undefined ? undefined : tab.waitForResponse((response) => response.url().includes(ready))
    await tab.goto(address)
    await (await isReady)?.finished()
  })
  return { tab, calls }
})

/** A call of the tool that waits for a confirmation. */
export const call = Script.toolCall("publish", { title: "Tea" }, "c1")

/** The results that the model got last, as its answer. */
export const shown = ({ prompt }: Script.Call) => [Script.text(JSON.stringify(prompt.content.at(-1)?.content))]
