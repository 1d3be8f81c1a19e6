// The hooks in a page of a real browser, in the strict mode of React, against a service on a real port.
import { assert, describe, it } from "@effect/vitest"
import { Svc } from "@svc-runtime/client"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import { ScriptedModel } from "@svc-runtime/test-support"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Schema } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { rolldown } from "rolldown"
import * as Browser from "../../console/test/Browser.ts"

Tier.oneIn(2)

/** A folder with another version of React. */
const { SVC_TEST_REACT: other } = process.env

const fixtures = join(import.meta.dirname, "fixtures")

/** The component of the documents, and the page that shows it. */
const sample = (url: string): Readonly<Record<string, string>> => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/guides/client.md"), "utf8")
  const [, code = ""] = /^```tsx\n([^]*?)^```$/m.exec(page) ?? []
  const entry = `import { createRoot } from "react-dom/client"
import { Chat } from "./sample.tsx"
createRoot(document.getElementById("root")).render(<Chat sessionId="s" />)`
  return {
    [join(fixtures, "entry.tsx")]: entry,
    [join(fixtures, "sample.tsx")]: code.replace("http://127.0.0.1:7777", url)
  }
}

const bundled = async (sources: Readonly<Record<string, string>> = {}) => {
  const [input = join(fixtures, "page.js")] = Object.keys(sources)
  const bundle = await rolldown({
    input,
    plugins: [{
      name: "sources",
      resolveId: (id) => Object.keys(sources).find((path) => path === id || path === join(fixtures, id)),
      load: (id) => sources[id]
    }],
    platform: "browser",
    // the strict mode mounts twice in development only
    transform: { define: { "process.env.NODE_ENV": "\"development\"" } },
    resolve: other === undefined
      ? {}
      : { alias: { react: join(other, "node_modules/react"), "react-dom": join(other, "node_modules/react-dom") } }
  })
  const { output } = await bundle.generate({ format: "esm", codeSplitting: false })
  await bundle.close()
  return output[0].code
}

let script: string | undefined

const document =
  "<!doctype html><meta charset=\"utf-8\"><div id=\"root\"></div><script type=\"module\" src=\"/page.js\"></script>"

interface Opening {
  readonly origin?: string
  readonly sources?: Readonly<Record<string, string>>
}

const opened = Effect.fnUntraced(function*(
  url: string,
  query: Readonly<Record<string, string>>,
  { origin = url, sources }: Opening = {}
) {
  const code = sources === undefined
    ? script ??= yield* Effect.promise(() => bundled())
    : yield* Effect.promise(() => bundled(sources))
  const browser = yield* Browser.launch
  const tab = yield* Effect.promise(async () => (await browser.newContext()).newPage())
  const problems: Array<string> = []
  tab.on("pageerror", (error) => problems.push(error.message))
  tab.on("console", (message) => {
    if (/Warning|not wrapped|hydrat/i.test(message.text())) problems.push(message.text())
  })
  yield* Effect.promise(async () => {
    await tab.route(`${origin}/page.html*`, (route) => route.fulfill({ contentType: "text/html", body: document }))
    await tab.route(`${origin}/page.js`, (route) => route.fulfill({ contentType: "text/javascript", body: code }))
    await tab.goto(`${origin}/page.html?${new URLSearchParams(query).toString()}`)
  })
  const press = (name: string) => tab.getByRole("button", { name, exact: true }).click()
  /** Waits until the page shows it. */
  const shows = (id: "status" | "error" | "approvals", text: string | RegExp) =>
    tab.getByTestId(id).filter({ hasText: text }).waitFor()
  const answered = (text: string) => tab.locator("ol li.assistant").getByText(text, { exact: true }).waitFor()
  const messages = () => tab.locator("ol li").allTextContents()
  return { answered, messages, press, problems, shows, tab }
})

const refund = (approval?: "required") =>
  Tool.make({
    name: "refund",
    parameters: Schema.Struct({ order: Schema.Finite }),
    ...(approval === undefined ? { requiresConfirmation: true } : { approval }),
    execute: () => "paid"
  })

const call = ScriptedModel.toolCall("refund", { order: 17 })

describe("useAgent in a page", () => {
  it.live("a message that is sent makes one run, and the page shows the answer and keeps it when it is loaded again", () =>
    Effect.gen(function*() {
      const { calls, model } = yield* ScriptedModel.make([[ScriptedModel.text("Te", "a.")]])
      const { url } = yield* TestServer.listen({ agents: [Agent.make({ id: "a", model })] })
      const { answered, messages, press, problems, shows, tab } = yield* opened(url, { agent: "a", session: "s" })
      yield* Effect.promise(async () => {
        await shows("status", "ready")
        await press("send")
        await answered("Tea.")
        await shows("status", "ready")
        assert.deepStrictEqual(await messages(), ["What?", "Tea."])
        await tab.reload()
        await answered("Tea.")
        await press("toggle")
        await press("toggle")
        await answered("Tea.")
        assert.deepStrictEqual(await messages(), ["What?", "Tea."])
      })
      assert.lengthOf(yield* calls, 1)
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("a page that is loaded again in the middle of an answer reads on", () =>
    Effect.gen(function*() {
      const go = yield* Deferred.make<void>()
      const { calls, model } = yield* ScriptedModel.make([
        [ScriptedModel.text("one "), ScriptedModel.wait(go), ScriptedModel.text("two")]
      ])
      const { url } = yield* TestServer.listen({ agents: [Agent.make({ id: "a", model })] })
      const { answered, messages, press, shows, tab } = yield* opened(url, { agent: "a", session: "s" })
      yield* Effect.promise(async () => {
        await press("send")
        await answered("one")
        await tab.reload()
        await answered("one")
        await shows("status", "streaming")
        await Effect.runPromise(Deferred.succeed(go, undefined))
        await answered("one two")
        await shows("status", "ready")
        assert.deepStrictEqual(await messages(), ["What?", "one two"])
      })
      assert.lengthOf(yield* calls, 1)
    }).pipe(Effect.scoped))

  it.live("a component that is unmounted leaves its run, also one that has no event yet", () =>
    Effect.gen(function*() {
      const go = yield* Deferred.make<void>()
      const { calls, model } = yield* ScriptedModel.make([
        [ScriptedModel.text("one "), ScriptedModel.wait(go), ScriptedModel.text("two")],
        [ScriptedModel.text("three")]
      ])
      const { url } = yield* TestServer.listen({ agents: [Agent.make({ id: "a", model })] })
      const { answered, press, problems, tab } = yield* opened(url, { agent: "a", session: "s" })
      yield* Effect.promise(async () => {
        await press("send")
        await answered("one")
        await press("toggle")
        await Effect.runPromise(Deferred.succeed(go, undefined))
        await press("toggle")
        await answered("one two")
        const accepted = tab.waitForResponse((response) => response.request().method() === "POST")
        await tab.evaluate(() => {
          const buttons = [...globalThis.document.querySelectorAll("button")]
          for (const name of ["send", "toggle"]) buttons.find((each) => each.textContent === name)?.click()
        })
        await accepted
        const [, second] = await until(() => new Svc({ baseUrl: url }).agent("a").history("s"), (runs) =>
          runs.length === 2 && runs[1]?.status === "COMPLETED")
        assert.strictEqual(second?.content, "three")
      })
      assert.lengthOf(yield* calls, 2)
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("an answer that is stopped is cancelled and keeps its text, and an answer is made again", () =>
    Effect.gen(function*() {
      const { model } = yield* ScriptedModel.make([
        [ScriptedModel.text("one "), ScriptedModel.hang],
        [ScriptedModel.text("two")]
      ])
      const { url } = yield* TestServer.listen({ agents: [Agent.make({ id: "a", model })] })
      const { answered, messages, press, shows, tab } = yield* opened(url, { agent: "a", session: "s" })
      yield* Effect.promise(async () => {
        await press("send")
        await answered("one")
        await press("stop")
        await shows("status", "ready")
        await press("regenerate")
        await answered("two")
        await shows("status", "ready")
        assert.deepStrictEqual(await messages(), ["What?", "two"])
        await tab.reload()
        await answered("two")
        assert.deepStrictEqual(await messages(), ["What?", "two"])
        const runs = await new Svc({ baseUrl: url }).agent("a").list("s")
        assert.deepStrictEqual(runs.map(({ status }) => status), ["CANCELLED", "COMPLETED"])
      })
    }).pipe(Effect.scoped))

  it.live("a run that pauses shows what it waits for, also after the page is loaded again, and continues", () =>
    Effect.gen(function*() {
      const { model } = yield* ScriptedModel.make([[call], [ScriptedModel.text("Done.")]])
      const { url } = yield* TestServer.listen({ agents: [Agent.make({ id: "a", model, tools: [refund()] })] })
      const { answered, press, shows, tab } = yield* opened(url, { agent: "a", session: "s" })
      yield* Effect.promise(async () => {
        await press("send")
        await shows("status", "paused")
        await tab.getByText("refund", { exact: true }).waitFor()
        await tab.reload()
        await tab.getByText("refund", { exact: true }).waitFor()
        await press("approve")
        await shows("status", "ready")
        await answered("Done.")
      })
    }).pipe(Effect.scoped))

  it.live("a decision that the service refuses leaves what the run waits for, and the page shows why", () =>
    Effect.gen(function*() {
      const { model } = yield* ScriptedModel.make([[call], [ScriptedModel.text("Done.")]])
      const { url } = yield* TestServer.listen({ agents: [Agent.make({ id: "a", model, tools: [refund()] })] })
      const { answered, press, shows, tab } = yield* opened(url, { agent: "a", session: "s" })
      yield* Effect.promise(async () => {
        await press("send")
        await shows("status", "paused")
        await tab.route("**/continue", (route) => route.fulfill({ status: 409, json: { detail: "Not now" } }))
        await press("approve")
        await shows("error", "Not now")
        await shows("status", "paused")
        await tab.unroute("**/continue")
        await press("approve")
        await answered("Done.")
      })
    }).pipe(Effect.scoped))

  it.live("a team has its own answer, without the text of its members", () =>
    Effect.gen(function*() {
      const { model: member } = yield* ScriptedModel.make([[ScriptedModel.text("4 in stock")]])
      const { model } = yield* ScriptedModel.make([
        [ScriptedModel.toolCall("delegate_task_to_member", { member_id: "stock", task: "count" })],
        [ScriptedModel.text("There ", "are 4.")]
      ])
      const team = Team.make({ id: "desk", model, members: [Agent.make({ id: "stock", model: member })] })
      const { url } = yield* TestServer.listen({ teams: [team] })
      const { answered, messages, press, shows, tab } = yield* opened(url, { team: "desk", session: "s" })
      yield* Effect.promise(async () => {
        await press("send")
        await answered("There are 4.")
        await shows("status", "ready")
        await tab.reload()
        await answered("There are 4.")
        assert.deepStrictEqual(await messages(), ["What?", "There are 4."])
      })
    }).pipe(Effect.scoped))

  it.live("a page of an origin that the service refuses gets an error that names the setting", () =>
    Effect.gen(function*() {
      const { model } = yield* ScriptedModel.make([])
      const { url } = yield* TestServer.listen({ agents: [Agent.make({ id: "a", model })] })
      const { press, shows } = yield* opened(url, { agent: "a", base: url }, {
        origin: "http://shop.example"
      })
      yield* Effect.promise(async () => {
        await press("send")
        await shows("status", "error")
        await shows("error", /refuses pages of http:\/\/shop\.example \(CORS\).*CORS_ORIGIN_LIST/)
      })
    }).pipe(Effect.scoped))
})

describe("the component of the documents", () => {
  it.live("the component shows a conversation, and what the run waits for", () =>
    Effect.gen(function*() {
      const { model } = yield* ScriptedModel.make([[call], [ScriptedModel.text("Done.")]])
      const agents = [Agent.make({ id: "assistant", model, tools: [refund()] })]
      const { url } = yield* TestServer.listen({ agents })
      const { press, problems, tab } = yield* opened(url, {}, { sources: sample(url) })
      yield* Effect.promise(async () => {
        await tab.getByRole("textbox").fill("Refund 17")
        await press("Send")
        await tab.getByText("refund?").waitFor()
        await press("Approve")
        await tab.getByText("assistant: Done.").waitFor()
        assert.isTrue(await tab.getByText("user: Refund 17").isVisible())
      })
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))
})

describe("useApprovals in a page", () => {
  it.live("an approval appears without a reload, and its run continues when it is approved", () =>
    Effect.gen(function*() {
      const { model } = yield* ScriptedModel.make([[call], [ScriptedModel.text("Done.")]])
      const agents = [Agent.make({ id: "a", model, tools: [refund("required")] })]
      const { url } = yield* TestServer.listen({ agents })
      const { press, problems, shows } = yield* opened(url, { agent: "a" })
      const agent = new Svc({ baseUrl: url }).agent("a")
      yield* Effect.promise(async () => {
        await shows("approvals", "0")
        const run = await agent.run("Refund 17")
        await shows("approvals", "1")
        await press("approve refund")
        await shows("approvals", "0")
        await until(() => agent.get(run), ({ status }) => status === "COMPLETED")
      })
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))
})

describe("the hooks on a server", () => {
  it("the first render makes no request", async () => {
    const { render } = await import(join(fixtures, "server.js"))
    const client = new Svc({ baseUrl: "http://127.0.0.1:1", fetch: () => assert.fail("a request") })
    assert.strictEqual(render(client), "<p>loading 0 true</p>")
  })
})

const until = async <A>(read: () => Promise<A>, isEnough: (value: A) => boolean): Promise<A> => {
  for (;;) {
    const value = await read()
    if (isEnough(value)) return value
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
