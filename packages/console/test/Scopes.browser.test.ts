// What the scopes of a token forbid is not on the page, in a real browser against a real service.
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import { Knowledge } from "@svc-runtime/server"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import * as Tokens from "@svc-runtime/test-support/Tokens"
import { Effect, Schema } from "effect"
import type { Page } from "playwright-core"
import { allows } from "../src/service/Caller.ts"
import { findingsOn } from "./Accessibility.ts"
import * as Browser from "./Browser.ts"

Tier.oneIn(6)

const resources = [
  "agents",
  "sessions",
  "approvals",
  "knowledge",
  "memories",
  "learnings",
  "audit",
  "roles",
  "service_accounts",
  "config",
  "schedules",
  "webhooks",
  "components",
  "evals"
]

const everything = resources.flatMap((resource) =>
  ["read", "write", "delete", "run"].map((action) => `${resource}:${action}`)
)

const reading = resources.map((resource) => `${resource}:read`)

const service = Effect.gen(function*() {
  const issuer = yield* Tokens.issuer()
  const { model } = yield* Script.make([[Script.toolCall("refund", { order: 17 })]])
  const refund = Tool.make({
    name: "refund",
    parameters: Schema.Struct({ order: Schema.Finite }),
    approval: "required",
    execute: () => "refunded"
  })
  const { url } = yield* TestServer.listen({
    agents: [Agent.make({ id: "shop", name: "Shop", model, tools: [refund] })],
    knowledge: [Knowledge.make({ name: "handbook" })],
    embedder: "demo",
    authorization: {
      enabled: true,
      verificationKeys: [Tokens.redacted(issuer.publicPem)],
      algorithm: "RS256",
      userIsolation: false
    }
  })
  const tokenWith = (scopes: ReadonlyArray<string>) =>
    issuer.sign({ sub: "ann", scopes: [...scopes], aud: "svc", exp: Math.floor(Date.now() / 1000) + 3600 })
  const all = yield* tokenWith(everything)
  const send = (path: string, body: BodyInit) =>
    Effect.promise(async () => {
      const headers = {
        authorization: `Bearer ${all}`,
        ...(typeof body === "string" ? { "content-type": "application/json" } : {})
      }
      const response = await fetch(`${url}${path}`, { method: "POST", headers, body })
      assert.isBelow(response.status, 300, path)
      return await response.json() as Readonly<Record<string, string>>
    })
  const { run_id } = yield* send("/agents/shop/runs", new URLSearchParams({ message: "Refund 17", stream: "false" }))
  yield* send("/memories", JSON.stringify({ memory: "Ann likes lamps", user_id: "ann" }))
  yield* send("/knowledge/content", new URLSearchParams({ name: "parking", text_content: "In the yard." }))
  yield* send("/service-accounts", JSON.stringify({ name: "bot", scopes: ["agents:read"] }))
  yield* send("/roles", JSON.stringify({ name: "support", scopes: ["agents:read"] }))
  return { url, run_id, tokenWith }
})

const signIn = (page: Page, token: string) =>
  Effect.promise(async () => {
    await page.getByLabel("Token").fill(token)
    await page.getByRole("button", { name: "Sign in" }).click()
  })

/** What each page shows to a reader, and what it offers only to others. */
const pages: ReadonlyArray<readonly [path: string, shown: string, offered: ReadonlyArray<string>]> = [
  ["chat/agent/shop", "Shop", ["textarea", ".sessions .menu"]],
  ["runs/RUN", "Open the conversation", ["text=Cancel the run", ".decisions"]],
  ["approvals", "refund", ["button.approve"]],
  ["knowledge", "parking", ["text=Add a text", "input[type=file]", "text=/^Delete$/"]],
  ["memories", "Ann likes lamps", ["text=New memory", "text=/^Change$/", "text=/^Delete$/"]],
  ["schedules", "Schedules", ["text=New schedule"]],
  ["webhooks", "Webhooks", ["text=New webhook"]],
  ["components", "Components", ["text=New component"]],
  ["playground", "Playground", ["text=New component"]],
  ["playground/agent/shop", "Shop", [".input-of-run button", "textarea.prompt:enabled"]],
  ["evaluations", "Evaluations", ["text=New evaluation"]],
  ["experiments", "Experiments", ["text=New experiment"]],
  ["datasets", "Datasets", ["text=New dataset"]],
  ["audit", "POST /memories", []],
  ["roles", "support", ["text=New role", "text=/^Delete$/"]],
  ["accounts", "bot", ["text=New service account", "text=/^Revoke$/"]]
]

describe("Scopes", () => {
  it.live("A token that may only read gets no button that changes something.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { run_id, tokenWith, url } = yield* service
      const { page, problems } = yield* Browser.open(browser, `${url}/console/`, { width: 360 })
      yield* signIn(page, yield* tokenWith(reading))
      for (const [path, shown, offered] of pages) {
        yield* Effect.promise(() => page.goto(`${url}/console/#/${path.replace("RUN", run_id ?? "")}`))
        yield* Effect.promise(() =>
          page.locator("main").getByText(shown, { exact: true }).filter({ visible: true }).first().waitFor()
        )
        for (const each of offered) {
          const count = yield* Effect.promise(() => page.locator("main").locator(each).count())
          assert.strictEqual(count, 0, `${path}: ${each}`)
        }
        for (const colorScheme of ["dark", "light"] as const) {
          yield* Effect.promise(() => page.emulateMedia({ colorScheme }))
          assert.deepStrictEqual(yield* findingsOn(page), [], `${path}, ${colorScheme}`)
        }
      }
      yield* Effect.promise(() => page.setViewportSize({ width: 1280, height: 800 }))
      const titles = yield* Effect.promise(() =>
        page.getByRole("navigation", { name: "Pages" }).locator("li").allTextContents()
      )
      assert.include(titles, "Knowledge")
      assert.notIncludeMembers(titles, ["Metrics", "Traces"])
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.live("A token with all scopes gets these buttons.", () =>
    Effect.gen(function*() {
      const browser = yield* Browser.launch
      const { run_id, tokenWith, url } = yield* service
      const { page } = yield* Browser.open(browser, `${url}/console/`)
      yield* signIn(page, yield* tokenWith(everything))
      for (const [path, , offered] of pages) {
        yield* Effect.promise(() => page.goto(`${url}/console/#/${path.replace("RUN", run_id ?? "")}`))
        for (const each of offered) {
          yield* Effect.promise(() => page.locator("main").locator(each).first().waitFor({ state: "attached" }))
        }
      }
    }).pipe(Effect.scoped))

  it("A scope for one component allows that one, and the list of its kind.", () => {
    assert.isTrue(allows(["agents:shop:run"], "agents:run", "shop"))
    assert.isFalse(allows(["agents:shop:run"], "agents:run", "other"))
    assert.isFalse(allows(["agents:shop:run"], "agents:run"))
    assert.isTrue(allows(["agents:shop:read"], "agents:read"))
    assert.isTrue(allows(null, "agents:run"))
    assert.isFalse(allows([], "agents:read"))
  })
})
