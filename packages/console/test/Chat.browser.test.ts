// The chat of the console, in a real browser against a real service.
import { assert, describe, it } from "@effect/vitest"
import * as ComponentTool from "@svc-runtime/agents/nested/ComponentTool"
import { OutcomeLost } from "@svc-runtime/engine/tool/OutcomeLost"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Schema } from "effect"
import { text } from "node:stream/consumers"
import { findingsOn } from "./Accessibility.ts"
import * as Browser from "./Browser.ts"

Tier.oneIn(6)

const mail = (options: object = {}) =>
  Tool.make({
    name: "send_mail",
    parameters: Schema.Struct({ to: Schema.String }),
    execute: ({ to }: { readonly to: string }) => `sent to ${to}`,
    ...options
  })

const serve = Effect.fnUntraced(
  function*(turns: ReadonlyArray<Script.Turn>, tools: ReadonlyArray<ReturnType<typeof mail>> = []) {
    const { model } = yield* Script.make(turns)
    return yield* TestServer.listen({
      agents: [Agent.make({ id: "helper", name: "Helper", model, tools: [...tools] })]
    })
  }
)

const send = (page: Browser.Opened["page"], text: string) =>
  Effect.promise(async () => {
    await page.getByLabel("Message").fill(text)
    await page.keyboard.press("Enter")
  })

describe("The chat", () => {
  it.live("A chat without messages suggests the quick prompts of its component, and sends the chosen one.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { model } = yield* Script.make([[Script.text("Much.")]])
      const { url } = yield* TestServer.listen({
        agents: [Agent.make({ id: "helper", model })],
        settings: { quickPrompts: { helper: ["What can you do?"], other: ["Not for you"] } }
      })
      const { page, problems } = yield* Browser.open(browser, `${url}/console/`)
      const prompts = page.getByRole("group", { name: "Suggested messages" }).getByRole("button")
      yield* Effect.promise(() => prompts.first().waitFor())
      assert.deepStrictEqual(yield* Effect.promise(() => prompts.allTextContents()), ["What can you do?"])
      yield* Effect.promise(() => prompts.first().click())
      yield* Effect.promise(() => page.getByText("Much.").waitFor())
      assert.strictEqual(yield* Effect.promise(() => prompts.count()), 0)
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("What works in the background is listed below the conversation, and its result is a message of its own.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const finished = yield* Deferred.make<void>()
      const inner = yield* Script.make([[Script.wait(finished), Script.text("Tea is old.")]])
      const researcher = Agent.make({ id: "researcher", model: inner.model })
      const { model } = yield* Script.make([
        [Script.toolCall("researcher", { task: "Tea" })],
        [Script.text("I will report.")],
        [Script.text("Tea is quite old.")]
      ])
      const tools = [ComponentTool.make({ component: researcher, background: true })]
      const { url } = yield* TestServer.listen({ agents: [Agent.make({ id: "helper", model, tools }), researcher] })
      const { page, problems } = yield* Browser.open(browser, `${url}/console/`)
      yield* send(page, "What about tea?")
      const tasks = page.getByRole("list", { name: "Background tasks" })
      yield* Effect.promise(() => tasks.getByText("researcher is working: Tea").waitFor())
      yield* Deferred.succeed(finished, undefined)
      yield* Effect.promise(() => page.getByText("Tea is quite old.").waitFor())
      yield* Effect.promise(() => page.getByText("researcher has completed.").first().waitFor())
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("A component that offers models and settings has them in the chat, and runs get what was chosen.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { model } = yield* Script.make([[Script.text("Much.")]])
      const agents = [
        Agent.make({ id: "helper", model, offeredModels: ["demo:demo"], offeredSettings: ["temperature"] }),
        Agent.make({ id: "other", model })
      ]
      const { url } = yield* TestServer.listen({ agents })
      const { page, problems } = yield* Browser.open(browser, `${url}/console/#/chat/agent/helper`)
      const sent = yield* Effect.promise(async () => {
        await page.getByText("Model and settings").click()
        await page.getByRole("combobox", { name: "Model" }).selectOption("demo:demo")
        await page.getByLabel("Temperature").fill("0.5")
        await page.getByText("demo:demo, temperature 0.5").waitFor()
        assert.strictEqual(await page.getByLabel("Top P").count(), 0)
        const request = page.waitForRequest(/\/agents\/helper\/runs$/)
        await page.getByLabel("Message").fill("What can you do?")
        await page.keyboard.press("Enter")
        const body = (await request).postDataJSON() as unknown
        await page.getByText("Look at the run").waitFor()
        return body
      })
      assert.deepInclude(sent, { model: "demo:demo", model_settings: { temperature: 0.5 } })
      yield* Effect.promise(async () => {
        await page.goto(`${url}/console/#/chat/agent/other`)
        await page.getByRole("heading", { name: "other" }).waitFor()
      })
      assert.strictEqual(yield* Effect.promise(() => page.getByText("Model and settings").count()), 0)
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("A message is edited and an answer made again, and the branches are shown one by one, also after a reload.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* serve([1, 2, 3, 4].map((number) => [Script.text(`Answer ${number}.`)]))
      const { page, problems } = yield* Browser.open(browser, `${url}/console/`)
      const answered = (text: string) => Effect.promise(() => page.getByText(text).waitFor())
      const click = (name: string) => Effect.promise(() => page.getByRole("button", { name }).first().click())
      const turns = Effect.promise(() => page.locator(".turn .input").allTextContents())
      yield* send(page, "one")
      yield* answered("Answer 1.")
      yield* send(page, "two")
      yield* answered("Answer 2.")
      yield* click("Edit")
      yield* Effect.promise(() => page.getByLabel("Edited message").fill("other one"))
      yield* click("Send it again")
      yield* answered("Answer 3.")
      assert.deepStrictEqual(yield* turns, ["other one"])
      yield* answered("2/2")
      yield* click("Previous branch")
      yield* answered("Answer 2.")
      assert.deepStrictEqual(yield* turns, ["one", "two"])
      yield* Effect.promise(() => page.reload())
      yield* answered("Answer 2.")
      yield* answered("1/2")
      yield* click("Next branch")
      yield* answered("Answer 3.")
      yield* click("Answer again")
      yield* answered("Answer 4.")
      yield* answered("3/3")
      assert.deepStrictEqual(yield* turns, ["other one"])
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("An answer with a tool call is shown as Markdown, and the page asks nothing of another host.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* serve([
        [Script.toolCall("send_mail", { to: "ann" })],
        [Script.text(
          "It is **sent**.\n\n",
          "![spy](http://other.example/pixel.png)",
          "\n\n<img src=x onerror=alert(1)>"
        )]
      ], [mail()])
      const { page, problems, strangers } = yield* Browser.open(browser, `${url}/console/`)
      yield* send(page, "Write to Ann")
      yield* Effect.promise(() => page.locator(".markdown strong", { hasText: "sent" }).waitFor())
      yield* Effect.promise(() => page.locator(".call.completed", { hasText: "send_mail" }).waitFor())
      assert.strictEqual(yield* Effect.promise(() => page.locator(".markdown img").count()), 0)
      assert.deepStrictEqual(strangers, [])
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("A page that is reloaded in the middle of a stream shows every word of the answer.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const gate = yield* Deferred.make<void>()
      const { url } = yield* serve([[
        Script.text("The first half, "),
        Script.wait(gate),
        Script.text("the second half.")
      ]])
      const { page } = yield* Browser.open(browser, `${url}/console/`)
      yield* send(page, "Tell me")
      yield* Effect.promise(() => page.getByText("The first half,").waitFor())
      yield* Effect.promise(() => page.reload())
      yield* Effect.promise(() => page.getByText("The first half,").waitFor())
      yield* Deferred.succeed(gate, undefined)
      yield* Effect.promise(() => page.getByText("The first half, the second half.").waitFor())
      yield* Effect.promise(() => page.getByText("Look at the run").waitFor())
    }).pipe(Effect.scoped))

  it.live("A call that is approved in the chat is executed, and the run continues.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* serve(
        [[Script.toolCall("send_mail", { to: "ann" })], [Script.text("Done.")]],
        [mail({ requiresConfirmation: true })]
      )
      const { page, problems } = yield* Browser.open(browser, `${url}/console/`)
      yield* send(page, "Write to Ann")
      yield* Effect.promise(() => page.getByRole("button", { name: "Approve" }).click())
      yield* Effect.promise(() => page.getByText("Done.").waitFor())
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("An answer is rated by one press, the rating can be changed, and a reload shows it.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* serve([[Script.text("Done.")]])
      const { page, problems } = yield* Browser.open(browser, `${url}/console/`)
      yield* send(page, "Write to Ann")
      const scores = async () => {
        const { data: [run] } = await (await fetch(`${url}/runs`)).json()
        const given: ReadonlyArray<{ readonly score: boolean }> =
          await (await fetch(`${url}/runs/${run.run_id}/feedback`)).json()
        return given.map(({ score }) => score)
      }
      for (const [name, score] of [["Good answer", true], ["Bad answer", false]] as const) {
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name }).click()
          await page.getByRole("button", { name, pressed: true }).waitFor()
        })
        assert.deepStrictEqual(yield* Effect.promise(scores), [score])
      }
      yield* Effect.promise(async () => {
        await page.reload()
        await page.getByRole("button", { name: "Bad answer", pressed: true }).waitFor()
      })
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("A pasted image is sent with the message, and words that the browser hears are added to the text.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { calls, model } = yield* Script.make([[Script.text("A red dot.")]])
      const { url } = yield* TestServer.listen({ agents: [Agent.make({ id: "helper", model })] })
      const { page, problems } = yield* Browser.open(browser, `${url}/console/`)
      yield* Effect.promise(async () => {
        const message = page.getByLabel("Message")
        await page.evaluate(() => {
          Reflect.set(
            globalThis,
            "SpeechRecognition",
            class {
              onresult: ((event: object) => void) | undefined
              start() {
                setTimeout(() => this.onresult?.({ results: [[{ transcript: " on this picture?" }]] }))
              }
              stop() {}
            }
          )
        })
        await message.fill("What is ")
        await page.getByRole("button", { name: "Speak" }).click()
        await page.waitForFunction(() => document.querySelector("textarea")?.value.includes("on this picture?"))
        await message.evaluate((field) => {
          const bytes = Uint8Array.from(
            atob("R0lGODlhAQABAIAAAP8AAP///ywAAAAAAQABAAACAkQBADs="),
            (char) => char.charCodeAt(0)
          )
          const clipboardData = new DataTransfer()
          clipboardData.items.add(new File([bytes], "dot.gif", { type: "image/gif" }))
          field.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }))
        })
        await page.locator(".composer .files img").waitFor()
        await page.getByRole("button", { name: "Send" }).click()
        await page.getByText("A red dot.").waitFor()
      })
      const [call] = yield* calls
      assert.include(JSON.stringify(call), "What is on this picture?")
      assert.include(JSON.stringify(call), "image/gif")
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("The first steps lead to the pages that the person may open, and stay away when they are closed.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* serve([])
      const { page, problems } = yield* Browser.open(browser, `${url}/console/`)
      const steps = page.getByRole("region", { name: "First steps" })
      yield* Effect.promise(async () => {
        await steps.getByRole("link", { name: "See what happened" }).click()
        await page.getByRole("heading", { name: "Runs" }).waitFor()
        await page.goto(`${url}/console/`)
        await steps.getByRole("button", { name: "Close the first steps for good" }).click()
        await steps.waitFor({ state: "detached" })
        await page.reload()
        await page.getByLabel("Message").waitFor()
      })
      assert.strictEqual(yield* Effect.promise(() => steps.count()), 0)
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("A conversation is saved as Markdown, with what was asked and answered.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* serve([[Script.text("**Done**, at once.")]])
      const { page, problems } = yield* Browser.open(browser, `${url}/console/`)
      yield* send(page, "Write to Ann")
      const saved = yield* Effect.promise(async () => {
        await page.getByText("at once.").waitFor()
        await page.getByRole("button", { name: "Actions for Write to Ann" }).click()
        const [download] = await Promise.all([
          page.waitForEvent("download"),
          page.getByRole("button", { name: "Save as Markdown" }).click()
        ])
        return { name: download.suggestedFilename(), text: await text(await download.createReadStream()) }
      })
      assert.deepStrictEqual(saved, {
        name: "Write-to-Ann.md",
        text: "# Write to Ann\n\n---\n\n**You**\n\nWrite to Ann\n\n---\n\n**Answer**\n\n**Done**, at once.\n"
      })
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("A changed argument keeps its lines, and what is no number cannot be approved.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const sent: Array<unknown> = []
      const tool = Tool.make({
        name: "write",
        parameters: Schema.Struct({ text: Schema.String, copies: Schema.Finite }),
        requiresConfirmation: true,
        execute: (given) => {
          sent.push(given)
          return "written"
        }
      })
      const letter = { text: "Dear Ann,\n\nsee you.\nBob", copies: 1 }
      const { url } = yield* serve([[Script.toolCall("write", letter)], [Script.text("Done.")]], [tool])
      const { page, problems } = yield* Browser.open(browser, `${url}/console/`)
      yield* send(page, "Write to Ann")
      yield* Effect.promise(async () => {
        await page.getByText("Change the arguments").click()
        await page.getByLabel("text", { exact: true }).press("End")
        await page.getByLabel("text", { exact: true }).press("Control+End")
        await page.keyboard.type("!")
        await page.getByLabel("copies").fill("many")
        await page.getByText("This is no number").waitFor()
        assert.isTrue(await page.getByRole("button", { name: "Approve" }).isDisabled())
        await page.getByLabel("copies").fill("")
        await page.getByLabel("copies").pressSequentially("0.5")
        await page.locator(".decision .values", { hasText: "0.5" }).waitFor()
        await page.getByRole("button", { name: "Approve" }).click()
        await page.getByText("Done.").waitFor()
      })
      assert.deepStrictEqual(sent, [{ text: "Dear Ann,\n\nsee you.\nBob!", copies: 0.5 }])
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("A run that is decided elsewhere continues in an open chat, which asks no longer.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* serve(
        [[Script.toolCall("send_mail", { to: "ann" })], [Script.text("Done.")]],
        [mail({ approval: "required" })]
      )
      const { page, problems } = yield* Browser.open(browser, `${url}/console/`)
      yield* send(page, "Write to Ann")
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Approve" }).waitFor()
        const { data: [approval] } = await (await fetch(`${url}/approvals`)).json()
        await fetch(`${url}/approvals/${approval.id}/resolve`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ status: "approved" })
        })
        await page.getByText("Done.").waitFor()
        await page.getByRole("button", { name: "Approve" }).waitFor({ state: "hidden" })
      })
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("A tool that asks in the middle shows its question, and waits for an event until a time or until it is sent.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const asking = mail({
        execute: async (_: unknown, { pause, waitFor }: Tool.ToolContext) => {
          const answer = await pause({ question: "Which greeting?" })
          return `${answer}, ${String(await waitFor("signature", { timeout: "1 day" }))}`
        }
      })
      const { url } = yield* serve([[Script.toolCall("send_mail", { to: "ann" })], [Script.text("Done.")]], [asking])
      const { page, problems } = yield* Browser.open(browser, `${url}/console/`)
      yield* send(page, "Write to Ann")
      yield* Effect.promise(() => page.getByText("Which greeting?").waitFor())
      yield* Effect.promise(() => page.getByLabel("answer", { exact: true }).fill("Hello"))
      yield* Effect.promise(() => page.getByRole("button", { name: "Continue the run" }).click())
      yield* Effect.promise(() => page.getByLabel("What is sent as signature").fill("Bob"))
      yield* Effect.promise(() => page.getByRole("button", { name: "Continue the run" }).click())
      yield* Effect.promise(() => page.getByText("Done.").waitFor())
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  /** The first execution has its effect, and its outcome is lost. */
  const cutOff = (sent: Array<unknown>, options: object) =>
    mail({
      ...options,
      execute: (given: unknown) => {
        sent.push(given)
        if (sent.length === 1) throw new OutcomeLost({ message: "The connection broke" })
        return "sent again"
      }
    })

  it.live.each<readonly [string, options: object, sent: number]>([
    ["Execute again", { requiresUserInput: ["to"] }, 2],
    ["Skip", {}, 1],
    ["Continue the run", {}, 1]
  ])(
    "A call whose outcome is unknown, also one with a form, is decided by \"%s\".",
    ([name, options, times]) =>
      Effect.gen(function*() {
        const browser = yield* Browser.launch
        const sent: Array<unknown> = []
        const turns = [[Script.toolCall("send_mail", { to: "ann" })], [Script.text("Done.")]]
        const { url } = yield* serve(turns, [cutOff(sent, options)])
        const { page, problems } = yield* Browser.open(browser, `${url}/console/`)
        yield* send(page, "Write to Ann")
        yield* Effect.promise(async () => {
          if ("requiresUserInput" in options) {
            await page.getByLabel("to", { exact: true }).fill("bob")
            await page.getByRole("button", { name: "Continue the run" }).click()
          }
          await page.getByText("The call has started, and its outcome is unknown").waitFor()
          await page.locator(".decision").getByText("The connection broke").waitFor()
          assert.isTrue(await page.getByRole("button", { name: "Continue the run" }).isDisabled())
          assert.strictEqual(await page.getByText("Change the arguments").count(), 0)
          if (name === "Continue the run") await page.getByLabel("Result of the call").fill("It was sent")
        })
        assert.deepStrictEqual(yield* findingsOn(page), [])
        yield* Effect.promise(() => page.getByRole("button", { name }).click())
        yield* Effect.promise(() => page.getByText("Done.").waitFor())
        assert.lengthOf(sent, times)
        assert.deepStrictEqual(problems, [])
      }).pipe(Effect.scoped)
  )

  it.live("A call that is decided is not asked again, and one whose outcome is unknown is not approved with all.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const sent: Array<unknown> = []
      const names = ["ann", "bob", "eve"]
      const calls = names.map((to) => Script.toolCall("send_mail", { to }, `call_${to}`))
      const more = names.slice(1).map((to) => Script.toolCall("send_mail", { to }, `more_${to}`))
      const { url } = yield* serve([calls, more, [Script.text("Done.")]], [
        cutOff(sent, { requiresConfirmation: true })
      ])
      const { page, problems } = yield* Browser.open(browser, `${url}/console/`)
      yield* send(page, "Write to all")
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Reject all" }).click()
        await page.getByRole("button", { name: "Approve", exact: true }).first().click()
        await page.getByRole("button", { name: "Continue the run" }).click()
        await page.getByText("The call has started, and its outcome is unknown").waitFor()
        assert.strictEqual(await page.locator(".decision").count(), 1)
        assert.strictEqual(await page.getByRole("button", { name: "Approve all" }).count(), 0)
        await page.getByRole("button", { name: "Execute again" }).click()
        await page.getByRole("button", { name: "Approve all" }).click()
        assert.strictEqual(await page.locator(".decision").count(), 2)
        await page.getByRole("button", { name: "Continue the run" }).click()
        await page.getByText("Done.").waitFor()
      })
      assert.deepStrictEqual(sent, ["ann", "ann", "bob", "eve"].map((to) => ({ to })))
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("A run that is stopped is cancelled, and the next message can be sent.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* serve([[Script.text("Beginning "), Script.hang], [Script.text("Second answer.")]])
      const { page } = yield* Browser.open(browser, `${url}/console/`)
      yield* send(page, "Go")
      yield* Effect.promise(() => page.getByText("Beginning").waitFor())
      yield* Effect.promise(() => page.getByRole("button", { name: "Stop" }).click())
      yield* Effect.promise(() => page.getByText("Cancelled").waitFor())
      yield* send(page, "Again")
      yield* Effect.promise(() => page.getByText("Second answer.").waitFor())
    }).pipe(Effect.scoped))

  it.live("A draft is kept when the page is reloaded.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* serve([])
      const { page } = yield* Browser.open(browser, `${url}/console/`)
      yield* Effect.promise(() => page.getByLabel("Message").fill("Half a thought"))
      yield* Effect.promise(() => page.reload())
      yield* Effect.promise(() => page.getByLabel("Message").waitFor())
      assert.strictEqual(yield* Effect.promise(() => page.getByLabel("Message").inputValue()), "Half a thought")
    }).pipe(Effect.scoped))
})
