// Under whose name a run is executed, in which session and with what: a credential counts for more than a form.
import { assert, describe, it } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import type { Database } from "@svc-runtime/engine/database/Database"
import * as DatabaseHandle from "@svc-runtime/engine/DatabaseHandle"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import type { AuthorizationOptions } from "@svc-runtime/http/authorization/AuthorizationOptions"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { session, sessionId, userId } from "@svc-runtime/test-support/suites/Samples"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { at, failed, serve } from "../Wire.ts"
import { agents, call, claims, closed, everything, mint, theIssuer, token } from "./Closed.ts"

Tier.oneIn(2)

/** An agent that says what its run knows of itself. */
const observed = Effect.gen(function*() {
  const seen: Array<Record<string, unknown>> = []
  const look = Tool.make({
    name: "look",
    execute: (_: {}, { dependencies, sessionId, sessionState, userId }) => {
      seen.push({ dependencies, sessionId, sessionState: { ...sessionState }, userId })
      return "seen"
    }
  })
  const { model } = yield* Script.make(
    Array.from(
      { length: 20 },
      () => ({ prompt }: Script.Call) =>
        prompt.content.at(-1)?.role === "tool" ? [Script.text("Done.")] : [Script.toolCall("look", {})]
    )
  )
  return { seen, agents: [Agent.make({ id: "assistant", model, tools: [look] })] }
})

const serveObserved = Effect.fnUntraced(function*(options: AuthorizationOptions = {}) {
  const { agents, seen } = yield* observed
  const server = yield* serve({ agents, authorization: { ...(yield* closed), ...options } })
  return { server, seen }
})

const run = (server: TestServer.TestServer, fields: Readonly<Record<string, string>>, bearer?: string) =>
  call(
    server,
    {
      path: "/agents/assistant/runs",
      init: { method: "POST", body: new URLSearchParams({ message: "look", stream: "false", ...fields }) }
    },
    bearer
  )

const sign = (more: Readonly<Record<string, unknown>>) =>
  Effect.flatMap(theIssuer, (issuer) => issuer.sign({ ...claims("ann", everything), ...more }))

const warnings = (server: TestServer.TestServer) =>
  server.logs.filter(({ level }) => level === "WARN").map(({ message }) => message)

describe("the user of a run", () => {
  it.effect("the user of a run is the token's subject, and that of the form is overridden with a warning", () =>
    Effect.gen(function*() {
      const { seen, server } = yield* serveObserved()
      const bearer = yield* token("ann", ...everything)
      yield* run(server, { session_id: "a" }, bearer)
      yield* run(server, { session_id: "b", user_id: "ann" }, bearer)
      assert.deepStrictEqual(warnings(server), [])
      const answer = yield* run(server, { session_id: "c", user_id: "bob" }, bearer)
      assert.strictEqual(at(answer.json, "user_id"), "ann")
      assert.deepStrictEqual(warnings(server), [
        "The request and the token both set user_id; the value of the token is used"
      ])
      assert.deepStrictEqual(seen.map(({ userId }) => userId), ["ann", "ann", "ann"])
    }))

  it.effect("the user of a run is the service account", () =>
    Effect.gen(function*() {
      const { seen, server } = yield* serveObserved()
      const bot = yield* mint(server, yield* token("root", "platform:admin"), { name: "bot", scopes: everything })
      yield* run(server, { session_id: "a", user_id: "ann" }, bot.token)
      assert.strictEqual(seen[0]?.["userId"], "sa:bot")
      assert.strictEqual((yield* call(server, { path: "/sessions/a" }, bot.token)).status, 200)
    }))

  it.effect("the user of a run is the admin, too", () =>
    Effect.gen(function*() {
      const { seen, server } = yield* serveObserved()
      yield* run(server, { user_id: "ann" }, yield* token("root", "platform:admin"))
      assert.strictEqual(seen[0]?.["userId"], "root")
    }))

  it.effect("a run has no user for a token without a subject, whatever user the form names", () =>
    Effect.gen(function*() {
      const { seen, server } = yield* serveObserved()
      const answer = yield* run(server, { session_id: "a", user_id: "ann" }, yield* token(undefined, ...everything))
      assert.strictEqual(answer.status, 200)
      assert.isUndefined(seen[0]?.["userId"])
      const admin = yield* token("root", "platform:admin")
      assert.notStrictEqual(at((yield* call(server, { path: "/sessions/a" }, admin)).json, "user_id"), "ann")
    }))

  it.effect("the form names the user where the credential names none, but never a reserved one", () =>
    Effect.gen(function*() {
      const { agents, seen } = yield* observed
      const key = "the key of the service"
      const server = yield* serve({ agents, authorization: { securityKey: key } })
      yield* run(server, { user_id: "ann" }, key)
      assert.strictEqual(seen[0]?.["userId"], "ann")
      for (const user_id of ["sa:bot", "__oauth__:x", "__scheduler__"]) {
        const detail = "Client-supplied user_id may not claim a reserved principal"
        failed(yield* run(server, { user_id }, key), 403, "FORBIDDEN", detail)
        const init = {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ user_id })
        }
        failed(yield* call(server, { path: "/sessions", init }, key), 403, "FORBIDDEN", detail)
      }
      assert.strictEqual(seen.length, 1)
    }))
})

describe("the session of a run", () => {
  it.effect("the session of a run is that of the token when it has one, and that of the form is overridden", () =>
    Effect.gen(function*() {
      const { seen, server } = yield* serveObserved()
      const bearer = yield* sign({ session_id: "only" })
      for (const fields of [{}, { session_id: "only" }, { session_id: "other" }]) yield* run(server, fields, bearer)
      assert.deepStrictEqual(seen.map(({ sessionId }) => sessionId), ["only", "only", "only"])
      assert.deepStrictEqual(warnings(server), [
        "The request and the token both set session_id; the value of the token is used"
      ])
    }))

  it.effect("the session of the token can be in another claim", () =>
    Effect.gen(function*() {
      const { seen, server } = yield* serveObserved({ sessionIdClaim: "sid" })
      yield* run(server, {}, yield* sign({ sid: "only", session_id: "not this" }))
      assert.strictEqual(seen[0]?.["sessionId"], "only")
    }))
})

describe("claims that runs are to see", () => {
  it.effect("claims count for more than the fields of the form with their names, and the other fields stay", () =>
    Effect.gen(function*() {
      const { seen, server } = yield* serveObserved({ dependenciesClaims: ["tenant"], sessionStateClaims: ["plan"] })
      const bearer = yield* sign({ tenant: { id: 7 }, plan: "gold" })
      const fields = {
        dependencies: JSON.stringify({ tenant: "forged", units: "metric" }),
        session_state: JSON.stringify({ plan: "forged", color: "blue" })
      }
      yield* run(server, fields, bearer)
      yield* run(server, {}, bearer)
      assert.deepStrictEqual<unknown>(seen[0], {
        ...seen[0],
        dependencies: { tenant: { id: 7 }, units: "metric" },
        sessionState: { plan: "gold", color: "blue" }
      })
      assert.deepStrictEqual(seen[1]?.["dependencies"], { tenant: { id: 7 } })
    }))

  it.effect("a key that gives copies another prototype does not reach a run, by whatever way it is sent", () =>
    Effect.gen(function*() {
      const { seen, server } = yield* serveObserved({ dependenciesClaims: ["tenant"], sessionStateClaims: ["plan"] })
      const bearer = yield* sign({})
      const forged = "{\"__proto__\":{\"tenant\":\"evil\",\"plan\":\"evil\"}}"
      const whole = (path: string, body: string, method = "POST") =>
        call(server, { path, init: { method, headers: { "content-type": "application/json" }, body } }, bearer)
      const messages =
        "\"threadId\":\"t\",\"runId\":\"r\",\"messages\":[{\"id\":\"m\",\"role\":\"user\",\"content\":\"look\"}]"
      const refused = [
        ...["dependencies", "session_state", "metadata"].map((name) =>
          whole("/agents/assistant/runs", `{"message":"look","stream":false,"${name}":${forged}}`)
        ),
        whole("/agents/assistant/agui", `{${messages},"tools":[],"context":[],"state":${forged},"forwardedProps":{}}`),
        whole("/sessions", `{"session_state":${forged}}`),
        whole("/sessions", `{"metadata":${forged}}`),
        ...["dependencies", "session_state", "metadata"].map((name) => run(server, { [name]: forged }, bearer))
      ]
      for (const request of refused) {
        failed(yield* request, 422, "VALIDATION_ERROR", /should have no key '__proto__'/)
      }
      assert.deepStrictEqual(seen, [])
    }))

  const reserved = { dependenciesClaims: ["tenant", "role"], sessionStateClaims: ["plan", "level"] }
  const forged = {
    dependencies: JSON.stringify({ tenant: "forged", role: "admin", units: "metric" }),
    session_state: JSON.stringify({ plan: "forged", level: 9, color: "blue" })
  }

  it.effect("fields with the names of claims never come from a form, whatever the token has", () =>
    Effect.gen(function*() {
      const { seen, server } = yield* serveObserved(reserved)
      yield* run(server, forged, yield* sign({ role: null }))
      assert.deepStrictEqual<unknown>(seen[0], {
        ...seen[0],
        dependencies: { role: null, units: "metric" },
        sessionState: { color: "blue" }
      })
      assert.deepStrictEqual(warnings(server), [
        "The request sets dependencies that only claims of a token set; they are left out: tenant, role",
        "The request sets session_state that only claims of a token set; they are left out: plan, level"
      ])
    }))

  it.effect("a run that continues an ended one has the claims of the token, and no forged ones", () =>
    Effect.gen(function*() {
      const { seen, server } = yield* serveObserved(reserved)
      const bearer = yield* sign({ role: "user" })
      const { json } = yield* run(server, { session_id: "s" }, bearer)
      const body = new URLSearchParams({ session_id: "s", stream: "false", input: "And?", ...forged })
      const path = `/agents/assistant/runs/${String(at(json, "run_id"))}/continue`
      const forked = yield* call(server, { path, init: { method: "POST", body } }, bearer)
      assert.strictEqual(forked.status, 200)
      assert.deepStrictEqual(seen[1]?.["dependencies"], { role: "user", units: "metric" })
    }))

  it.effect("a session is neither created nor changed with fields of claims", () =>
    Effect.gen(function*() {
      const { server } = yield* serveObserved(reserved)
      const bearer = yield* sign({ scopes: ["agents:run", "sessions:write", "sessions:read"], plan: "free" })
      const headers = { "content-type": "application/json" }
      const state = JSON.parse(forged.session_state)
      const send = (method: string, path: string, content: object) =>
        call(server, { path, init: { method, headers, body: JSON.stringify(content) } }, bearer)
      const created = yield* send("POST", "/sessions", { session_id: "s", agent_id: "assistant", session_state: state })
      assert.deepStrictEqual(at(created.json, "session_state"), { color: "blue" })
      yield* run(server, { session_id: "s" }, bearer)
      const changed = yield* send("PATCH", "/sessions/s", { session_state: state })
      assert.deepStrictEqual(at(changed.json, "session_state"), { color: "blue", plan: "free" })
    }))

  it.effect.each([
    { what: "a newer claim", before: { plan: "free" }, after: { plan: "gold", color: "red" } },
    { what: "the session itself", before: undefined, after: {} }
  ])(
    "a change of a session leaves claimed fields as they are if $what is stored meanwhile",
    ({ after, before }) =>
      Effect.gen(function*() {
        const { agents } = yield* observed
        const id = sessionId("s")
        const meanwhile = ({ create, update }: Database["sessions"]): Effect.Effect<void> =>
          before === undefined
            ? Effect.orDie(create(session({ session_id: id, agent_id: "assistant", user_id: userId("ann") })))
            : Effect.orDie(Effect.asVoid(update(id, Owner.anyone, { session_state: after, updated_at: 2 })))
        const database = ({ sessions, ...rest }: Database): Database => ({
          ...rest,
          sessions: {
            ...sessions,
            find: (...given) => Effect.tap(sessions.find(...given), () => meanwhile(sessions))
          }
        })
        const authorization = { ...(yield* closed), ...reserved }
        const server = yield* serve({ agents, authorization, database })
        if (before !== undefined) yield* run(server, { session_id: "s" }, yield* sign(before))
        const init = {
          method: "PATCH",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ session_state: { plan: "forged", color: "blue" } })
        }
        const answer = yield* call(server, { path: "/sessions/s", init }, yield* token("ann", ...everything))
        const { color: _, ...claimed } = { color: "red", ...after }
        assert.deepStrictEqual(at(answer.json, "session_state"), { color: "blue", ...claimed })
      })
  )

  it.effect("only the named claims are passed to runs", () =>
    Effect.gen(function*() {
      const { seen, server } = yield* serveObserved()
      yield* run(server, {}, yield* sign({ tenant: 7 }))
      assert.deepStrictEqual(seen[0]?.["dependencies"], {})
    }))
})

describe("what the service says of the caller", () => {
  const callerOf = (server: TestServer.TestServer, bearer?: string) =>
    Effect.map(call(server, { path: "/caller" }, bearer), ({ json }) => json)

  it.effect("a token has its user and its valid scopes in their shortest form", () =>
    Effect.gen(function*() {
      const { server } = yield* serveObserved()
      const bearer = yield* token("ann", "agents:*:run", "agents:shop:read", "system:read", "nonsense")
      assert.deepStrictEqual(yield* callerOf(server, bearer), {
        user_id: "ann",
        scopes: ["agents:run", "agents:shop:read", "config:read"],
        is_isolated: true,
        databases: ["main-db"]
      })
    }))

  it.effect("a caller may choose among the databases of its components, and among all with a scope of all data", () =>
    Effect.gen(function*() {
      const [near, far] = yield* agents
      const db = DatabaseHandle.embedded({ id: "far-db", dataDir: "memory" })
      const server = yield* serve({
        agents: [Agent.make({ id: "near", model: near!.model }), Agent.make({ id: "far", model: far!.model, db })],
        databases: ["main-db", "far-db"],
        authorization: yield* closed
      })
      const databases = (...scopes: ReadonlyArray<string>) =>
        Effect.flatMap(
          token("ann", ...scopes),
          (bearer) => Effect.map(callerOf(server, bearer), (json) => at(json, "databases"))
        )
      for (const scope of ["agents:far:run", "agents:far:read", "agents:run", "sessions:read", "platform:admin"]) {
        assert.deepStrictEqual(yield* databases(scope), ["main-db", "far-db"], scope)
      }
      for (const scopes of [["agents:near:run"], ["teams:run"], []]) {
        assert.deepStrictEqual(yield* databases(...scopes), ["main-db"], scopes.join())
      }
    }))

  it.effect("an admin and a caller of an open service are not limited by scopes", () =>
    Effect.gen(function*() {
      const { server } = yield* serveObserved()
      const admin = { user_id: "root", scopes: null, is_isolated: false, databases: ["main-db"] }
      assert.deepStrictEqual(yield* callerOf(server, yield* token("root", "platform:admin")), admin)
      const open = yield* serve({})
      assert.deepStrictEqual(yield* callerOf(open), {
        user_id: null,
        scopes: null,
        is_isolated: false,
        databases: ["main-db"]
      })
    }))
})
