// Links of channels on the wire: a person on a platform shows with a code which user of the service they are, and acts
// as that user from then on, with no more than that user may do.
import { assert, describe, it } from "@effect/vitest"
import * as Channel from "@svc-runtime/channels/Channel"
import * as Agent from "@svc-runtime/features/Agent"
import * as MemoryPlatform from "@svc-runtime/test-support/platforms/MemoryPlatform"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Clock, Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import { call, claims, closed, mint, theIssuer, token } from "../authorization/Closed.ts"
import { ask, at, column, failed, list, serve, skippingClock } from "../Wire.ts"
import { passing } from "./ScheduleTime.ts"

Tier.oneIn(4)

const { delivery } = MemoryPlatform

const path = "/channels/chat/events"

const running = ["agents:desk:run", "sessions:read"]

type Options = TestServer.Options & { readonly channel?: Partial<Channel.Options> }

const serving = Effect.fnUntraced(function*({ channel = {}, ...options }: Options = {}) {
  const platform = MemoryPlatform.make()
  const model = yield* Script.make(Array.from({ length: 4 }, (_, turn) => [Script.text(`Answer ${turn + 1}`)]))
  const server = yield* serve({
    agents: [Agent.make({ id: "desk", model: model.model })],
    declared: { channels: [Channel.make({ id: "chat", agent: "desk", ...channel }, platform.adapter)] },
    authorization: yield* closed,
    ...options
  })
  return { platform, server }
})

type Served = Effect.Success<ReturnType<typeof serving>>

let events = 0

/** What the person gets as the answer, after what was written before. */
const write = Effect.fnUntraced(function*({ platform, server }: Served, sender: string, text = "Hi") {
  const before = platform.messages.length
  const written = { id: `L${events++}`, text, sender, thread: `direct ${sender}` }
  const answer = yield* ask(server, path, delivery(written))
  assert.strictEqual(answer.status, 200, answer.text)
  yield* passing(platform.until(() => (platform.messages[before]?.text ?? "…") !== "…"))
  return platform.messages[before]!.text
})

const codeIn = (text: string): string => /\*\*([A-Z0-9]{5}-[A-Z0-9]{5})\*\*/.exec(text)?.[1] ?? assert.fail(text)

const code = (served: Served, sender: string) => Effect.map(write(served, sender), codeIn)

const posting = (body: object): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body)
})

/** Waits for the notice to the person. */
const confirm = Effect.fnUntraced(function*({ platform, server }: Served, body: object, bearer?: string) {
  const notices = () => platform.texts().filter((text) => text.startsWith("Your account here is linked to")).length
  const before = notices()
  const answer = yield* call(server, { path: "/channels/links", init: posting(body) }, bearer)
  if (answer.status === 201) yield* passing(platform.until(() => notices() > before))
  return answer
})

const links = ({ server }: Served, bearer: string, query = "") =>
  call(server, { path: `/channels/links${query}` }, bearer)

const remove = ({ server }: Served, id: unknown, bearer: string) =>
  call(server, { path: `/channels/links/${String(id)}`, init: { method: "DELETE" } }, bearer)

const usersOf = Effect.fnUntraced(function*({ server }: Served) {
  const all = yield* call(server, { path: "/sessions?type=agent" }, yield* token("root", "platform:admin"))
  return column(list(all.json, "data"), "user_id")
})

describe("links of channels", () => {
  it.effect("a person confirms the code as a user, and acts as that user from then on", () =>
    Effect.gen(function*() {
      const served = yield* serving()
      const ann = yield* token("ann", ...running)
      const shown = yield* code(served, "U1")
      const preview = { path: "/channels/links/preview", init: posting({ code: shown }) }
      assert.deepStrictEqual((yield* call(served.server, preview, ann)).json, {
        channel: "chat",
        sender: "U1",
        name: "Name of U1"
      })
      const linked = yield* confirm(served, { code: shown.toLowerCase().replace("-", " ") }, ann)
      assert.strictEqual(linked.status, 201, linked.text)
      assert.deepInclude(linked.json as object, {
        channel: "chat",
        sender: "U1",
        user_id: "ann",
        scopes: ["agents:desk:run"],
        approves: false
      })
      assert.deepInclude(served.platform.messages.at(-1), {
        text: "Your account here is linked to the user **ann** now. Write to me, and I answer.",
        thread: "direct U1"
      })
      assert.strictEqual(yield* write(served, "U1"), "Answer 1")
      assert.deepStrictEqual(yield* usersOf(served), ["ann"])
      assert.match(yield* write(served, "U2"), /I do not know you yet/)
    }))

  it.effect("a code counts once, for ten minutes, and only the last one of a person", () =>
    Effect.gen(function*() {
      const served = yield* serving()
      const ann = yield* token("ann", ...running)
      const replaced = yield* code(served, "U1")
      const used = yield* code(served, "U1")
      failed(yield* confirm(served, { code: replaced }, ann), 404, "NOT_FOUND", /older than 10 minutes/)
      assert.strictEqual((yield* confirm(served, { code: used }, ann)).status, 201)
      failed(yield* confirm(served, { code: used }, ann), 404, "NOT_FOUND")
      const late = yield* code(served, "U2")
      yield* TestClock.adjust("10 minutes")
      failed(yield* confirm(served, { code: late }, ann), 404, "NOT_FOUND")
    }))

  it.effect("after ten wrong codes in a minute a user and an address are refused, also with a right one", () =>
    Effect.gen(function*() {
      const served = yield* serving()
      const [ann, bob] = [yield* token("ann", ...running), yield* token("bob", ...running)]
      const right = yield* code(served, "U1")
      for (let attempt = 0; attempt < 10; attempt++) {
        failed(yield* confirm(served, { code: `WRONG-${attempt}` }, attempt % 2 === 0 ? ann : bob), 404, "NOT_FOUND")
      }
      failed(yield* confirm(served, { code: right }, ann), 429, "TOO_MANY_REQUESTS")
      const preview = { path: "/channels/links/preview", init: posting({ code: right }) }
      failed(yield* call(served.server, preview, bob), 429, "TOO_MANY_REQUESTS")
      yield* TestClock.adjust("61 seconds")
      assert.strictEqual((yield* confirm(served, { code: right }, ann)).status, 201)
    }))

  it.effect("an admin's link runs and approves on the channel, and has no other right of the admin", () =>
    Effect.gen(function*() {
      const served = yield* serving()
      const root = yield* token("root", "platform:admin")
      const linked = yield* confirm(served, { code: yield* code(served, "U1") }, root)
      assert.deepInclude(linked.json as object, { scopes: ["agents:desk:run", "approvals:write"], approves: true })
      const refused = yield* confirm(served, { code: yield* code(served, "U2") }, yield* token("bob", "sessions:read"))
      failed(refused, 403, "FORBIDDEN", /agents:run/)
    }))

  it.effect("a link has no right any more that a role of its user has lost", () =>
    Effect.gen(function*() {
      const served = yield* serving()
      const root = yield* token("root", "platform:admin")
      const role = (init: RequestInit, name = "") => call(served.server, { path: `/roles${name}`, init }, root)
      const made = yield* role(posting({ name: "support", scopes: ["agents:run", "approvals:write", "metrics:read"] }))
      assert.strictEqual(made.status, 201, made.text)
      const ann = yield* token("ann", "role:support")
      const linked = yield* confirm(served, { code: yield* code(served, "U1") }, ann)
      assert.deepInclude(linked.json as object, { scopes: ["agents:desk:run", "approvals:write"], approves: false })
      assert.strictEqual(yield* write(served, "U1"), "Answer 1")
      const changed = yield* role({ ...posting({ scopes: ["approvals:write"] }), method: "PATCH" }, "/support")
      assert.strictEqual(changed.status, 200, changed.text)
      assert.match(yield* write(served, "U1"), /You may not talk to me/)
      assert.deepStrictEqual(column(list((yield* links(served, ann)).json, "data"), "scopes"), [["approvals:write"]])
    }))

  it.effect("a link ends with the service account that has confirmed it", () =>
    Effect.gen(function*() {
      const served = yield* serving()
      const root = yield* token("root", "platform:admin")
      const account = yield* mint(served.server, root, { name: "bot", scopes: running })
      const linked = yield* confirm(served, { code: yield* code(served, "U1") }, account.token)
      assert.deepInclude(linked.json as object, { user_id: "sa:bot", scopes: ["agents:desk:run"] })
      assert.strictEqual(yield* write(served, "U1"), "Answer 1")
      const init = { method: "DELETE" }
      yield* call(served.server, { path: `/service-accounts/${account.id}`, init }, root)
      assert.match(yield* write(served, "U1"), /I do not know you yet/)
      assert.deepStrictEqual(list((yield* links(served, root)).json, "data"), [])
    }))

  it.effect("a link of a service account that has expired has no effect", () =>
    Effect.gen(function*() {
      const { clock, skip } = yield* skippingClock
      const served = yield* Effect.provideService(serving(), Clock.Clock, clock)
      const issuer = yield* theIssuer
      const root = yield* issuer.sign({ ...claims("root", ["platform:admin"]), exp: 4_000_000_000 })
      const account = yield* mint(served.server, root, { name: "brief", scopes: running, expires_in_days: 1 })
      yield* confirm(served, { code: yield* code(served, "U1") }, account.token)
      assert.strictEqual(yield* write(served, "U1"), "Answer 1")
      yield* skip(86_400)
      assert.match(yield* write(served, "U1"), /I do not know you yet/)
    }))

  it.effect("a link has no effect after its lifetime, because only the issuer of a token knows its user", () =>
    Effect.gen(function*() {
      const { clock, skip } = yield* skippingClock
      const served = yield* Effect.provideService(
        serving({ channelLimits: { linkLifetime: Duration.days(2) } }),
        Clock.Clock,
        clock
      )
      const linked = yield* confirm(served, { code: yield* code(served, "U1") }, yield* token("ann", ...running))
      assert.strictEqual(at(linked.json, "expires_at"), Number(at(linked.json, "created_at")) + 2 * 86_400)
      yield* skip(2 * 86_400 - 60)
      assert.strictEqual(yield* write(served, "U1"), "Answer 1")
      yield* skip(60)
      assert.match(yield* write(served, "U1"), /I do not know you yet/)
    }))

  it.effect("users see and remove their own links, and admins those of all, page by page", () =>
    Effect.gen(function*() {
      const served = yield* serving()
      const [ann, bob] = [yield* token("ann", ...running), yield* token("bob", ...running)]
      const root = yield* token("root", "platform:admin")
      for (const [sender, bearer] of [["U1", ann], ["U2", bob]] as const) {
        assert.strictEqual((yield* confirm(served, { code: yield* code(served, sender) }, bearer)).status, 201)
      }
      const own = list((yield* links(served, ann)).json, "data")
      assert.deepStrictEqual(column(own, "sender"), ["U1"])
      const page = (yield* links(served, root, "?limit=1&page=2")).json
      assert.deepStrictEqual(column(list(page, "data"), "sender"), ["U1"])
      assert.strictEqual(at(page, "meta", "total_count"), 2)
      assert.deepStrictEqual(column(list((yield* links(served, root, "?user_id=bob")).json, "data"), "sender"), ["U2"])
      failed(yield* remove(served, at(own[0], "id"), bob), 404, "NOT_FOUND")
      assert.strictEqual((yield* remove(served, at(own[0], "id"), ann)).status, 204)
      assert.match(yield* write(served, "U1"), /I do not know you yet/)
      const [other] = list((yield* links(served, root)).json, "data")
      assert.strictEqual((yield* remove(served, at(other, "id"), root)).status, 204)
    }))

  it.effect("a token for one session links nothing", () =>
    Effect.gen(function*() {
      const served = yield* serving()
      const issuer = yield* theIssuer
      const limited = yield* issuer.sign({ ...claims("ann", running), session_id: "one" })
      assert.strictEqual((yield* confirm(served, { code: yield* code(served, "U1") }, limited)).status, 403)
    }))

  it.effect("a service without authorization asks for the user, and links the account to it", () =>
    Effect.gen(function*() {
      const served = yield* serving({ authorization: { enabled: false } })
      const shown = yield* code(served, "U1")
      failed(yield* confirm(served, { code: shown }), 422, "VALIDATION_ERROR", /AUTHORIZATION is off/)
      failed(yield* confirm(served, { code: shown, user_id: "sa:bot" }), 403, "FORBIDDEN")
      const linked = yield* confirm(served, { code: shown, user_id: "ann" })
      assert.deepInclude(linked.json as object, { user_id: "ann", scopes: ["agents:desk:run", "approvals:write"] })
      assert.strictEqual(yield* write(served, "U1"), "Answer 1")
    }))

  it.effect("a channel of a tenant links users of that tenant only", () =>
    Effect.gen(function*() {
      const served = yield* serving({
        channel: { tenant: "acme" },
        authorization: { ...yield* closed, tenantClaim: "tenant" }
      })
      const issuer = yield* theIssuer
      const of = (tenant: string | undefined) =>
        issuer.sign({ ...claims("ann", running), ...(tenant === undefined ? {} : { tenant }) })
      const shown = yield* code(served, "U1")
      failed(yield* confirm(served, { code: shown }, yield* of("globex")), 404, "NOT_FOUND")
      failed(yield* confirm(served, { code: shown }, yield* of(undefined)), 404, "NOT_FOUND")
      const linked = yield* confirm(served, { code: shown }, yield* of("acme"))
      assert.strictEqual(at(linked.json, "user_id"), "tenant:acme:ann", linked.text)
      assert.strictEqual(yield* write(served, "U1"), "Answer 1")
    }))
})
