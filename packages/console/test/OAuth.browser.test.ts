// The sign-in at an authorization server, in a real browser.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as SettableClock from "@svc-runtime/test-support/SettableClock"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import * as Tokens from "@svc-runtime/test-support/Tokens"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { findingsOn } from "./Accessibility.ts"
import * as AuthorizationServer from "./AuthorizationServer.ts"
import * as Browser from "./Browser.ts"

Tier.oneIn(6)

const clientId = "console"

const serve = Effect.gen(function*() {
  const server = yield* AuthorizationServer.make(clientId)
  const time: SettableClock.Shift = { millis: 0 }
  const { model } = yield* Script.make([[Script.text("Hello.")]])
  const { url } = yield* TestServer.listen({
    agents: [Agent.make({ id: "helper", name: "Helper", model })],
    authorization: {
      enabled: true,
      verificationKeys: [Tokens.redacted(server.publicPem)],
      algorithm: "RS256",
      issuer: server.issuer
    },
    settings: { consoleOAuth: { issuer: server.issuer, clientId, resource: "https://svc.example.com/" } }
  }).pipe(SettableClock.shifted(time))
  return { server, time, url }
})

const signIn = (page: Page) => Effect.promise(() => page.getByRole("button", { name: /^Sign in at/ }).click())

const send = (page: Page, text: string) =>
  Effect.promise(async () => {
    await page.getByLabel("Message").fill(text)
    await page.keyboard.press("Enter")
  })

describe("The sign-in at an authorization server", () => {
  it.live("A person who signs in comes back to the same page, and no address keeps the code.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { server, url } = yield* serve
      const { page, problems, strangers } = yield* Browser.open(browser, `${url}/console/#/runs?status=ERROR`)
      yield* Effect.promise(() => page.getByRole("button", { name: /^Sign in at/ }).waitFor())
      assert.deepStrictEqual(yield* findingsOn(page), [])
      yield* signIn(page)
      yield* Effect.promise(() => page.getByText("Nothing matches").or(page.getByText("0 in all")).first().waitFor())
      assert.strictEqual(page.url(), `${url}/console/#/runs?status=ERROR`)
      assert.strictEqual(server.redeemed.length, 1)
      assert.strictEqual(server.redeemed[0]?.get("resource"), "https://svc.example.com/")
      assert.deepStrictEqual(strangers.filter((each) => !each.startsWith(server.issuer)), [])
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("A message that was refused because the token has expired is kept while the person signs in again.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { server, time, url } = yield* serve
      const { page } = yield* Browser.open(browser, `${url}/console/`)
      yield* signIn(page)
      yield* Effect.promise(() => page.getByLabel("Message").waitFor())
      time.millis = 2 * server.lifetime * 1000
      server.lifetime *= 4
      yield* send(page, "A long letter")
      yield* signIn(page)
      yield* Effect.promise(() => page.getByLabel("Message").waitFor())
      assert.strictEqual(yield* Effect.promise(() => page.getByLabel("Message").inputValue()), "A long letter")
      yield* Effect.promise(() => page.getByLabel("Message").press("Enter"))
      yield* Effect.promise(() => page.getByText("Hello.").waitFor())
    }).pipe(Effect.scoped))

  it.live("A response to a sign-in that this page has not begun is refused, and the code is not redeemed.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { server, url } = yield* serve
      const { page } = yield* Browser.open(browser, `${url}/console/?code=stolen&state=guessed#/runs`)
      yield* Effect.promise(() => page.getByText("of another sign-in").waitFor())
      assert.deepStrictEqual(server.redeemed, [])
      assert.notInclude(page.url(), "stolen")
      yield* Effect.promise(() => page.getByLabel("Token").waitFor())
    }).pipe(Effect.scoped))

  it.live("The page calls no host beside the service and the authorization server.", () =>
    Effect.gen(function*() {
      const { server, url } = yield* serve
      const response = yield* Effect.promise(() => fetch(`${url}/console/`))
      const policy = response.headers.get("content-security-policy") ?? ""
      assert.include(policy, `connect-src 'self' ${server.issuer};`)
    }).pipe(Effect.scoped))
})
