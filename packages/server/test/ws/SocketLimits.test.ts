// What one client can cost over a socket: memory, messages and places are bounded, before authentication most of all.
import { assert, describe, it } from "@effect/vitest"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"
import { closed, token } from "../authorization/Closed.ts"
import { at, second } from "../Wire.ts"
import * as RawSocket from "./RawSocket.ts"
import { open } from "./SocketClient.ts"

Tier.oneIn(6)

const key = "the key of the service"

const serve = Effect.fnUntraced(function*(options: TestServer.Options = {}) {
  yield* TestClock.setTime(second * 1000)
  return yield* TestServer.listen(options)
})

const megabyte = 1024 * 1024

/** Sends this until the service takes no more of it, or so many bytes are gone. */
const flood = Effect.fnUntraced(function*(
  client: Effect.Success<ReturnType<typeof RawSocket.open>>,
  chunk: Buffer,
  most: number
) {
  const block = Buffer.concat(Array.from({ length: Math.ceil(65_536 / chunk.length) }, () => chunk))
  let idle = 0
  while (client.socket.bytesWritten < most && idle < 1000 && !client.received.isClosed) {
    if (client.socket.writableLength === 0) {
      idle = 0
      client.socket.write(block)
    } else idle++
    yield* Effect.promise(() => new Promise<void>((resume) => setImmediate(resume)))
  }
  return client.socket.bytesWritten - client.socket.writableLength
})

/** Moves the clock until the service has closed the socket of a client that does not read. */
const untilGivenUp = ({ logs }: TestServer.Listening) => {
  const turn = Effect.andThen(TestClock.adjust("5 seconds"), Effect.promise(() => new Promise(setImmediate)))
  return Effect.repeat(turn, { until: () => logs.some(({ message }) => message.includes("reads too slowly")) })
}

/** Runs that write much as soon as all of them are followed, and a client that can start them. */
const largeRuns = Effect.gen(function*() {
  const gate = yield* Deferred.make<void>()
  const counts = { waiting: 0 }
  const wait = () => {
    counts.waiting++
    return Effect.as(Deferred.await(gate), "")
  }
  const pieces = Array.from(
    { length: 12 },
    (_, n) => Step.make({ name: `piece ${n}`, run: () => Effect.as(Effect.yieldNow, "x".repeat(megabyte)) })
  )
  const large = Workflow.make({ id: "large", steps: [Step.make({ name: "wait", run: wait }), ...pieces] })
  const server = yield* serve({ workflows: [large] })
  const client = yield* RawSocket.open(server)
  const start = (n: number) => {
    const message = { action: "start-workflow", workflow_id: "large", message: "go" }
    client.socket.write(RawSocket.text({ ...message, session_id: `s${n}`, run_id: `r${n}` }))
  }
  const untilAllWait = (count: number) =>
    Effect.andThen(client.until(() => counts.waiting === count), Deferred.succeed(gate, undefined))
  return { client, server, start, untilAllWait }
})

describe("a client that reads nothing", () => {
  it.effect.runIf(Tier.isWhole)(
    "a client is read no further while its answers wait, and is closed with 1013",
    () =>
      Effect.gen(function*() {
        const server = yield* serve()
        const client = yield* RawSocket.open(server)
        client.socket.pause()
        // the buffers of the two ends of a loopback connection take some megabytes
        const taken = yield* flood(client, RawSocket.text({ action: "dance" }), 64 * megabyte)
        assert.isBelow(taken, 32 * megabyte)
        yield* untilGivenUp(server)
        client.socket.resume()
        yield* client.until(() => client.isClosedWith(1013))
      })
  )

  it.effect("a client is disconnected while its pongs wait", () =>
    Effect.gen(function*() {
      const client = yield* RawSocket.open(yield* serve())
      client.socket.pause()
      const taken = yield* flood(client, RawSocket.ping(), 64 * megabyte)
      assert.isBelow(taken, 64 * megabyte)
      client.socket.resume()
      yield* client.until(() => client.received.isClosed)
    }))

  it.effect(
    "a client that follows a run and does not read is closed, though it sends nothing more",
    () =>
      Effect.gen(function*() {
        const { client, server, start, untilAllWait } = yield* largeRuns
        client.socket.pause()
        start(0)
        yield* untilAllWait(1)
        yield* untilGivenUp(server)
      })
  )

  it.effect.runIf(Tier.isWhole)(
    "a client causes no warning about listeners, however many runs it follows",
    () =>
      Effect.gen(function*() {
        const warnings: Array<string> = []
        const onWarning = ({ name }: Error) => void warnings.push(name)
        yield* Effect.acquireRelease(
          Effect.sync(() => process.on("warning", onWarning)),
          () => Effect.sync(() => process.off("warning", onWarning))
        )
        const { client, server, start, untilAllWait } = yield* largeRuns
        client.socket.pause()
        for (let n = 0; n < 16; n++) start(n)
        yield* untilAllWait(16)
        yield* untilGivenUp(server)
        assert.deepStrictEqual(warnings, [])
      })
  )
})

describe("before authentication", () => {
  it.effect("a few messages get replies before authentication, and then the socket is closed with 1008", () =>
    Effect.gen(function*() {
      const { url } = yield* serve({ authorization: { securityKey: key } })
      for (const message of [{}, [], { action: "ping" }, { action: "authenticate", token: "wrong" }]) {
        const client = yield* open(url)
        for (let n = 0; n < 40; n++) yield* client.send(message)
        assert.deepStrictEqual(yield* client.closed, {
          code: 1008,
          reason: "More than 32 messages before authentication"
        })
      }
    }))

  it.effect("more bytes than a token needs close the socket with 1009, also as a message that never ends", () =>
    Effect.gen(function*() {
      const server = yield* serve({ authorization: { securityKey: key } })
      const large = yield* RawSocket.open(server)
      large.socket.write(RawSocket.text(`{"action":"authenticate","token":"${"x".repeat(60_000)}"}`))
      large.socket.write(RawSocket.text(`{"action":"authenticate","token":"${"x".repeat(60_000)}"}`))
      yield* large.until(() => large.isClosedWith(1009))
      const endless = yield* RawSocket.open(server)
      endless.socket.write(RawSocket.fragment(1, 1))
      const taken = yield* flood(endless, RawSocket.fragment(0, 1), 4 * megabyte)
      assert.isBelow(taken, 4 * megabyte)
      yield* endless.until(() => endless.isClosedWith(1009) || endless.received.isClosed)
    }))
})

describe("the number of sockets", () => {
  it.effect("the number of sockets is limited in all by MAX_SOCKETS", () =>
    Effect.gen(function*() {
      const server = yield* serve({ limits: { sockets: 2 } })
      const first = yield* RawSocket.open(server)
      yield* RawSocket.open(server)
      const third = yield* RawSocket.open(server)
      assert.strictEqual(third.status(), "503")
      assert.include(third.received.bytes.toString(), "MAX_SOCKETS allows no more")
      assert.include(third.received.bytes.toString().toLowerCase(), "retry-after: 30")
      first.socket.destroy()
      const again = Effect.map(Effect.scoped(RawSocket.open(server)), ({ status }) => status())
      assert.strictEqual(yield* Effect.repeat(again, { until: (status) => status === "101" }), "101")
    }))

  it.effect("the number of sockets is limited for each address before authentication by MAX_SOCKETS_PER_CALLER", () =>
    Effect.gen(function*() {
      const server = yield* serve({ limits: { socketsPerCaller: 2 }, authorization: yield* closed })
      const first = yield* open(server.url)
      yield* first.next
      yield* RawSocket.open(server)
      const third = yield* RawSocket.open(server)
      assert.strictEqual(third.status(), "429")
      assert.include(third.received.bytes.toString(), "MAX_SOCKETS_PER_CALLER allows no more")
      assert.strictEqual(
        at(yield* first.ask({ action: "authenticate", token: yield* token("ann") }), "event"),
        "authenticated"
      )
      assert.strictEqual((yield* RawSocket.open(server)).status(), "101", "a socket of a user counts for the user")
    }))

  it.effect("the number of sockets is limited for each user after authentication, from any address", () =>
    Effect.gen(function*() {
      const server = yield* serve({ limits: { socketsPerCaller: 2 }, authorization: yield* closed })
      const authenticate = Effect.fnUntraced(function*(user: string) {
        const client = yield* open(server.url)
        yield* client.next
        const answer = yield* client.ask({ action: "authenticate", token: yield* token(user) })
        return { event: at(answer, "event"), client }
      })
      assert.strictEqual((yield* authenticate("ann")).event, "authenticated")
      assert.strictEqual((yield* authenticate("ann")).event, "authenticated")
      const third = yield* authenticate("ann")
      assert.strictEqual(third.event, "auth_error")
      assert.strictEqual((yield* third.client.closed).code, 1013)
      assert.strictEqual((yield* authenticate("bob")).event, "authenticated")
    }))
})

describe("a message", () => {
  it.effect("a message is nested at most 200 levels deep, and the socket stays", () =>
    Effect.gen(function*() {
      const client = yield* open((yield* serve()).url)
      yield* client.next
      const deep = `{"action":"ping","factory_input":${"[".repeat(9_000)}${"]".repeat(9_000)}}`
      yield* client.send(deep)
      assert.deepStrictEqual(yield* client.next, {
        event: "error",
        error: "Input should not be nested deeper than 200 levels"
      })
      assert.deepStrictEqual(yield* client.ask({ action: "ping" }), { event: "pong" })
    }))

  it.effect("a message that would follow one run too many starts none", () =>
    Effect.gen(function*() {
      const stuck = Workflow.make({ id: "stuck", steps: [Step.make({ name: "wait", run: () => Effect.never })] })
      const { url } = yield* serve({ workflows: [stuck] })
      const client = yield* open(url)
      yield* client.next
      const start = (n: number) =>
        client.send({
          action: "start-workflow",
          workflow_id: "stuck",
          message: "",
          session_id: `s${n}`,
          run_id: `r${n}`
        })
      for (let n = 0; n <= 32; n++) yield* start(n)
      let refused = 0
      for (let frame = yield* client.next; refused === 0; frame = yield* client.next) {
        if (at(frame, "error") === "A socket follows 32 runs at the most") refused++
        if (refused > 0) break
      }
      const answer = yield* Effect.promise(() => fetch(`${url}/workflows/stuck/runs/r32?session_id=s32`))
      assert.strictEqual(answer.status, 404)
    }))
})
