// Clients whose connection breaks, at any moment of a call: their runs continue.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { connect } from "node:net"
import { at, second } from "../Wire.ts"
import { headers, initialize, request } from "./Mcp.ts"

/**
 * Sends one request, waits until the response has come to `until`, and hangs up; with nothing to wait for, at once.
 */
const hangUp = (port: number, body: unknown, session: string, until: string | Effect.Effect<unknown>) =>
  Effect.scoped(Effect.gen(function*() {
    const text = JSON.stringify(body)
    const seen = yield* Deferred.make<void>()
    const context = yield* Effect.context<never>()
    const socket = yield* Effect.acquireRelease(
      Effect.sync(() => connect(port, "127.0.0.1")),
      (socket) => Effect.sync(() => socket.destroy())
    )
    let received = ""
    socket.on("data", (chunk) => {
      received += chunk.toString()
      if (typeof until === "string" && received.includes(until)) {
        Effect.runForkWith(context)(Deferred.succeed(seen, undefined))
      }
    })
    socket.write([
      "POST /mcp HTTP/1.1",
      `host: 127.0.0.1:${port}`,
      `content-type: ${headers["content-type"]}`,
      `accept: ${headers.accept}`,
      `mcp-session-id: ${session}`,
      `content-length: ${Buffer.byteLength(text)}`,
      "",
      text
    ].join("\r\n"))
    yield* typeof until === "string" ? Deferred.await(seen) : until
  }))

const served = Effect.gen(function*() {
  yield* TestClock.setTime(second * 1000)
  const requested = yield* Deferred.make<void>()
  const release = yield* Deferred.make<void>()
  const ended = yield* Deferred.make<string>()
  const report = (how: string) => Deferred.succeed(ended, how)
  const answering = Deferred.await(release).pipe(
    Effect.andThen(report("answered")),
    Effect.onInterrupt(() => report("interrupted"))
  )
  const { model } = yield* Script.make([[
    Script.wait(Deferred.succeed(requested, undefined)),
    Script.wait(answering),
    Script.text("Done.")
  ]])
  const { port, url } = yield* TestServer.listen({ agents: [Agent.make({ id: "slow", model })] })
  const begun = yield* Effect.promise(() =>
    fetch(`${url}/mcp`, {
      method: "POST",
      headers: { "content-type": headers["content-type"], accept: headers.accept },
      body: JSON.stringify(initialize())
    })
  )
  const session = begun.headers.get("mcp-session-id") ?? ""
  const runs = Effect.promise(() => fetch(`${url}/sessions/s1/runs`).then((response) => response.json()))
  return { port, session, requested: Deferred.await(requested), release, ended: Deferred.await(ended), runs }
})

const run = (params: object = {}) =>
  request("tools/call", {
    name: "run_agent",
    arguments: { agent_id: "slow", message: "hi", session_id: "s1" },
    ...params
  })

describe("a connection that breaks", () => {
  it.effect.each<readonly [string, object, string | undefined]>([
    ["before anything was answered", {}, undefined],
    ["in the middle of progress", { _meta: { progressToken: 1 } }, "started"],
    ["while the answer says that it is alive", {}, ": heartbeat"]
  ])("a disconnect %s does not end the run", ([, params, until]) =>
    Effect.gen(function*() {
      const { requested, ended, port, release, runs, session } = yield* served
      const hanging = yield* Effect.forkChild(hangUp(port, run(params), session, until ?? requested), {
        startImmediately: true
      })
      yield* requested
      yield* TestClock.adjust(until === ": heartbeat" ? "10 seconds" : 0)
      yield* Fiber.join(hanging)
      // the service has noticed when it has responded to another client
      yield* runs
      yield* Deferred.succeed(release, undefined)
      assert.strictEqual(yield* ended, "answered")
      const found = yield* Effect.repeat(runs, { until: (runs) => at(runs, 0, "status") !== "RUNNING" })
      assert.strictEqual(at(found, 0, "status"), "COMPLETED")
    }))
})
