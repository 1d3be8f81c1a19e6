// What an agent answers is not trusted: it is shown, and does nothing.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import * as Browser from "./Browser.ts"

Tier.oneIn(6)

const hostile = [
  `<script>window.hacked = 1</script>`,
  `<iframe srcdoc="<script>parent.hacked = 1</script>"></iframe>`,
  `<form action="http://other.example/"><input name="token"><button>Sign in</button></form>`,
  `<style>header { display: none }</style><link rel="stylesheet" href="http://other.example/a.css">`,
  `<a href="javascript:window.hacked=1">one</a> [two](javascript:window.hacked=1) [three](data:text/html,<script>1</script>)`,
  `<svg><a xlink:href="javascript:window.hacked=1"><text>four</text></a></svg>`,
  `<math><mtext><table><mglyph><style><img src=x onerror="window.hacked=1">`,
  `<base href="http://other.example/"><meta http-equiv="refresh" content="0;url=http://other.example/">`,
  `<div id="root"></div><input id="content" autofocus onfocus="window.hacked=1">`,
  `<details open ontoggle="window.hacked=1">five</details>`,
  `![six](http://other.example/pixel.png "title")`
].join("\n\n")

/** Brackets and quotes that nest deeply, a fence that never ends, a wide table and a line without spaces. */
const malformed = [
  ">".repeat(500),
  "[".repeat(2000) + "](".repeat(2000),
  "*_".repeat(5000),
  "- ".repeat(300) + "deep",
  `|${" a |".repeat(500)}\n|${" - |".repeat(500)}\n|${" b |".repeat(500)}`,
  "x".repeat(20_000),
  "```",
  "the end"
].join("\n\n")

/** Quotes and lists that nest more deeply than the parser can follow, and a line with a long gap. */
const unreadable = [
  `${">".repeat(10_000)} quoted`,
  `${"- ".repeat(5000)}listed`,
  `a${" ".repeat(90_000)}b`
]

const answered = Effect.fnUntraced(function*(text: string) {
  const browser = yield* Browser.launch
  const { model } = yield* Script.make([[Script.text(text)], [Script.text("Still here.")]])
  const agents = [Agent.make({ id: "helper", name: `<img src=x onerror="window.hacked=1">`, model })]
  const { url } = yield* TestServer.listen({ agents })
  const opened = yield* Browser.open(browser, `${url}/console/`, { width: 390 })
  yield* Effect.promise(async () => {
    await opened.page.getByLabel("Message").fill("Go")
    await opened.page.keyboard.press("Enter")
    await opened.page.getByText("Look at the run").waitFor()
  })
  return opened
})

describe("An answer that is not trusted", () => {
  it.live("Markup of an answer executes nothing, asks no other host, and has no form and no link to a script.", () =>
    Effect.gen(function*() {
      const { page, problems, strangers } = yield* answered(hostile)
      const count = (selector: string) => Effect.promise(() => page.locator(`.answer ${selector}`).count())
      for (
        const name of ["script", "iframe", "form", "style", "link", "base", "meta", "object", "[id]", "[autofocus]"]
      ) {
        assert.strictEqual(yield* count(name), 0, name)
      }
      const links = yield* Effect.promise(() =>
        page.locator(".answer a").evaluateAll((found) => found.map((link) => link.getAttribute("href")))
      )
      assert.deepStrictEqual(links.filter((link) => link !== null && /^(javascript|data):/i.test(link)), [])
      yield* Effect.promise(() => page.locator("header.top").waitFor())
      assert.isFalse(yield* Effect.promise(() => page.evaluate(() => "hacked" in globalThis)))
      assert.deepStrictEqual([...strangers, ...problems], [])
    }).pipe(Effect.scoped))

  it.live("Malformed Markdown is shown to its end, the page stays as wide as the screen, and the next message is sent.", () =>
    Effect.gen(function*() {
      const { page, problems } = yield* answered(malformed)
      yield* Effect.promise(() => page.getByText("the end").waitFor())
      const width = yield* Effect.promise(() => page.evaluate(() => document.documentElement.scrollWidth))
      assert.isAtMost(width, 390)
      yield* Effect.promise(async () => {
        await page.getByLabel("Message").fill("And?")
        await page.keyboard.press("Enter")
        await page.getByText("Still here.").waitFor()
      })
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("Markdown that the parser cannot read is shown as it was written, and the next message is sent.", () =>
    Effect.gen(function*() {
      for (const text of unreadable) {
        const { page, problems } = yield* answered(`${text}\n\nthe end`)
        yield* Effect.promise(() => page.getByText("the end").waitFor())
        const shown = yield* Effect.promise(() => page.locator(".answer").first().textContent())
        assert.include(shown, text)
        yield* Effect.promise(async () => {
          await page.getByLabel("Message").fill("And?")
          await page.keyboard.press("Enter")
          await page.getByText("Still here.").waitFor()
        })
        assert.deepStrictEqual(problems, [])
      }
    }).pipe(Effect.scoped))
})
