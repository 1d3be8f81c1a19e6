// What the console does when the service cannot be reached.
import { assert, describe, it } from "@effect/vitest"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TcpProxy from "@svc-runtime/test-support/TcpProxy"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect } from "effect"
import { findingsOn } from "./Accessibility.ts"
import * as Browser from "./Browser.ts"
import { agentOf, send } from "./Chatting.ts"

Tier.oneIn(6)

describe("A service that cannot be reached", () => {
  it.live("A message that it refused is sent again by a button, and starts one run.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* TestServer.listen({ agents: yield* agentOf([[Script.text("Hello.")]]) })
      const { page } = yield* Browser.open(browser, `${url}/console/`)
      yield* Effect.promise(() => page.getByLabel("Message").waitFor())
      const runs = "**/agents/helper/runs"
      yield* Effect.promise(() => page.clock.install())
      yield* Effect.promise(() => page.route(runs, (route) => route.abort("connectionrefused")))
      yield* Effect.promise(() => send(page, "Hi"))
      yield* Effect.promise(() => page.locator(".turn .working").waitFor())
      yield* Effect.promise(() => page.locator(".away").waitFor())
      const given = page.getByRole("button", { name: "Try again" })
      yield* Effect.promise(async () => {
        while (await given.count() === 0) await page.clock.runFor(5000)
      })
      yield* Effect.promise(() => page.unroute(runs))
      yield* Effect.promise(() => page.clock.resume())
      yield* Effect.promise(() => given.click())
      yield* Effect.promise(() => page.getByText("Hello.").waitFor())
      assert.strictEqual(yield* Effect.promise(() => page.locator(".away").count()), 0)
      assert.strictEqual(yield* Effect.promise(() => page.locator(".turn").count()), 1)
    }).pipe(Effect.scoped))

  it.live("A stream that was cut reads on when the service responds again, and no word is lost.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const gate = yield* Deferred.make<void>()
      const { url } = yield* TestServer.listen({
        agents: yield* agentOf([[Script.text("The first half, "), Script.wait(gate), Script.text("the second half.")]])
      })
      const proxy = yield* TcpProxy.make(Number(new URL(url).port))
      const { page, problems } = yield* Browser.open(browser, `http://127.0.0.1:${proxy.port}/console/`)
      yield* Effect.promise(() => send(page, "Tell me"))
      yield* Effect.promise(() => page.getByText("The first half,").waitFor())
      yield* proxy.cut
      yield* Deferred.succeed(gate, undefined)
      yield* Effect.promise(() => page.locator(".away").waitFor())
      assert.deepStrictEqual(yield* findingsOn(page), [])
      yield* proxy.mend
      yield* Effect.promise(() => page.getByText("The first half, the second half.").waitFor())
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("A page that is opened while the service starts is complete when it has started.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* TestServer.listen({ agents: yield* agentOf([]) })
      const { page, problems } = yield* Browser.open(browser, `${url}/console/`)
      const starting = { status: 503, json: { detail: "The service is starting. Try again shortly." } }
      yield* Effect.promise(() => page.getByLabel("Message").waitFor())
      yield* Effect.promise(() => page.route("**/agents*", (route) => route.fulfill(starting)))
      yield* Effect.promise(() => page.reload())
      yield* Effect.promise(() => page.getByText("The service is starting").waitFor())
      yield* Effect.promise(() => page.unroute("**/agents*"))
      yield* Effect.promise(() => page.getByLabel("Message").waitFor())
      assert.strictEqual(yield* Effect.promise(() => page.getByText("The service is starting").count()), 0)
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("A page that waits for a service that no longer responds says so, and shows what comes in the end.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { url } = yield* TestServer.listen({ agents: yield* agentOf([]) })
      const proxy = yield* TcpProxy.make(Number(new URL(url).port))
      const { page, problems } = yield* Browser.open(browser, `http://127.0.0.1:${proxy.port}/console/`)
      yield* Effect.promise(() => page.getByLabel("Message").waitFor())
      yield* Effect.promise(() => page.clock.install())
      yield* proxy.stall
      yield* Effect.promise(() => page.getByRole("link", { name: "Runs" }).click())
      const waiting = page.getByText("has not responded for some seconds")
      yield* Effect.promise(async () => {
        while (await waiting.count() === 0) await page.clock.runFor(1000)
      })
      assert.deepStrictEqual(yield* findingsOn(page), [])
      yield* Effect.promise(() => page.clock.resume())
      yield* proxy.mend
      yield* Effect.promise(() => page.getByText("Start one in the chat").waitFor())
      yield* Effect.promise(() => waiting.waitFor({ state: "detached" }))
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("What is typed after a first message stays when the conversation gets its session.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const gate = yield* Deferred.make<void>()
      const { url } = yield* TestServer.listen({
        agents: yield* agentOf([[Script.text("Beginning"), Script.wait(gate), Script.text(" and end.")]])
      })
      const { page } = yield* Browser.open(browser, `${url}/console/`)
      const runs = "**/agents/helper/runs"
      let release = () => {}
      const released = new Promise<void>((resolve) => {
        release = resolve
      })
      yield* Effect.promise(() => page.route(runs, (route) => released.then(() => route.continue())))
      yield* Effect.promise(() => send(page, "Go"))
      yield* Effect.promise(() => page.getByLabel("Message").fill("The next thought"))
      release()
      yield* Effect.promise(() => page.getByText("Beginning").waitFor())
      yield* Effect.promise(() => page.waitForURL(/session=/))
      assert.strictEqual(yield* Effect.promise(() => page.getByLabel("Message").inputValue()), "The next thought")
      yield* Deferred.succeed(gate, undefined)
    }).pipe(Effect.scoped))
})
