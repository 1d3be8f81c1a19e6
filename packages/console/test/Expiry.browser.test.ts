// What the console does when the token expires.
import { assert, describe, it } from "@effect/vitest"
import { Knowledge } from "@svc-runtime/server"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as SettableClock from "@svc-runtime/test-support/SettableClock"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import * as Tokens from "@svc-runtime/test-support/Tokens"
import { Deferred, Effect } from "effect"
import type { Page } from "playwright-core"
import { findingsOn } from "./Accessibility.ts"
import * as Browser from "./Browser.ts"
import { agentOf, send } from "./Chatting.ts"

Tier.oneIn(6)

const now = () => Math.floor(Date.now() / 1000)

const hour = 3600

const closed = Effect.fnUntraced(function*(turns: ReadonlyArray<Script.Turn>, options: TestServer.Options = {}) {
  const issuer = yield* Tokens.issuer()
  const time: SettableClock.Shift = { millis: 0 }
  const { url } = yield* TestServer.listen({
    agents: yield* agentOf(turns),
    authorization: { enabled: true, verificationKeys: [Tokens.redacted(issuer.publicPem)], algorithm: "RS256" },
    ...options
  }).pipe(SettableClock.shifted(time))
  const tokenUntil = (exp: number, sub = "ann", scopes = ["agents:read", "agents:run", "sessions:read"]) =>
    issuer.sign({ sub, scopes, aud: "svc", exp })
  return { url, tokenUntil, time }
})

const signIn = (page: Page, token: string) =>
  Effect.promise(async () => {
    await page.getByLabel("Token").fill(token)
    await page.getByRole("button", { name: "Sign in" }).click()
  })

/** The token expires when the message is sent. A page that is still loading then is not refused before it. */
const expireAtRun = (page: Page, time: SettableClock.Shift) =>
  Effect.promise(() =>
    page.route(/\/agents\/helper\/runs$/, (route) => {
      time.millis = 2 * hour * 1000
      return route.continue()
    }, { times: 1 })
  )

const everything = ["schedules", "knowledge", "agents", "sessions", "config"].flatMap((resource) =>
  ["read", "write", "run"].map((action) => `${resource}:${action}`)
)

describe("A token that expires", () => {
  it.live("A form and an upload that were refused because of it are sent when the person has signed in again.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { time, tokenUntil, url } = yield* closed([], {
        knowledge: [Knowledge.make({ name: "handbook" })],
        embedder: "demo"
      })
      const token = (hours: number) => tokenUntil(now() + hours * hour, "ann", everything)
      const { page, problems } = yield* Browser.open(browser, `${url}/console/#/schedules`)
      yield* signIn(page, yield* token(1))
      yield* Effect.promise(async () => {
        await page.getByText("New schedule").click()
        await page.getByLabel("Name (required)").fill("Daily")
        await page.getByLabel("Cron expression").fill("0 9 * * *")
        await page.getByLabel("Message").fill("A long letter")
        await page.getByRole("list", { name: "Next times" }).waitFor()
        time.millis = 2 * hour * 1000
        await page.getByRole("button", { name: "Create" }).click()
      })
      yield* signIn(page, yield* token(3))
      yield* Effect.promise(async () => {
        await page.getByRole("heading", { name: "Daily" }).waitFor()
        await page.getByRole("link", { name: "Runs", exact: true }).click()
        await page.goto(`${url}/console/#/knowledge`)
        await page.getByLabel("Files").waitFor()
        time.millis = 4 * hour * 1000
        await page.getByLabel("Files").setInputFiles(["a.txt", "b.txt"].map((name) => ({
          name,
          mimeType: "text/plain",
          buffer: Buffer.from(`The holidays of ${name}`)
        })))
      })
      yield* signIn(page, yield* token(5))
      yield* Effect.promise(() => page.locator(".uploads li", { hasText: "uploaded" }).nth(1).waitFor())
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("A stream that was ended by it reads on after the person has signed in again, and no word is lost.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const gate = yield* Deferred.make<void>()
      const { time, tokenUntil, url } = yield* closed([[
        Script.text("The first half, "),
        Script.wait(gate),
        Script.text("the second half.")
      ]])
      const { page, problems } = yield* Browser.open(browser, `${url}/console/`)
      yield* signIn(page, yield* tokenUntil(now() + hour))
      yield* Effect.promise(() => send(page, "Tell me"))
      yield* Effect.promise(() => page.getByText("The first half,").waitFor())
      yield* Effect.promise(() => page.getByLabel("Message").fill("Half a thought"))
      time.millis = 2 * hour * 1000
      yield* Deferred.succeed(gate, undefined)
      yield* Effect.promise(() => page.getByText("The token was refused").waitFor())
      assert.deepStrictEqual(yield* findingsOn(page), [])
      yield* signIn(page, yield* tokenUntil(now() + 4 * hour))
      yield* Effect.promise(() => page.getByText("The first half, the second half.").waitFor())
      assert.strictEqual(yield* Effect.promise(() => page.getByLabel("Message").inputValue()), "Half a thought")
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("The events of a run read on after the person has signed in again, each once.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const gate = yield* Deferred.make<void>()
      const { time, tokenUntil, url } = yield* closed([[Script.text("One, "), Script.wait(gate), Script.text("two.")]])
      const { page, problems } = yield* Browser.open(browser, `${url}/console/`)
      yield* signIn(page, yield* tokenUntil(now() + hour))
      yield* Effect.promise(() => send(page, "Tell me"))
      const rows = page.locator(".events .row")
      yield* Effect.promise(async () => {
        await page.getByText("One,").waitFor()
        await page.getByRole("link", { name: "Runs", exact: true }).click()
        await page.getByRole("link", { name: "helper" }).click()
        await page.getByRole("button", { name: "events", exact: true }).click()
        await rows.filter({ hasText: "RunContent" }).first().waitFor()
      })
      time.millis = 2 * hour * 1000
      yield* Deferred.succeed(gate, undefined)
      yield* Effect.promise(() => page.getByText("The token was refused").waitFor())
      yield* signIn(page, yield* tokenUntil(now() + 4 * hour))
      yield* Effect.promise(() => rows.filter({ hasText: "RunCompleted" }).waitFor())
      const numbers = yield* Effect.promise(() => rows.locator("span:first-child").allTextContents())
      assert.deepStrictEqual(numbers, numbers.map((_, index) => String(index)))
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("A message that was refused for it is sent once the person has signed in again, and a reload keeps it.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { time, tokenUntil, url } = yield* closed([[Script.text("Hello.")]])
      const { page } = yield* Browser.open(browser, `${url}/console/`)
      yield* signIn(page, yield* tokenUntil(now() + hour))
      yield* expireAtRun(page, time)
      yield* Effect.promise(() => send(page, "A long letter"))
      yield* Effect.promise(() => page.getByText("The token was refused").waitFor())
      const kept = yield* Effect.promise(() => page.evaluate(() => JSON.stringify({ ...sessionStorage })))
      assert.include(kept, "A long letter")
      yield* signIn(page, yield* tokenUntil(now() + 4 * hour))
      yield* Effect.promise(() => page.getByText("Hello.").waitFor())
      const after = yield* Effect.promise(() => page.evaluate(() => JSON.stringify({ ...sessionStorage })))
      assert.notInclude(after, "A long letter")
    }).pipe(Effect.scoped))

  it.live("Another person who signs in after it neither sends nor sees what the first one has typed.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { time, tokenUntil, url } = yield* closed([[Script.text("Hello.")]])
      const { page } = yield* Browser.open(browser, `${url}/console/`)
      const sent: Array<string> = []
      page.on("request", (request) => {
        if (request.method() === "POST") sent.push(request.headers()["authorization"] ?? "")
      })
      yield* signIn(page, yield* tokenUntil(now() + hour))
      yield* expireAtRun(page, time)
      yield* Effect.promise(() => send(page, "A secret letter"))
      yield* Effect.promise(() => page.getByText("The token was refused").waitFor())
      const ofBob = yield* tokenUntil(now() + 4 * hour, "bob")
      yield* signIn(page, ofBob)
      yield* Effect.promise(() => page.getByLabel("Message").waitFor())
      yield* Effect.promise(() => page.waitForLoadState("networkidle"))
      assert.strictEqual(yield* Effect.promise(() => page.getByLabel("Message").inputValue()), "")
      assert.strictEqual(yield* Effect.promise(() => page.getByText("A secret letter").count()), 0)
      const kept = yield* Effect.promise(() => page.evaluate(() => JSON.stringify({ ...sessionStorage })))
      assert.notInclude(kept, "A secret letter")
      assert.deepStrictEqual(sent.filter((each) => each === `Bearer ${ofBob}`), [])
    }).pipe(Effect.scoped))

  it.live("A person who signs out leaves neither the token nor a draft in the tab.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { tokenUntil, url } = yield* closed([])
      const { page } = yield* Browser.open(browser, `${url}/console/`)
      yield* signIn(page, yield* tokenUntil(now() + hour))
      yield* Effect.promise(() => page.getByLabel("Message").fill("A secret letter"))
      yield* Effect.promise(() => page.getByRole("button", { name: "Sign out" }).click())
      yield* Effect.promise(() => page.getByLabel("Token").waitFor())
      assert.strictEqual(yield* Effect.promise(() => page.evaluate(() => sessionStorage.length)), 0)
      assert.strictEqual(new URL(page.url()).hash, "#/")
      assert.strictEqual(yield* Effect.promise(() => page.getByText("A secret letter").count()), 0)
    }).pipe(Effect.scoped))
})
