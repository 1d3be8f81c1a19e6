// What is read of a client that does not read: nothing, while what the service wrote to it waits, pongs included.
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Scope } from "effect"
import type { HttpServerRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { EventEmitter } from "node:events"
import { isFull } from "../../src/ws/Backpressure.ts"
import * as SocketFlowControl from "../../src/ws/SocketFlowControl.ts"

/** A connection that counts as full from this many waiting bytes on. */
class Connection extends EventEmitter {
  writableLength = 0
  isPaused = false
  pause() {
    this.isPaused = true
    return this
  }
  resume() {
    this.isPaused = false
    return this
  }
}

const megabyte = 1024 * 1024

const made = Effect.fnUntraced(function*(isAuthenticated = true) {
  const socket = new Connection()
  const room = yield* Deferred.make<void>()
  const reserved = { bytes: 0 }
  const request = { source: { socket } } as unknown as HttpServerRequest.HttpServerRequest
  const flowControl = yield* SocketFlowControl.make(request, {
    hasRoom: Effect.suspend(() => isFull(socket) ? Deferred.await(room) : Effect.void),
    isAuthenticated: () => isAuthenticated,
    largest: megabyte,
    receiveMillis: 30_000,
    room: () => ({
      arriving: () => Effect.never,
      release: Effect.sync(() => void (reserved.bytes = 0)),
      reserve: (bytes) => Effect.sync(() => void (reserved.bytes = bytes))
    })
  })
  const makeRoom = Effect.suspend(() => {
    socket.writableLength = 0
    return Deferred.succeed(room, undefined)
  })
  return { flowControl, makeRoom, reserved, socket }
})

const settled = Effect.repeat(Effect.yieldNow, { times: 20 })

describe("the flow control of a socket", () => {
  it.effect("a client whose pongs wait is read again only when it has read them", () =>
    Effect.gen(function*() {
      const { makeRoom, socket } = yield* made()
      socket.emit("data", Buffer.alloc(10))
      assert.isFalse(socket.isPaused)
      socket.writableLength = megabyte
      socket.emit("data", Buffer.alloc(10))
      yield* settled
      assert.isTrue(socket.isPaused, "nothing more is read while the connection is full")
      yield* makeRoom
      yield* settled
      assert.isFalse(socket.isPaused)
    }))

  it.effect("a message of a client is taken only when its earlier replies have room", () =>
    Effect.gen(function*() {
      const { flowControl, makeRoom, socket } = yield* made()
      socket.writableLength = megabyte
      const taken = { isPulled: false }
      const pull = Effect.sync(() => void (taken.isPulled = true))
      const taking = yield* Effect.forkChild(flowControl.next(pull), { startImmediately: true })
      yield* settled
      assert.isFalse(taken.isPulled)
      yield* makeRoom
      yield* Fiber.join(taking)
      assert.isTrue(taken.isPulled)
    }))

  it.effect("a client that sends on while the service is busy with its messages is read later", () =>
    Effect.gen(function*() {
      const { flowControl, socket } = yield* made()
      yield* flowControl.next(Effect.void)
      socket.emit("data", Buffer.alloc(megabyte))
      assert.isTrue(socket.isPaused)
      yield* flowControl.next(Effect.void)
      assert.isFalse(socket.isPaused)
    }))

  it.effect("a large message needs room until it ends, and has half a minute", () =>
    Effect.gen(function*() {
      const { flowControl, reserved, socket } = yield* made()
      const unfinished = yield* Effect.forkChild(Effect.flip(flowControl.unfinished), { startImmediately: true })
      const part = Buffer.alloc(40 * 1024)
      for (const expected of [0, megabyte, 0, megabyte]) {
        if (expected === 0) yield* flowControl.next(Effect.void)
        if (expected === 0) yield* Effect.forkChild(flowControl.next(Effect.never), { startImmediately: true })
        for (let n = 0; n < (expected === 0 ? 1 : 2); n++) socket.emit("data", part)
        yield* settled
        assert.strictEqual(reserved.bytes, expected)
        assert.isFalse(socket.isPaused)
      }
      yield* TestClock.adjust("29 seconds")
      assert.isUndefined(unfinished.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(unfinished))._tag, "TimeoutError")
      assert.strictEqual(reserved.bytes, 0)
    }))

  it.effect("a client that pings for days and follows a run needs no room", () =>
    Effect.gen(function*() {
      const { flowControl, reserved, socket } = yield* made()
      const unfinished = yield* Effect.forkChild(Effect.flip(flowControl.unfinished), { startImmediately: true })
      for (let n = 0; n < 2000; n++) {
        socket.emit("data", Buffer.alloc(131))
        yield* TestClock.adjust("1 second")
      }
      yield* settled
      assert.deepStrictEqual([reserved.bytes, unfinished.pollUnsafe(), socket.isPaused], [0, undefined, false])
    }))

  it.effect("a large message that is handled needs no room any more", () =>
    Effect.gen(function*() {
      const { flowControl, reserved, socket } = yield* made()
      yield* Effect.forkChild(Effect.flip(flowControl.unfinished), { startImmediately: true })
      socket.emit("data", Buffer.alloc(100 * 1024))
      yield* settled
      assert.strictEqual(reserved.bytes, megabyte)
      yield* flowControl.next(Effect.void)
      yield* settled
      assert.strictEqual(reserved.bytes, 0)
    }))

  it.effect("a stranger that sends more than a token needs is read no further", () =>
    Effect.gen(function*() {
      const { flowControl, socket } = yield* made(false)
      socket.emit("data", Buffer.alloc(megabyte))
      assert.isTrue(socket.isPaused)
      yield* flowControl.flooded
    }))

  it.effect("a connection whose socket has ended is not listened to", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const { socket } = yield* Scope.provide(made(), scope)
      yield* Scope.close(scope, yield* Effect.exit(Effect.void))
      assert.strictEqual(socket.listenerCount("data"), 0)
    }))
})
