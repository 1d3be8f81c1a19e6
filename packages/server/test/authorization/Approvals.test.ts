// Whose approvals a caller sees, and who decides them.
import { assert, describe, it } from "@effect/vitest"
import * as Approval from "@svc-runtime/domain/Approval"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { approval } from "@svc-runtime/test-support/suites/approvals/Approvals"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Schema } from "effect"
import { at, column, failed, list, notFound, serve } from "../Wire.ts"
import { used } from "../wire/Fixtures.ts"
import { storeWith } from "../wire/StoredApprovalRows.ts"
import { call, closed, everything, mint, serveClosed, token } from "./Closed.ts"

Tier.oneIn(2)

const owners = ["ann", "bob", "sa:bot", null] as const
const idOf = (owner: string | null) => Approval.Id.make(`of ${owner}`)

/** One of each user, and one without a user. */
const served = Effect.fnUntraced(function*(options: TestServer.Options = {}) {
  const { layer, store } = yield* storeWith(
    ...owners.map((owner) => approval({ id: idOf(owner), user_id: owner === null ? null : Ids.UserId.make(owner) }))
  )
  return { server: yield* serveClosed({ approvals: layer, ...options }), store }
})

const pathOf = (owner: string | null) => `/approvals/${encodeURIComponent(idOf(owner))}`

const body = { status: "approved", resolved_by: "another user" }
const decision = {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body)
}

const resolve = (server: TestServer.TestServer, owner: string | null, bearer: string) =>
  call(server, { path: `${pathOf(owner)}/resolve`, init: decision }, bearer)

const remove = (server: TestServer.TestServer, owner: string | null, bearer: string) =>
  call(server, { path: pathOf(owner), init: { method: "DELETE" } }, bearer)

interface Caller {
  readonly who: string
  /** Whose approvals are its own. */
  readonly owns: string | undefined
  readonly bearer: (server: TestServer.TestServer) => Effect.Effect<string>
}

const kept: ReadonlyArray<Caller> = [
  { who: "a user", owns: "ann", bearer: () => token("ann", ...everything) },
  { who: "a user who has none", owns: undefined, bearer: () => token("eve", ...everything) },
  { who: "a token without a subject", owns: undefined, bearer: () => token(undefined, ...everything) },
  {
    who: "a service account",
    owns: "sa:bot",
    bearer: Effect.fnUntraced(function*(server) {
      return (yield* mint(server, yield* token("root", "platform:admin"), { name: "bot", scopes: everything })).token
    })
  }
]

describe.each(kept)("$who, who is isolated", ({ bearer, owns }) => {
  it.effect("an isolated caller lists and counts their own approvals, whatever user the request names", () =>
    Effect.gen(function*() {
      const { server } = yield* served()
      const caller = yield* bearer(server)
      const own = owns === undefined ? [] : [idOf(owns)]
      for (const query of ["", "?user_id=bob", "?user_id=", "?status=pending"]) {
        const { json } = yield* call(server, { path: `/approvals${query}` }, caller)
        assert.deepStrictEqual(column(list(json, "data"), "id"), own, query)
        assert.strictEqual(at(json, "meta", "total_count"), own.length, query)
      }
      for (const query of ["", "?user_id=bob"]) {
        const { text } = yield* call(server, { path: `/approvals/count${query}` }, caller)
        assert.strictEqual(text, `{"count":${own.length}}`, query)
      }
    }))

  it.effect("an isolated caller reads their own approvals, and those of others are not found", () =>
    Effect.gen(function*() {
      const { server } = yield* served()
      const caller = yield* bearer(server)
      for (const owner of owners) {
        for (const path of [pathOf(owner), `${pathOf(owner)}/status`]) {
          const found = yield* call(server, { path }, caller)
          if (owner === owns) assert.strictEqual(found.status, 200, path)
          else notFound(found, "Approval not found")
        }
      }
    }))

  it.effect("an isolated caller resolves and removes no approval, not even their own, and not with the scope for it", () =>
    Effect.gen(function*() {
      const { server, store } = yield* served()
      const caller = yield* bearer(server)
      const before = yield* store.list({ owner: { _tag: "Anyone" } }, { page: 1, limit: 10 }, 0)
      for (const owner of owners) {
        notFound(yield* resolve(server, owner, caller), "Approval not found")
        notFound(yield* remove(server, owner, caller), "Approval not found")
      }
      assert.deepStrictEqual(yield* store.list({ owner: { _tag: "Anyone" } }, { page: 1, limit: 10 }, 0), before)
    }))
})

const free: ReadonlyArray<{
  readonly who: string
  /** In whose name it decides, whatever it says. */
  readonly name: string
  readonly options: Effect.Effect<TestServer.Options>
  readonly bearer: Caller["bearer"]
}> = [
  {
    who: "an admin",
    name: "root",
    options: Effect.succeed({}),
    bearer: () => token("root", "platform:admin")
  },
  {
    who: "an account with the admin scope",
    name: "sa:ops",
    options: Effect.succeed({}),
    bearer: Effect.fnUntraced(function*(server) {
      const admin = yield* token("root", "platform:admin")
      return (yield* mint(server, admin, { name: "ops", scopes: ["platform:admin"] })).token
    })
  },
  {
    who: "a user, when isolation is off",
    name: "eve",
    options: Effect.map(closed, (authorization) => ({ authorization: { ...authorization, userIsolation: false } })),
    bearer: () => token("eve", ...everything)
  },
  {
    who: "a token without a subject, when isolation is off",
    name: body.resolved_by,
    options: Effect.map(closed, (authorization) => ({ authorization: { ...authorization, userIsolation: false } })),
    bearer: () => token(undefined, ...everything)
  },
  {
    who: "the security key",
    name: body.resolved_by,
    options: Effect.succeed({ authorization: { securityKey: "the key of the service" } }),
    bearer: () => Effect.succeed("the key of the service")
  }
]

describe.each(free)("$who", ({ bearer, name, options }) => {
  it.effect("the caller sees the approvals of every user, or of the user of the request", () =>
    Effect.gen(function*() {
      const { server } = yield* served(yield* options)
      const caller = yield* bearer(server)
      const all = yield* call(server, { path: "/approvals" }, caller)
      assert.strictEqual(at(all.json, "meta", "total_count"), owners.length)
      const bobs = yield* call(server, { path: "/approvals?user_id=bob" }, caller)
      assert.deepStrictEqual(column(list(bobs.json, "data"), "id"), [idOf("bob")])
      assert.strictEqual((yield* call(server, { path: "/approvals/count?user_id=bob" }, caller)).text, "{\"count\":1}")
    }))

  it.effect(`every approval can be resolved, as ${name}`, () =>
    Effect.gen(function*() {
      const { server } = yield* served(yield* options)
      const caller = yield* bearer(server)
      for (const owner of owners) {
        const answer = yield* resolve(server, owner, caller)
        assert.strictEqual(answer.status, 200, answer.text)
        assert.strictEqual(at(answer.json, "resolved_by"), name)
        failed(yield* resolve(server, owner, caller), 409, "CONFLICT")
        assert.strictEqual((yield* remove(server, owner, caller)).status, 204)
      }
    }))
})

describe("the log", () => {
  it.effect("the log has each resolution and removal with its caller, and no refused ones", () =>
    Effect.gen(function*() {
      const { server } = yield* served()
      const admin = yield* token("root", "platform:admin")
      yield* resolve(server, "ann", yield* token("ann", ...everything))
      yield* resolve(server, "ann", admin)
      yield* resolve(server, "ann", admin)
      yield* remove(server, "ann", admin)
      yield* remove(server, "ann", admin)
      const lines = server.logs.filter(({ message }) => message.startsWith("An approval"))
      const actor = { approval_id: idOf("ann"), actor: "root", credential: "jwt" }
      assert.deepStrictEqual<unknown>(lines.map(({ annotations, message }) => [message, annotations]), [
        ["An approval was resolved as approved", actor],
        ["An approval was deleted", actor]
      ])
    }))
})

describe("an open service", () => {
  it.effect("an open service resolves in the name that the request gives", () =>
    Effect.gen(function*() {
      const { layer } = yield* storeWith(approval({ id: idOf("ann") }))
      const server = yield* serve({ approvals: layer })
      const answer = yield* call(server, { path: `${pathOf("ann")}/resolve`, init: decision })
      assert.strictEqual(at(answer.json, "resolved_by"), body.resolved_by)
    }))
})

describe("a mapping of the route that resolves approvals", () => {
  it.effect("a request that continues a run decides its approvals with the mapped scopes only", () =>
    Effect.gen(function*() {
      const publish = Tool.make({
        name: "publish",
        parameters: Schema.Struct({}),
        approval: "required",
        execute: () => "published"
      })
      const { model } = yield* Script.make([[Script.toolCall("publish", {}, "call"), used], [
        Script.text("Done."),
        used
      ]])
      const server = yield* serve({
        agents: [Agent.make({ id: "press", model, tools: [publish] })],
        authorization: {
          ...(yield* closed),
          userIsolation: false,
          scopeMappings: { "POST /approvals/*/resolve": ["approvals:write", "boss:resolve"] }
        }
      })
      const post = (path: string, fields: Readonly<Record<string, string>>, ...scopes: ReadonlyArray<string>) =>
        Effect.flatMap(token("ann", ...everything, ...scopes), (bearer) => {
          const body = new URLSearchParams({ stream: "false", session_id: "s", ...fields })
          return call(server, { path, init: { method: "POST", body } }, bearer)
        })
      const paused = yield* post("/agents/press/runs", { message: "go", run_id: "r" })
      const requirements = list(paused.json, "requirements").map((each) => ({ ...each as object, confirmation: true }))
      const decided = { requirements: JSON.stringify(requirements) }
      const refused = yield* post("/agents/press/runs/r/continue", decided)
      failed(refused, 403, "FORBIDDEN", "This run requires admin approval before it can be continued")
      const done = yield* post("/agents/press/runs/r/continue", decided, "boss:resolve")
      assert.strictEqual(at(done.json, "status"), "COMPLETED", done.text)
    }))
})
