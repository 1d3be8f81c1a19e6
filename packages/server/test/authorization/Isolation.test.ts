// Every route that touches data of an owner × two users: the data of another user
// looks exactly like what is not there, never with a hint, and stays as it is.
import { assert, describe, it, layer } from "@effect/vitest"
import { isolation, json } from "@svc-runtime/test-support/endpoints/Checked"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Context, Effect, Layer } from "effect"
import { type Answer, at, column, failed, list } from "../Wire.ts"
import {
  call,
  claims,
  closed,
  everything,
  mint,
  seed,
  seedLearning,
  seedMemory,
  serveClosed,
  theIssuer,
  token
} from "./Closed.ts"
import { endpoints, isServed, type Subject } from "./Endpoints.ts"

Tier.oneIn(3)

const owned = endpoints.filter(({ isOwned }) => isOwned)
const aboutAnn = endpoints.filter(({ isAboutUser }) => isAboutUser)

it("each route that names this test is about data of an owner, or about a user", () => {
  const named = endpoints.filter(({ owners }) => owners === isolation)
  assert.deepStrictEqual(
    named.filter(({ isAboutUser, isOwned }) => !isOwned && !isAboutUser).map(({ route }) => route),
    []
  )
})

const placeholders: Subject = {
  agent: "<agent>",
  session: "<session>",
  run: "<run>",
  account: "<account>",
  approval: "<approval>",
  memory: "<memory>",
  learning: "<learning>"
}

/** Responses compare but for the ids that were asked for. */
const withoutIds = (answer: Answer, { learning, memory, run, session }: Subject) => ({
  status: answer.status,
  text: answer.text.replaceAll(memory, "<id>").replaceAll(learning, "<id>").replaceAll(run, "<id>")
    .replaceAll(session, "<id>")
})

/** All that can be seen of Ann's session. */
const belongings = Effect.fnUntraced(function*(server: TestServer.TestServer) {
  const ann = yield* token("ann", ...everything)
  const texts = yield* Effect.forEach(
    [
      "/sessions",
      "/sessions/anns",
      "/sessions/anns/runs",
      "/agents/assistant/runs?session_id=anns",
      "/teams/desk/runs?session_id=anns-team"
    ],
    (path) => Effect.map(call(server, { path }, ann), ({ status, text }) => `${status} ${text}`)
  )
  assert.isTrue(texts.every((text) => text.startsWith("200") && text.includes("hello")), texts.join("\n"))
  return texts
})

/** What is known about Ann. */
const known = Effect.fnUntraced(function*(server: TestServer.TestServer) {
  const ann = yield* token("ann", ...everything)
  const paths = ["/memories", "/learnings", "/users/ann/memory-settings"]
  const texts = yield* Effect.forEach(paths, (path) => Effect.map(call(server, { path }, ann), ({ text }) => text))
  for (const part of ["green tea", "Ann of the Glade", "true"]) assert.include(texts.join("\n"), part)
  return texts
})

const seedKnown = Effect.fnUntraced(function*(server: TestServer.TestServer) {
  const admin = yield* token("root", "platform:admin")
  assert.strictEqual((yield* seedMemory(server, admin)).status, 200)
  assert.strictEqual((yield* seedLearning(server, admin)).status, 201)
})

interface Stranger {
  readonly who: string
  readonly bearer: (server: TestServer.TestServer) => Effect.Effect<string>
}

const strangers: ReadonlyArray<Stranger> = [
  { who: "another user", bearer: () => token("bob", ...everything) },
  { who: "a token without a subject", bearer: () => token(undefined, ...everything) },
  { who: "a token with an empty subject", bearer: () => token("", ...everything) },
  {
    who: "a service account",
    bearer: Effect.fnUntraced(function*(server) {
      const admin = yield* token("root", "platform:admin")
      return (yield* mint(server, admin, { name: "bot", scopes: everything })).token
    })
  }
]

/** A service that no test of it changes. */
class Untouched extends Context.Service<Untouched, {
  readonly server: TestServer.TestServer
  readonly anns: Subject
  readonly stranger: string
  readonly belongings: ReadonlyArray<string>
  readonly known: ReadonlyArray<string>
}>()("@svc-runtime/server/test/Untouched") {
  static readonly layer = (bearer: Stranger["bearer"]) =>
    Layer.effect(
      Untouched,
      Effect.gen(function*() {
        const server = yield* serveClosed()
        const anns = yield* seed(server, yield* token("ann", "agents:run", "teams:run", "workflows:run"))
        yield* seedKnown(server)
        return Untouched.of({
          server,
          anns,
          stranger: yield* bearer(server),
          belongings: yield* belongings(server),
          known: yield* known(server)
        })
      })
    )
}

describe.each(strangers)("$who", ({ bearer }) => {
  /** Lists, and what makes something new, are about no session that exists. */
  const about = owned.filter(({ route }) =>
    ![
      "GET /sessions",
      "POST /sessions",
      "GET /memories",
      "POST /memories",
      "POST /agents/:agent_id/runs",
      "POST /teams/:team_id/runs",
      "POST /workflows/:workflow_id/runs"
    ].includes(route)
  )

  layer(Untouched.layer(bearer))((it) => {
    it.effect.each(about)("$route does not find Ann's data, and changes nothing", (endpoint) =>
      Effect.gen(function*() {
        const { anns, server, stranger, ...before } = yield* Untouched
        const absent: Subject = { ...anns, session: "nowhere", run: "never", memory: "unknown", learning: "unknown" }
        const found = yield* call(server, endpoint.request(anns), stranger)
        const missing = yield* call(server, endpoint.request(absent), stranger)
        assert.deepStrictEqual(withoutIds(found, anns), withoutIds(missing, absent))
        assert.oneOf(found.status, [404, 204])
        assert.deepStrictEqual({ belongings: yield* belongings(server), known: yield* known(server) }, before)
      }))

    it.effect.each(aboutAnn)(
      "$route tells nothing of what is known about Ann, and changes nothing",
      ({ request }) =>
        Effect.gen(function*() {
          const { anns, server, stranger, ...before } = yield* Untouched
          const { status, text } = yield* call(server, request(anns), stranger)
          assert.oneOf(status, [200, 204, 400, 403, 404])
          for (const part of ["green tea", "drinks", "Glade", "\"ann\""]) assert.notInclude(text, part)
          assert.deepStrictEqual(yield* known(server), before.known)
        })
    )
  })

  it.effect("a stranger lists nothing of Ann's, whatever user the request names", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      yield* seed(server, yield* token("ann", "agents:run"))
      const stranger = yield* bearer(server)
      for (const query of ["", "?user_id=ann", "?user_id=", "?component_id=assistant"]) {
        const answer = yield* call(server, { path: `/sessions${query}` }, stranger)
        assert.deepStrictEqual(list(answer.json, "data"), [], query)
        assert.strictEqual(at(answer.json, "meta", "total_count"), 0, query)
      }
    }))

  it.effect("a stranger cannot run in Ann's session: it is not found, and nothing runs", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      yield* seed(server, yield* token("ann", "agents:run", "teams:run"))
      const before = yield* belongings(server)
      const stranger = yield* bearer(server)
      for (const stream of ["false", "true"]) {
        const body = new URLSearchParams({ message: "what was asked?", stream, session_id: "anns", user_id: "ann" })
        const answer = yield* call(server, { path: "/agents/assistant/runs", init: { method: "POST", body } }, stranger)
        assert.strictEqual(answer.status, 404)
        assert.deepStrictEqual(answer.json, { detail: "Session with id 'anns' not found", error_code: "NOT_FOUND" })
      }
      assert.deepStrictEqual(yield* belongings(server), before)
    }))

  it.effect("a stranger cannot run in a session without an owner, nor see it", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const anonymous = yield* token(undefined, "agents:run")
      yield* seed(server, anonymous, "unowned")
      const stranger = yield* bearer(server)
      assert.strictEqual((yield* call(server, { path: "/sessions/unowneds" }, stranger)).status, 404)
      const body = new URLSearchParams({ message: "what was asked?", stream: "false", session_id: "unowneds" })
      const answer = yield* call(server, { path: "/agents/assistant/runs", init: { method: "POST", body } }, stranger)
      assert.strictEqual(answer.status, 404)
    }))

  it.effect("a stranger owns what they create, whatever user the request names", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const stranger = yield* bearer(server)
      const init = {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ session_id: "made", user_id: "ann" })
      }
      const made = yield* call(server, { path: "/sessions", init }, stranger)
      assert.strictEqual(made.status, 201)
      assert.notStrictEqual(at(made.json, "user_id"), "ann")
      const ann = yield* token("ann", ...everything)
      assert.strictEqual((yield* call(server, { path: "/sessions/made" }, ann)).status, 404)
    }))
})

describe("a token that is limited to a session", () => {
  const sign = (more: Readonly<Record<string, unknown>> = {}) =>
    Effect.flatMap(
      theIssuer,
      (issuer) => issuer.sign({ ...claims("ann", [...everything, "evals:read"]), session_id: "claimed", ...more })
    )

  /** Ann's own data, of a session that the token does not name. */
  const ofOtherSessions = owned.filter(({ request, route }) => {
    const words = JSON.stringify(request(placeholders))
    return (words.includes("<session>") || words.includes("<run>")) && !/^POST \/\w+\/:\w+\/runs$/.test(route)
  })

  layer(Untouched.layer(() => sign()))((it) => {
    it.effect.each(ofOtherSessions)(
      "$route does not find another session of its user, and changes nothing",
      (endpoint) =>
        Effect.gen(function*() {
          const { anns, server, stranger, ...before } = yield* Untouched
          const absent: Subject = { ...anns, session: "nowhere", run: "never" }
          const found = yield* call(server, endpoint.request(anns), stranger)
          const missing = yield* call(server, endpoint.request(absent), stranger)
          assert.deepStrictEqual(withoutIds(found, anns), withoutIds(missing, absent))
          assert.oneOf(found.status, [403, 404, 204])
          assert.deepStrictEqual({ belongings: yield* belongings(server), known: yield* known(server) }, before)
        })
    )

    const lists = [
      "/sessions",
      "/runs",
      "/traces",
      "/trace_session_stats",
      "/approvals",
      "/feedback",
      "/runs?user_id=ann"
    ]
    it.effect.each(lists)("%s lists nothing of other sessions", (path) =>
      Effect.gen(function*() {
        const { server, stranger } = yield* Untouched
        const { json, status } = yield* call(server, { path }, stranger)
        assert.strictEqual(status, 200)
        assert.deepStrictEqual(list(json, "data"), [])
      }))
  })

  const post = (server: TestServer.TestServer, path: string, content: object, bearer: string) =>
    call(server, {
      path,
      init: { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(content) }
    }, bearer)

  it.effect("a caller with it creates, reads, changes and removes that session, and no other one", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const bearer = yield* sign()
      yield* seed(server, yield* token("ann", "agents:run"))
      failed(yield* post(server, "/sessions", { session_id: "made" }, bearer), 403, "FORBIDDEN", /limited to a session/)
      const made = yield* post(server, "/sessions", { session_name: "Mine", agent_id: "assistant" }, bearer)
      assert.deepInclude(made.json, { session_id: "claimed" })
      const body = new URLSearchParams({ message: "hi", stream: "false" })
      const { json } = yield* call(server, { path: "/agents/assistant/runs", init: { method: "POST", body } }, bearer)
      assert.deepInclude(json, { session_id: "claimed", status: "COMPLETED" })
      const run = String(at(json, "run_id"))
      const seen = ["/sessions/claimed", "/sessions/claimed/runs", `/agents/assistant/runs/${run}?session_id=claimed`]
      for (const path of seen) assert.strictEqual((yield* call(server, { path }, bearer)).status, 200, path)
      for (const path of ["/sessions", "/runs"]) {
        const answer = yield* call(server, { path }, bearer)
        assert.deepStrictEqual(column(at(answer.json, "data"), "session_id"), ["claimed"], path)
      }
      const fork = yield* post(server, "/agents/assistant/sessions/claimed/fork", {}, bearer)
      failed(fork, 403, "FORBIDDEN", /limited to a session/)
      const init = { method: "DELETE" }
      assert.strictEqual((yield* call(server, { path: "/sessions/claimed", init }, bearer)).status, 204)
      assert.strictEqual(
        (yield* call(server, { path: "/sessions/anns" }, yield* token("ann", ...everything))).status,
        200
      )
    }))

  it.effect("an admin's token is limited, too", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      yield* seed(server, yield* token("ann", "agents:run"))
      const admin = yield* sign({ sub: "root", scopes: ["platform:admin"] })
      for (const path of ["/sessions/anns", "/sessions/anns?user_id=ann", "/sessions/anns/runs/ann-1"]) {
        assert.strictEqual((yield* call(server, { path }, admin)).status, 404, path)
      }
      const { json } = yield* call(server, { path: "/sessions" }, admin)
      assert.deepStrictEqual(list(json, "data"), [])
    }))
})

describe("a token without a subject", () => {
  it.effect("a token without a user makes nothing that acts after its request, for it would act for all users", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const userless = yield* token(undefined, ...everything)
      const ann = yield* token("ann", ...everything)
      const admin = yield* token("root", "platform:admin")
      const items = { name: "a", items: [{ id: "a", input: "hi" }] }
      const dataset = yield* call(server, { path: "/datasets", init: json("POST", items) }, ann)
      const scorers = [{ type: "exact" }]
      const acting: Readonly<Record<string, object>> = {
        "/webhooks": { url: "https://receiver.example/svc", events: ["run.completed"], user_id: "bob" },
        "/eval-runs": { agent_id: "assistant", eval_type: "performance", input: "hi" },
        "/experiments": { dataset_id: at(dataset.json, "id"), agent_id: "assistant", scorers }
      }
      for (const [path, body] of Object.entries(acting).filter(([path]) => isServed(`POST ${path}`))) {
        const post = (bearer: string) => call(server, { path, init: json("POST", body) }, bearer)
        const answer = yield* post(userless)
        // it finds no dataset
        if (path === "/experiments") failed(answer, 404, "NOT_FOUND")
        else failed(answer, 403, "FORBIDDEN", /names no user/)
        const query = path === "/eval-runs" ? "?status=PENDING,RUNNING,COMPLETED,FAILED,CANCELLED" : ""
        const found = yield* call(server, { path: `${path}${query}` }, admin)
        assert.deepStrictEqual(list(found.json, "data"), [], found.text)
        assert.isBelow((yield* post(ann)).status, 300, path)
      }
    }))
})

describe("callers who may see everything", () => {
  it.effect("an admin sees, filters, changes and removes the data of every user", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      yield* seed(server, yield* token("ann", "agents:run"))
      yield* seed(server, yield* token("bob", "agents:run"), "bob")
      const admin = yield* token("root", "platform:admin")
      const all = yield* call(server, { path: "/sessions" }, admin)
      assert.deepStrictEqual([...column(at(all.json, "data"), "session_id")].toSorted(), ["anns", "bobs"])
      const filtered = yield* call(server, { path: "/sessions?user_id=bob" }, admin)
      assert.deepStrictEqual(column(at(filtered.json, "data"), "session_id"), ["bobs"])
      assert.strictEqual((yield* call(server, { path: "/sessions/anns" }, admin)).status, 200)
      assert.strictEqual((yield* call(server, { path: "/sessions/anns?user_id=bob" }, admin)).status, 404)
      const removed = yield* call(server, { path: "/sessions/anns", init: { method: "DELETE" } }, admin)
      assert.strictEqual(removed.status, 204)
      assert.strictEqual((yield* call(server, { path: "/sessions/anns" }, admin)).status, 404)
    }))

  it.effect("an account with the admin scope sees the data of every user, too", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      yield* seed(server, yield* token("ann", "agents:run"))
      const account = yield* mint(server, yield* token("root", "platform:admin"), {
        name: "ops",
        scopes: ["platform:admin"]
      })
      assert.strictEqual((yield* call(server, { path: "/sessions/anns" }, account.token)).status, 200)
    }))

  it.effect("every authenticated user sees everything when isolation is off, and accounts stay isolated", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed({
        authorization: { ...(yield* closed), userIsolation: false }
      })
      yield* seed(server, yield* token("ann", "agents:run"))
      const bob = yield* token("bob", ...everything)
      assert.strictEqual((yield* call(server, { path: "/sessions/anns" }, bob)).status, 200)
      assert.strictEqual((yield* call(server, { path: "/sessions/anns?user_id=bob" }, bob)).status, 404)
      const account = yield* mint(server, yield* token("root", "platform:admin"), { name: "bot", scopes: everything })
      assert.strictEqual((yield* call(server, { path: "/sessions/anns" }, account.token)).status, 404)
    }))
})
