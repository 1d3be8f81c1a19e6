// A schedule that an isolated caller makes acts as a caller of its own for that author: it reaches nothing that
// schedules of other authors have made. Those of admins and those in code act as the service.
import { assert, describe, it } from "@effect/vitest"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { at, failed, list, serve } from "../Wire.ts"
import { passing } from "../wire/ScheduleTime.ts"
import { agents, call, claims, closed, everything, mint, serveClosed, theIssuer, token } from "./Closed.ts"

const writing = ["agents:run", "agents:read", "schedules:read", "schedules:write"]

const runs = "/agents/assistant/runs"

const init = (method: string, body: object = {}) => ({
  method,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body)
})

const make = Effect.fnUntraced(function*(
  server: TestServer.TestServer,
  bearer: string,
  name: string,
  fields: object = {}
) {
  const body = { name, cron_expr: "@yearly", endpoint: runs, payload: { message: "Go" }, ...fields }
  const made = yield* call(server, { path: "/schedules", init: init("POST", body) }, bearer)
  assert.strictEqual(made.status, 201, made.text)
  return { author: at(made.json, "author"), path: `/schedules/${String(at(made.json, "id"))}` }
})

const trigger = (server: TestServer.TestServer, bearer: string, path: string) =>
  passing(call(server, { path: `${path}/trigger`, init: init("POST") }, bearer))

/** Whose session the run of a schedule has made. */
const actorOf = Effect.fnUntraced(function*(server: TestServer.TestServer, run: unknown) {
  const path = `/sessions/${String(at(run, "session_id"))}?type=agent`
  const shown = yield* call(server, { path }, yield* token("root", "platform:admin"))
  return at(shown.json, "user_id")
})

/** A service that sends requests to itself. */
const listening = Effect.fnUntraced(function*(options: object = {}) {
  const { url } = yield* TestServer.listen({
    agents: yield* agents,
    authorization: { ...yield* closed, internalToken: "internal~token", ...options }
  })
  const { sign } = yield* theIssuer
  const bearerOf = (sub: string, ...scopes: ReadonlyArray<string>) =>
    sign({ ...claims(sub, scopes), exp: 4_000_000_000 })
  const ask = (path: string, bearer: string, body?: object) =>
    Effect.promise(async () => {
      const headers = { "content-type": "application/json", authorization: `Bearer ${bearer}` }
      const response = await fetch(
        `${url}${path}`,
        body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) }
      )
      return await response.json() as unknown
    })
  const triggered = Effect.fnUntraced(function*(bearer: string, name: string, request: object) {
    const made = yield* ask("/schedules", bearer, { name, cron_expr: "@yearly", ...request })
    return yield* ask(`/schedules/${String(at(made, "id"))}/trigger`, bearer, {})
  })
  return { ask, bearerOf, triggered, url }
})

const gone = { status: "failed", status_code: 404 }

describe("authors of schedules", () => {
  it.effect("a schedule of an isolated caller acts for its author, and one of an admin as the service", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const [ann, root] = [yield* token("ann", ...writing), yield* token("root", "platform:admin")]
      for (
        const [bearer, author, actor] of [[ann, "ann", "__scheduler__:ann"], [root, null, "__scheduler__"]] as const
      ) {
        const made = yield* make(server, bearer, `Of ${actor}`.replace(":", "-"), {
          payload: { message: "Go", user_id: "bob" }
        })
        assert.strictEqual(made.author, author)
        const run = (yield* trigger(server, root, made.path)).json
        assert.deepInclude(run, { status: "success", error: null })
        assert.strictEqual(yield* actorOf(server, run), actor)
      }
    }))

  it.effect("a schedule reaches no session and no run that a schedule of another author has made", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const [ann, bob, root] = [
        yield* token("ann", ...writing),
        yield* token("bob", ...writing),
        yield* token("root", "platform:admin")
      ]
      for (const [name, author] of [["ann", ann], ["root", root]] as const) {
        const session_id = `${name}-made`
        const own = { payload: { message: "Go", session_id } }
        const made = yield* trigger(server, author, (yield* make(server, author, `${name} own`, own)).path)
        assert.deepInclude(made.json, { status: "success", session_id })
        const run = String(at(made.json, "run_id"))
        const again = yield* trigger(server, author, (yield* make(server, author, `${name} again`, own)).path)
        assert.deepInclude(again.json, { status: "success", session_id })
        const foreign = yield* trigger(server, bob, (yield* make(server, bob, `${name} foreign`, own)).path)
        assert.deepInclude(foreign.json, gone)
        for (const end of ["continue", "cancel", "resume"]) {
          const endpoint = `${runs}/${run}/${end}?session_id=${session_id}`
          const { path } = yield* make(server, bob, `${name} ${end}`, { endpoint, payload: { session_id } })
          const answer = (yield* trigger(server, bob, path)).json
          assert.strictEqual(at(answer, "status"), "failed")
        }
      }
    }))

  it.live("the requests that a schedule sends are those of its author", () =>
    Effect.gen(function*() {
      const { ask, bearerOf, triggered } = yield* listening()
      const [ann, bob] = [yield* bearerOf("ann", ...everything), yield* bearerOf("bob", ...everything)]
      const root = yield* bearerOf("root", "platform:admin")
      const session_id = "anns-own"
      const own = yield* triggered(ann, "own", { endpoint: runs, payload: { message: "Go", session_id } })
      assert.deepInclude(own, { status: "success", session_id })
      const reading = { endpoint: `${runs}/${String(at(own, "run_id"))}?session_id=${session_id}`, method: "GET" }
      assert.deepInclude(yield* triggered(ann, "own run", reading), { status: "success", status_code: 200 })
      assert.deepInclude(yield* triggered(bob, "foreign run", reading), gone)
      assert.deepInclude(yield* triggered(root, "run", reading), gone)
      // what such a schedule makes has the same author
      const payload = { name: "made by a schedule", cron_expr: "@yearly", endpoint: runs, payload: { message: "Go" } }
      for (const [bearer, name, author] of [[ann, "made", "ann"], [root, "made too", null]] as const) {
        const making = { endpoint: "/schedules", payload: { ...payload, name: `${name} by a schedule` } }
        assert.deepInclude(yield* triggered(bearer, name, making), { status: "success", status_code: 201 })
        const [newest] = list(yield* ask("/schedules?limit=1", root), "data")
        assert.deepInclude(newest as object, { author })
      }
    }))

  it.effect("a caller who changes or enables a schedule becomes its author, and one who triggers it acts for their own user", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const [ann, bob] = [yield* token("ann", ...writing), yield* token("bob", ...writing)]
      const payload = { message: "Go", session_id: "anns-made" }
      const { path } = yield* make(server, ann, "Report", { payload })
      const authorOf = Effect.map(call(server, { path }, ann), ({ json }) => at(json, "author"))
      assert.deepInclude((yield* trigger(server, ann, path)).json, { status: "success" })
      assert.deepInclude((yield* trigger(server, bob, path)).json, gone)
      assert.strictEqual(yield* authorOf, "ann")

      yield* call(server, { path, init: init("PATCH") }, bob)
      yield* call(server, { path: `${path}/disable`, init: init("POST") }, bob)
      assert.strictEqual(yield* authorOf, "ann")
      yield* call(server, { path: `${path}/enable`, init: init("POST") }, bob)
      assert.strictEqual(yield* authorOf, "bob")
      assert.deepInclude((yield* trigger(server, yield* token("root", "platform:admin"), path)).json, gone)

      yield* call(server, { path, init: init("PATCH", { description: "Mine again" }) }, ann)
      assert.strictEqual(yield* authorOf, "ann")
      assert.deepInclude((yield* trigger(server, ann, path)).json, { status: "success" })
    }))

  it.effect("an admin gives a schedule to the service by its endpoint and payload, and else leaves its author", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const [ann, root] = [yield* token("ann", ...writing), yield* token("root", "platform:admin")]
      const { path } = yield* make(server, ann, "Report")
      const patched = (body: object) =>
        Effect.map(call(server, { path, init: init("PATCH", body) }, root), ({ json }) => at(json, "author"))
      assert.strictEqual(yield* patched({ cron_expr: "@daily" }), "ann")
      assert.strictEqual(yield* patched({ endpoint: "/agents/other/runs" }), "ann")
      yield* call(server, { path: `${path}/disable`, init: init("POST") }, root)
      yield* call(server, { path: `${path}/enable`, init: init("POST") }, root)
      assert.strictEqual(yield* patched({ payload: { message: "Mine" } }), "ann")
      assert.strictEqual(yield* patched({ endpoint: runs, payload: { message: "Mine" } }), null)
      assert.strictEqual(yield* actorOf(server, (yield* trigger(server, root, path)).json), "__scheduler__")
      // a caller who is isolated takes it over
      assert.strictEqual(yield* actorOf(server, (yield* trigger(server, ann, path)).json), "__scheduler__:ann")
    }))

  it.effect("a declared schedule acts as the service, also after an isolated caller has enabled it", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed({
        declared: {
          schedules: [{
            name: "Nightly",
            cron: "@yearly",
            component: { kind: "agent", id: "assistant" },
            payload: { message: "Go" }
          }]
        }
      })
      const [ann, root] = [yield* token("ann", ...writing), yield* token("root", "platform:admin")]
      const [declared] = list((yield* call(server, { path: "/schedules" }, root)).json, "data")
      const path = `/schedules/${String(at(declared, "id"))}`
      for (const end of ["disable", "enable"]) yield* call(server, { path: `${path}/${end}`, init: init("POST") }, ann)
      assert.strictEqual(yield* actorOf(server, (yield* trigger(server, root, path)).json), "__scheduler__")
      assert.strictEqual(yield* actorOf(server, (yield* trigger(server, ann, path)).json), "__scheduler__:ann")
    }))

  it.effect("the schedules of a revoked account are disabled, and stay so when its name is used again", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const root = yield* token("root", "platform:admin")
      const account = yield* mint(server, root, { name: "bot", scopes: writing })
      const { author, path } = yield* make(server, account.token, "Of the bot")
      const kept = yield* make(server, yield* token("ann", ...writing), "Of Ann")
      assert.strictEqual(author, "sa:bot")
      const run = (yield* trigger(server, account.token, path)).json
      assert.strictEqual(yield* actorOf(server, run), "__scheduler__:sa:bot")
      yield* call(server, { path: `/service-accounts/${account.id}`, init: { method: "DELETE" } }, root)
      const isDisabled = {
        enabled: false,
        paused_reason: "The service account 'bot' was revoked, or has expired"
      }
      assert.deepInclude((yield* call(server, { path }, root)).json, isDisabled)
      yield* call(server, { path: `${path}/enable`, init: init("POST") }, root)
      assert.deepInclude((yield* trigger(server, root, path)).json, {
        status: "failed",
        error: "It was made by the service account 'sa:bot', which was revoked or has expired"
      })
      yield* mint(server, root, { name: "bot", scopes: ["agents:run"] })
      assert.deepInclude((yield* call(server, { path }, root)).json, isDisabled)
      failed(yield* trigger(server, root, path), 409, "CONFLICT", /disabled/)
      assert.deepInclude((yield* call(server, { path: kept.path }, root)).json, { enabled: true })
    }))

  it.effect("a token without a user makes, changes, enables and triggers no schedule", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const [ann, unnamed] = [yield* token("ann", ...writing), yield* token(undefined, ...writing)]
      const { path } = yield* make(server, ann, "Report")
      const body = { name: "Of unnamed", cron_expr: "@yearly", endpoint: runs, payload: { message: "Go" } }
      for (
        const [method, to, sent] of [
          ["POST", "/schedules", body],
          ["PATCH", path, { description: "Unnamed" }],
          ["POST", `${path}/enable`, {}],
          ["POST", `${path}/trigger`, {}]
        ] as const
      ) {
        failed(yield* call(server, { path: to, init: init(method, sent) }, unnamed), 403, "FORBIDDEN", /names no user/)
      }
    }))

  it.effect("no token and no form gets the name of a schedule's caller", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const name = "__scheduler__:ann"
      failed(yield* call(server, { path: "/agents" }, yield* token(name, ...writing)), 401, "UNAUTHENTICATED", /./)
      const body = new URLSearchParams({ message: "Go", user_id: name, stream: "false" })
      const root = yield* token("root", "platform:admin")
      const claimed = yield* call(server, { path: runs, init: { method: "POST", body } }, root)
      failed(claimed, 403, "FORBIDDEN", /reserved/)
      const open = yield* serve({ agents: yield* agents })
      failed(yield* call(open, { path: runs, init: { method: "POST", body } }), 403, "FORBIDDEN", /reserved/)
    }))

  it.effect("without user isolation a schedule acts as the service", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed({ authorization: { ...yield* closed, userIsolation: false } })
      const ann = yield* token("ann", ...writing)
      const { author, path } = yield* make(server, ann, "Report")
      assert.strictEqual(author, null)
      assert.strictEqual(yield* actorOf(server, (yield* trigger(server, ann, path)).json), "__scheduler__")
    }))

  it.live("a schedule of a service account reaches nothing of users, also without user isolation", () =>
    Effect.gen(function*() {
      const { ask, bearerOf, triggered } = yield* listening({ userIsolation: false })
      const [ann, root] = [yield* bearerOf("ann", ...everything), yield* bearerOf("root", "platform:admin")]
      const payload = { message: "Go", session_id: "of-ann" }
      const run = String(at(yield* triggered(ann, "of Ann", { endpoint: runs, payload }), "run_id"))
      const account = yield* ask("/service-accounts", root, {
        name: "bot",
        scopes: writing,
        allow_privileged_scopes: true
      })
      const reading = { endpoint: `${runs}/${run}?session_id=of-ann`, method: "GET" }
      assert.deepInclude(yield* triggered(root, "of root", reading), { status: "success" })
      assert.deepInclude(yield* triggered(String(at(account, "token")), "of the bot", reading), gone)
    }))
})
