// MAX_UPLOAD_BYTES_IN_FLIGHT: how many bytes of request bodies are in memory at once.
import { assert, describe, it } from "@effect/vitest"
import * as AgentFactory from "@svc-runtime/agents/agent/define/AgentFactory"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { connect, type Socket } from "node:net"
import { closed, everything, serveClosed, token } from "../authorization/Closed.ts"
import { always, failed, get, list, run, serve, upload } from "../Wire.ts"

Tier.oneIn(3)

const kibibyte = 1024
const file = () => new File(["x".repeat(800 * kibibyte)], "a.txt", { type: "text/plain" })

/** A factory that opens `held` and waits for `gate`. */
const waiting = (
  model: Agent.Options["model"],
  held: Deferred.Deferred<void>,
  gate: Deferred.Deferred<void>,
  id = "slow"
) =>
  AgentFactory.make({
    id,
    build: () =>
      Effect.as(Effect.andThen(Deferred.succeed(held, undefined), Deferred.await(gate)), Agent.make({ id, model }))
  })

/** A service with room for one upload, which is held as long as the factory waits for the gate. */
const started = Effect.gen(function*() {
  const gate = yield* Deferred.make<void>()
  const held = yield* Deferred.make<void>()
  const { model } = yield* always(Script.text("Hello."))
  const plain = Agent.make({ id: "plain", model })
  const slow = waiting(model, held, gate)
  const server = yield* serve({ agents: [plain, slow], limits: { uploadsInFlight: 1024 * kibibyte } })
  const send = (agent: string, session_id: string) =>
    upload(server, agent, { message: "hi", stream: "false", session_id }, [file()])
  const first = yield* Effect.forkChild(send("slow", "first"))
  yield* Deferred.await(held)
  return { first, gate, send, server }
})

describe("an upload beyond MAX_UPLOAD_BYTES_IN_FLIGHT", () => {
  it.effect("an upload without room for ten seconds is refused with 429 and Retry-After, and nothing is stored", () =>
    Effect.gen(function*() {
      const { first, gate, send, server } = yield* started
      const second = yield* Effect.forkChild(send("plain", "second"))
      const turn = Effect.andThen(TestClock.adjust("1 second"), Effect.promise(() => new Promise(setImmediate)))
      yield* Effect.repeat(turn, { until: () => second.pollUnsafe() !== undefined, times: 25 })
      const answer = yield* Fiber.join(second)
      failed(answer, 429, "TOO_MANY_REQUESTS", /MAX_UPLOAD_BYTES_IN_FLIGHT/)
      assert.isNotNull(answer.headers.get("retry-after"))
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual((yield* Fiber.join(first)).status, 200)
      assert.deepStrictEqual(list((yield* get(server, "/sessions")).json, "data").length, 1)
    }))

  it.effect("an upload waits, and is accepted when the upload before it has become a run", () =>
    Effect.gen(function*() {
      const { first, gate, send } = yield* started
      const second = yield* Effect.forkChild(send("plain", "second"))
      yield* TestClock.adjust("5 seconds")
      assert.isUndefined(second.pollUnsafe())
      yield* Deferred.succeed(gate, undefined)
      assert.deepStrictEqual([(yield* Fiber.join(first)).status, (yield* Fiber.join(second)).status], [200, 200])
    }))

  it.effect("an upload does not delay a request with a small body", () =>
    Effect.gen(function*() {
      const { gate, server } = yield* started
      assert.strictEqual((yield* run(server, "plain", { message: "hi", stream: "false" })).status, 200)
      yield* Deferred.succeed(gate, undefined)
    }))
})

/** Opens a connection that announces a body and sends a few bytes of it, or more. */
const announce = (port: number, bytes: number, bearer = "", sent = 0) =>
  Effect.acquireRelease(
    Effect.callback<Socket>((resume) => {
      const socket = connect(port, "127.0.0.1", () => {
        socket.write(
          `POST /agents/plain/runs HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n` +
            `content-type: multipart/form-data; boundary=q\r\ncontent-length: ${bytes}\r\n` +
            `authorization: Bearer ${bearer}\r\n\r\n--q\r\n${"x".repeat(sent)}`,
          () => resume(Effect.succeed(socket))
        )
      })
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

describe("the share of a caller of MAX_UPLOAD_BYTES_IN_FLIGHT", () => {
  it.live("the share is not taken by bodies that are announced and do not arrive", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.text("Hello."))
      const agents = [Agent.make({ id: "plain", model })]
      const { port, url } = yield* TestServer.listen({ agents, limits: { uploadsInFlight: 1024 * kibibyte } })
      for (let n = 0; n < 5; n++) yield* announce(port, 900 * kibibyte)
      const form = new FormData()
      form.set("message", "hi")
      form.set("stream", "false")
      form.set("files", file())
      const answer = yield* Effect.promise(() => fetch(`${url}/agents/plain/runs`, { method: "POST", body: form }))
      assert.strictEqual(answer.status, 200)
      yield* Effect.promise(() => answer.arrayBuffer())
    }))

  it.effect("bodies that hardly arrive give their room to another user who waits for it", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.text("Hello."))
      const { port, url } = yield* TestServer.listen({
        authorization: yield* closed,
        agents: [Agent.make({ id: "plain", model })],
        limits: { formBody: 1024 * kibibyte, uploadsInFlight: 2048 * kibibyte }
      })
      const refusals: Array<string> = []
      for (const user of ["bob", "eve"]) {
        const socket = yield* announce(port, 1024 * kibibyte, yield* token(user, ...everything), 300 * kibibyte)
        socket.once("data", (data) => refusals.push(data.toString()))
      }
      const headers = { authorization: `Bearer ${yield* token("ann", ...everything)}` }
      const turn = Effect.andThen(TestClock.adjust("100 millis"), Effect.promise(() => new Promise(setImmediate)))
      const send = Effect.gen(function*() {
        const body = new FormData()
        body.set("message", "hi")
        body.set("stream", "false")
        body.set("files", file())
        const sent = yield* Effect.forkChild(Effect.promise(async () => {
          const answer = await fetch(`${url}/agents/plain/runs`, { method: "POST", headers, body })
          await answer.arrayBuffer()
          return answer.status
        }))
        yield* Effect.repeat(turn, { until: () => sent.pollUnsafe() !== undefined, times: 10_000 })
        assert.strictEqual(yield* Fiber.join(sent), 200)
      })
      // the first ones may come before the bytes of the others
      yield* Effect.repeat(send, { until: () => refusals.length > 0, times: 20 })
      assert.match(refusals.join(""), /^HTTP\/1.1 429 [^]*The body arrives too slowly while others wait/)
    }))

  it.effect("the share is at most half of the limit, so that another user can upload meanwhile", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const held = yield* Deferred.make<void>()
      const { model } = yield* always(Script.text("Hello."))
      const slow = waiting(model, held, gate)
      const server = yield* serveClosed({
        authorization: yield* closed,
        agents: [Agent.make({ id: "plain", model }), slow],
        limits: { formBody: 1024 * kibibyte, uploadsInFlight: 2048 * kibibyte }
      })
      const ann = yield* token("ann", ...everything)
      const bob = yield* token("bob", ...everything)
      const send = (bearer: string, agent: string) => {
        const as: TestServer.TestServer = {
          ...server,
          fetch: (path, init) => {
            const headers = new Headers(init?.headers)
            headers.set("authorization", `Bearer ${bearer}`)
            return server.fetch(path, { ...init, headers })
          }
        }
        return upload(as, agent, { message: "hi", stream: "false" }, [file()])
      }
      const first = yield* Effect.forkChild(send(ann, "slow"))
      yield* Deferred.await(held)
      const second = yield* Effect.forkChild(send(ann, "plain"))
      assert.strictEqual((yield* send(bob, "plain")).status, 200)
      assert.isUndefined(second.pollUnsafe())
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual((yield* Fiber.join(first)).status, 200)
      assert.strictEqual((yield* Fiber.join(second)).status, 200)
    }))

  it.effect("the share is half of what others leave, so that some is left for any number of users", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const { model } = yield* always(Script.text("Hello."))
      const held = { bob: yield* Deferred.make<void>(), ann: yield* Deferred.make<void>() }
      const next = yield* Deferred.make<void>()
      const server = yield* serveClosed({
        authorization: yield* closed,
        agents: [
          Agent.make({ id: "plain", model }),
          waiting(model, held.bob, gate, "bob"),
          waiting(model, held.ann, gate, "ann"),
          waiting(model, next, gate, "next")
        ],
        limits: { formBody: 1024 * kibibyte, uploadsInFlight: 4096 * kibibyte }
      })
      // without a Content-Length a body counts as the largest one
      const send = Effect.fnUntraced(function*(user: string, agent: string) {
        const bearer = yield* token(user, ...everything)
        const fetch: TestServer.TestServer["fetch"] = (path, init) => {
          const headers = new Headers(init?.headers)
          headers.set("authorization", `Bearer ${bearer}`)
          return server.fetch(path, { ...init, headers })
        }
        return yield* upload({ ...server, fetch }, agent, { message: "hi", stream: "false" }, [file()])
      })
      const first = yield* Effect.forkChild(send("bob", "bob"))
      yield* Deferred.await(held.bob)
      const second = yield* Effect.forkChild(send("ann", "ann"))
      yield* Deferred.await(held.ann)
      const third = yield* Effect.forkChild(send("ann", "next"))
      for (const _ of [1, 2, 3]) assert.strictEqual((yield* send("cid", "plain")).status, 200)
      assert.isFalse(yield* Deferred.isDone(next))
      yield* Deferred.succeed(gate, undefined)
      const answers = yield* Fiber.joinAll([first, second, third])
      assert.deepStrictEqual(answers.map(({ status }) => status), [200, 200, 200])
    }))
})
