// What a factory gets of its caller: what the service has verified counts for more than what a form says, and
// nothing that a form says is ever trusted.
import { assert, describe, it } from "@effect/vitest"
import * as AgentFactory from "@svc-runtime/agents/agent/define/AgentFactory"
import type { FactoryContext } from "@svc-runtime/agents/factory/FactoryContext"
import { FactoryPermissionError } from "@svc-runtime/agents/factory/FactoryErrors"
import * as Agent from "@svc-runtime/features/Agent"
import type { AuthorizationOptions } from "@svc-runtime/http/authorization/AuthorizationOptions"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { at, column, failed, type Fields, frames, notFound, serve, uuid } from "../Wire.ts"
import { call, claims, closed, everything, mint, theIssuer, token } from "./Closed.ts"

/** A factory that keeps what it gets, and refuses callers of another plan when `plan` is requested. */
const watching = Effect.fnUntraced(function*(authorization?: AuthorizationOptions) {
  const seen: Array<FactoryContext<unknown>> = []
  const { model } = yield* Script.make(Array.from({ length: 20 }, () => [Script.text("Hello.")]))
  const factory = AgentFactory.make({
    id: "made",
    build: (context) => {
      seen.push(context)
      const { input, trusted } = context
      if (input?.["plan"] !== undefined && trusted.claims["plan"] !== input["plan"]) {
        throw new FactoryPermissionError({ message: "This is not your plan" })
      }
      return Agent.make({ id: "made", model })
    }
  })
  const server = yield* serve({ agents: [factory, Agent.make({ id: "other", model })], authorization })
  return { seen, server }
})

const serveClosed = Effect.flatMap(closed, watching)

const run = (server: TestServer.TestServer, fields: Fields = {}, bearer?: string) =>
  call(server, {
    path: "/agents/made/runs",
    init: { method: "POST", body: new URLSearchParams({ message: "x", stream: "false", ...fields }) }
  }, bearer)

const sign = (more: Readonly<Record<string, unknown>>) =>
  Effect.flatMap(theIssuer, (issuer) => issuer.sign({ ...claims("ann", ["agents:run"]), ...more }))

const warnings = (server: TestServer.TestServer) =>
  server.logs.filter(({ level }) => level === "WARN").map(({ message }) => message)

describe("a factory on an open service", () => {
  it.effect("a factory gets the fields of the form, and null where they are missing", () =>
    Effect.gen(function*() {
      const { seen, server } = yield* watching()
      yield* run(server)
      yield* run(server, { user_id: "ann", session_id: "s" })
      yield* run(server, { user_id: "", session_id: "" })
      assert.deepStrictEqual(
        seen.map(({ sessionId, userId }) => [userId, sessionId]),
        [[null, null], ["ann", "s"], [null, null]]
      )
    }))

  it.effect("a factory gets no trusted fields", () =>
    Effect.gen(function*() {
      const { seen, server } = yield* watching()
      const fields = { claims: `{"plan":"gold"}`, scopes: "platform:admin", trusted: `{"claims":{"plan":"gold"}}` }
      yield* run(server, { ...fields, user_id: "ann" })
      assert.deepStrictEqual(seen[0]?.trusted, { claims: {}, scopes: new Set<string>() })
      failed(
        yield* run(server, { ...fields, factory_input: `{"plan":"gold"}` }),
        403,
        "FORBIDDEN",
        "This is not your plan"
      )
    }))

  it.effect("a factory gets the requested session, and not a generated one", () =>
    Effect.gen(function*() {
      const { seen, server } = yield* watching()
      const answer = yield* run(server)
      assert.match(String(at(answer.json, "session_id")), uuid)
      assert.isNull(seen[0]?.sessionId)
    }))

  it.effect("a factory gets its own id, and the request as it came in", () =>
    Effect.gen(function*() {
      const { seen, server } = yield* watching()
      const init = { method: "POST", headers: { "x-tenant": "acme" }, body: new URLSearchParams({ message: "x" }) }
      yield* call(server, { path: "/agents/made/runs?from=test", init })
      const [context] = seen
      assert.strictEqual(context?.id, "made")
      assert.deepStrictEqual(
        [context?.request?.method, context?.request?.url, context?.request?.headers["x-tenant"]],
        ["POST", "/agents/made/runs?from=test", "acme"]
      )
    }))
})

describe("a factory on a closed service", () => {
  it.effect("a factory gets the token's user, with a warning where the form names another one", () =>
    Effect.gen(function*() {
      const { seen, server } = yield* serveClosed
      const bearer = yield* token("ann", ...everything)
      yield* run(server, {}, bearer)
      yield* run(server, { user_id: "ann" }, bearer)
      assert.deepStrictEqual(warnings(server), [])
      yield* run(server, { user_id: "bob" }, bearer)
      assert.deepStrictEqual(warnings(server), [
        "The request and the token both set user_id; the value of the token is used"
      ])
      assert.deepStrictEqual(seen.map(({ userId }) => String(userId)), ["ann", "ann", "ann"])
    }))

  it.effect("a factory gets the token's session, with a warning where the form names another one", () =>
    Effect.gen(function*() {
      const { seen, server } = yield* serveClosed
      const bearer = yield* sign({ session_id: "of-the-token" })
      yield* run(server, {}, bearer)
      yield* run(server, { session_id: "of-the-form" }, bearer)
      assert.deepStrictEqual(seen.map(({ sessionId }) => sessionId), ["of-the-token", "of-the-token"])
      assert.deepStrictEqual(warnings(server), [
        "The request and the token both set session_id; the value of the token is used"
      ])
    }))

  it.effect("a factory gets all claims of the token, and its scopes", () =>
    Effect.gen(function*() {
      const { seen, server } = yield* serveClosed
      const bearer = yield* sign({ plan: "gold", scopes: ["agents:made:run", "reports:read"] })
      yield* run(server, {}, bearer)
      assert.deepInclude(seen[0]?.trusted.claims, { sub: "ann", plan: "gold" })
      assert.deepStrictEqual(seen[0]?.trusted.scopes, new Set(["agents:made:run", "reports:read"]))
    }))

  it.effect("a factory gets what it needs to refuse a caller, streamed or not", () =>
    Effect.gen(function*() {
      const { server } = yield* serveClosed
      const plan = { factory_input: `{"plan":"gold"}` }
      const [gold, silver] = [yield* sign({ plan: "gold" }), yield* sign({ plan: "silver" })]
      for (const stream of ["true", "false"]) {
        failed(yield* run(server, { ...plan, stream }, silver), 403, "FORBIDDEN", "This is not your plan")
      }
      assert.strictEqual((yield* run(server, plan, gold)).status, 200)
      frames((yield* run(server, { ...plan, stream: "true" }, gold)).text)
    }))

  it.effect("a factory gets the scopes of a service account, which has no claims", () =>
    Effect.gen(function*() {
      const { seen, server } = yield* serveClosed
      const bot = yield* mint(server, yield* token("root", "platform:admin"), { name: "bot", scopes: ["agents:run"] })
      yield* run(server, { user_id: "ann" }, bot.token)
      assert.strictEqual(seen[0]?.userId, "sa:bot")
      assert.deepStrictEqual(seen[0]?.trusted, { claims: {}, scopes: new Set(["agents:run"]) })
    }))
})

describe("a factory is never asked", () => {
  it.effect("a factory is never called by callers who may not run it", () =>
    Effect.gen(function*() {
      const { seen, server } = yield* serveClosed
      failed(yield* run(server), 401, "UNAUTHENTICATED")
      failed(yield* run(server, {}, yield* token("ann", "agents:read")), 403, "FORBIDDEN")
      failed(yield* run(server, {}, yield* token("ann", "agents:other:run")), 403, "FORBIDDEN")
      assert.strictEqual(seen.length, 0)
      assert.strictEqual((yield* run(server, {}, yield* token("ann", "agents:made:run"))).status, 200)
      assert.strictEqual(seen.length, 1)
    }))

  it.effect("a form cannot call a factory in the name of another user", () =>
    Effect.gen(function*() {
      const { seen, server } = yield* watching()
      failed(yield* run(server, { user_id: "sa:bot" }), 403, "FORBIDDEN")
      assert.strictEqual(seen.length, 0)
    }))

  it.effect("a factory is not called to be listed, and only callers with its scope see it", () =>
    Effect.gen(function*() {
      const { seen, server } = yield* serveClosed
      const listed = (...scopes: ReadonlyArray<string>) =>
        Effect.flatMap(token("ann", ...scopes), (bearer) => call(server, { path: "/agents" }, bearer))
      assert.deepStrictEqual(column((yield* listed("agents:read")).json, "id"), ["made", "other"])
      assert.deepStrictEqual(column((yield* listed("agents:made:read")).json, "id"), ["made"])
      assert.deepStrictEqual(column((yield* listed("agents:other:read")).json, "id"), ["other"])
      assert.strictEqual(seen.length, 0)
    }))

  it.effect("a factory is not called about runs of other users: those of Ann are not found by Bob", () =>
    Effect.gen(function*() {
      const { seen, server } = yield* serveClosed
      const [ann, bob] = [yield* token("ann", ...everything), yield* token("bob", ...everything)]
      yield* run(server, { session_id: "s", run_id: "r" }, ann)
      const path = "/agents/made/runs/r?session_id=s"
      assert.strictEqual((yield* call(server, { path }, ann)).status, 200)
      notFound(yield* call(server, { path }, bob), "Run not found: 'r'. ")
      failed(yield* run(server, { session_id: "s" }, bob), 404, "NOT_FOUND")
      assert.deepStrictEqual(seen.map(({ userId }) => String(userId)), ["ann", "bob"])
    }))
})
