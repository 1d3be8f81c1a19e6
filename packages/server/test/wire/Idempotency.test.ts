// `Idempotency-Key` on starting runs: the same key with the same request is about the same run, for a day.
import { assert, describe, it } from "@effect/vitest"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as Agent from "@svc-runtime/features/Agent"
import { json } from "@svc-runtime/test-support/endpoints/Checked"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Clock, Deferred, Effect, Fiber } from "effect"
import { call, claims, closed, serveClosed, theIssuer, token } from "../authorization/Closed.ts"
import {
  ask,
  at,
  badRequest,
  failed,
  type Fields,
  frames,
  get,
  kindsOf,
  list,
  serve,
  skippingClock,
  without
} from "../Wire.ts"

Tier.oneIn(2)

const started = Effect.fnUntraced(function*(options: TestServer.Options = {}, ...first: ReadonlyArray<Script.Step>) {
  const script = yield* Script.make(Array.from({ length: 20 }, () => [...first, Script.text("Hel", "lo.")]))
  const agents = ["plain", "other"].map((id) => Agent.make({ id, name: "Plain", model: script.model }))
  const server = yield* serve({ agents, ...options })
  return { server, modelCalls: Effect.map(script.calls, ({ length }) => length) }
})

interface Sent {
  readonly key: string
  readonly agent?: string
  readonly bearer?: string
}

const send = (server: TestServer.TestServer, { agent = "plain", bearer, key }: Sent, fields: Fields = {}) =>
  ask(server, `/agents/${agent}/runs`, {
    method: "POST",
    headers: { "idempotency-key": key, ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }) },
    body: new URLSearchParams({ message: "hi", stream: "false", ...fields })
  })

describe("a key of a caller without a user", () => {
  it.effect("the request is refused, and nothing runs", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const body = new URLSearchParams({ message: "x", stream: "false" })
      const init = { method: "POST", headers: { "idempotency-key": "k" }, body }
      const request = { path: "/agents/assistant/runs", init }
      const refused = yield* call(server, request, yield* token(undefined, "agents:run"))
      failed(refused, 400, "BAD_REQUEST", "Idempotency-Key needs a credential with a user")
      assert.strictEqual((yield* call(server, request, yield* token("ann", "agents:run"))).status, 200)
    }))
})

describe("a key of a token that is limited to a session", () => {
  it.effect("the key of another session of the same user is not known, and no id of it is shown", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const limited = (session_id: string) =>
        Effect.flatMap(theIssuer, (issuer) => issuer.sign({ ...claims("ann", ["agents:run"]), session_id }))
      const answers = yield* Effect.forEach(["meadow", "glade", "glade"], (session) =>
        Effect.flatMap(
          limited(session),
          (bearer) => send(server, { agent: "assistant", bearer, key: "k" })
        ))
      assert.deepStrictEqual(answers.map(({ status }) => status), [200, 200, 200], answers[1]?.text)
      const [first, second, again] = answers.map(({ json }) => [at(json, "session_id"), at(json, "run_id")])
      assert.strictEqual(first?.[0], "meadow")
      assert.strictEqual(second?.[0], "glade")
      assert.deepStrictEqual(again, second)
    }))

  it.effect("a message of a chat is sent twice only within the session of the token", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const message = { id: "m1", role: "user", parts: [{ type: "text", text: "hi" }] }
      const path = "/agents/assistant/chat"
      const sessions = yield* Effect.forEach(["meadow", "glade"], (session_id) =>
        Effect.gen(function*() {
          const issuer = yield* theIssuer
          const bearer = yield* issuer.sign({ ...claims("ann", ["agents:run"]), session_id })
          const { status, text } = yield* call(
            server,
            { path, init: json("POST", { id: "chat", messages: [message] }) },
            bearer
          )
          assert.strictEqual(status, 200, text)
          return /"sessionId":"(\w+)"/.exec(text)?.[1]
        }))
      assert.deepStrictEqual(sessions, ["meadow", "glade"])
    }))
})

describe("a request that is sent again", () => {
  it.effect("a repeated request gets the response of the first one, and nothing runs", () =>
    Effect.gen(function*() {
      const { modelCalls, server } = yield* started()
      const first = yield* send(server, { key: "k" })
      const second = yield* send(server, { key: "k" })
      assert.deepStrictEqual([first.status, second.status], [200, 200])
      assert.deepStrictEqual(second.json, first.json)
      assert.strictEqual(yield* modelCalls, 1)
    }))

  it.effect("a repeated request gets the events of the first one, byte for byte", () =>
    Effect.gen(function*() {
      const { modelCalls, server } = yield* started()
      const first = yield* send(server, { key: "k" }, { stream: "true" })
      assert.strictEqual((yield* send(server, { key: "k" }, { stream: "true" })).text, first.text)
      assert.strictEqual(kindsOf(frames(first.text)).at(-1), "RunCompleted")
      const pieces = yield* send(server, { key: "p" }, { stream: "true", stream_events: "false" })
      const again = yield* send(server, { key: "p" }, { stream: "true", stream_events: "false" })
      assert.strictEqual(again.text, pieces.text)
      assert.strictEqual(yield* modelCalls, 2)
    }))

  it.effect("a repeated request gets the same ids in the background", () =>
    Effect.gen(function*() {
      const { server } = yield* started()
      const first = yield* send(server, { key: "k" }, { background: "true" })
      const second = yield* send(server, { key: "k" }, { background: "true" })
      assert.deepStrictEqual([first.status, second.status], [202, 202])
      assert.strictEqual(at(second.json, "run_id"), at(first.json, "run_id"))
      const runs = yield* get(server, `/agents/plain/runs?session_id=${at(first.json, "session_id")}`)
      assert.strictEqual(list(runs.json).length, 1)
    }))

  it.effect("a repeated request waits for the first one while that is executing", () =>
    Effect.gen(function*() {
      const [speaking, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const { modelCalls, server } = yield* started(
        {},
        Script.wait(Deferred.succeed(speaking, undefined)),
        Script.wait(gate)
      )
      const first = yield* Effect.forkChild(send(server, { key: "k" }))
      yield* Deferred.await(speaking)
      const second = yield* Effect.forkChild(send(server, { key: "k" }))
      yield* Effect.yieldNow
      yield* Deferred.succeed(gate, undefined)
      const answers = [yield* Fiber.join(first), yield* Fiber.join(second)]
      assert.deepStrictEqual(answers[1]?.json, answers[0]?.json)
      assert.strictEqual(yield* modelCalls, 1)
    }))

  it.effect("two equal requests at the same moment start one run", () =>
    Effect.gen(function*() {
      const { modelCalls, server } = yield* started()
      const answers = yield* Effect.forEach(Array.from({ length: 10 }), () => send(server, { key: "k" }), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(answers.map(({ status }) => status), Array.from({ length: 10 }, () => 200))
      assert.strictEqual(new Set(answers.map(({ json }) => at(json, "run_id"))).size, 1)
      assert.strictEqual(yield* modelCalls, 1)
    }))

  it.effect("a request is the same in either encoding, and in any order of its fields", () =>
    Effect.gen(function*() {
      const { modelCalls, server } = yield* started()
      const first = yield* send(server, { key: "k" }, { session_id: "s" })
      const form = new FormData()
      for (const [name, value] of [["session_id", "s"], ["stream", "false"], ["message", "hi"]] as const) {
        form.append(name, value)
      }
      const second = yield* ask(server, "/agents/plain/runs", {
        method: "POST",
        headers: { "idempotency-key": "k" },
        body: form
      })
      assert.deepStrictEqual(second.json, first.json)
      assert.strictEqual(yield* modelCalls, 1)
    }))

  it.effect("a repeated request starts a run when the first one did not", () =>
    Effect.gen(function*() {
      let isDown = true
      const { modelCalls, server } = yield* started({
        database: (database) => ({
          ...database,
          runs: {
            ...database.runs,
            create: (newRun) =>
              Effect.suspend(() =>
                isDown ? Effect.fail(new StorageUnavailable({ cause: "down" })) : database.runs.create(newRun)
              )
          }
        })
      })
      failed(yield* send(server, { key: "k" }), 503, "SERVICE_UNAVAILABLE")
      isDown = false
      const first = yield* send(server, { key: "k" })
      assert.strictEqual(at(first.json, "status"), "COMPLETED")
      assert.deepStrictEqual((yield* send(server, { key: "k" })).json, first.json)
      assert.strictEqual(yield* modelCalls, 1)
    }))

  it.effect("a refused request is refused again", () =>
    Effect.gen(function*() {
      const { server } = yield* started()
      yield* send(server, { key: "a" }, { session_id: "s", user_id: "ann" })
      for (let n = 0; n < 2; n++) {
        failed(yield* send(server, { key: "b" }, { session_id: "s", user_id: "bob" }), 404, "NOT_FOUND")
      }
    }))

  it.effect("a repeated request does not get a run that another request started, though it names it", () =>
    Effect.gen(function*() {
      const { modelCalls, server } = yield* started()
      const fields = { session_id: "s", run_id: "r" }
      yield* send(server, { key: "a" }, fields)
      for (let n = 0; n < 3; n++) failed(yield* send(server, { key: "b" }, fields), 409, "CONFLICT")
      assert.strictEqual(yield* modelCalls, 1)
    }))
})

describe("a key", () => {
  it.effect("a key is for one request: with another one it is refused, and nothing runs", () =>
    Effect.gen(function*() {
      const { modelCalls, server } = yield* started()
      yield* send(server, { key: "k" })
      const detail = "Idempotency-Key was used for another request. Use another key, or send the request as it was."
      const others: ReadonlyArray<Fields> = [{ message: "bye" }, { session_id: "s" }, { stream: "true" }]
      for (const fields of others) failed(yield* send(server, { key: "k" }, fields), 409, "CONFLICT", detail)
      assert.strictEqual(yield* modelCalls, 1)
    }))

  it.effect("a key is valid for a day", () =>
    Effect.gen(function*() {
      const { clock, skip } = yield* skippingClock
      const { modelCalls, server } = yield* Effect.provideService(started(), Clock.Clock, clock)
      const first = yield* send(server, { key: "k" })
      yield* skip(86_399)
      assert.deepStrictEqual((yield* send(server, { key: "k" })).json, first.json)
      yield* skip(1)
      const next = yield* send(server, { key: "k" })
      assert.notStrictEqual(at(next.json, "run_id"), at(first.json, "run_id"))
      assert.strictEqual(yield* modelCalls, 2)
    }))

  it.effect("a key belongs to its caller and its route", () =>
    Effect.gen(function*() {
      const { modelCalls, server } = yield* started({ authorization: yield* closed })
      const [ann, bob] = [yield* token("ann", "agents:run"), yield* token("bob", "agents:run")]
      const ids = yield* Effect.forEach(
        [{ key: "k", bearer: ann }, { key: "k", bearer: bob }, { key: "k", bearer: ann, agent: "other" }, {
          key: "K",
          bearer: ann
        }],
        (sent) => Effect.map(send(server, sent), ({ json }) => at(json, "run_id"))
      )
      assert.strictEqual(new Set(ids).size, 4)
      assert.strictEqual(yield* modelCalls, 4)
    }))

  it.effect("a key does not give access to the run of another user", () =>
    Effect.gen(function*() {
      const { server } = yield* started()
      const first = yield* send(server, { key: "a" }, { run_id: "mine", session_id: "s" })
      failed(yield* send(server, { key: "b" }, { run_id: "mine", session_id: "s" }), 409, "CONFLICT", /already exists/)
      const again = yield* send(server, { key: "a" }, { run_id: "mine", session_id: "s" })
      assert.deepStrictEqual(without(again.json), without(first.json))
    }))

  it.effect.each(["", "\u00e9", "a\tb", "k".repeat(256)])(
    "a key is 1 to 255 printable characters, not %j",
    (key) =>
      Effect.gen(function*() {
        const { modelCalls, server } = yield* started()
        badRequest(yield* send(server, { key }), "Idempotency-Key has to be 1 to 255 printable characters")
        assert.strictEqual(yield* modelCalls, 0)
      })
  )
})
