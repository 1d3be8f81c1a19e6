// What is read of a client that does not read: nothing, while what the service wrote to it waits, pongs included.
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Scope } from "effect"
import type { HttpServerRequest } from "effect/http"
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
  const request = { source: { socket } } as unknown as HttpServerRequest.HttpServerRequest
  const flowControl = yield* SocketFlowControl.make(request, {
    hasRoom: Effect.suspend(() => isFull(socket) ? Deferred.await(room) : Effect.void),
    isAuthenticated: () => isAuthenticated
  })
  const makeRoom = Effect.suspend(() => {
    socket.writableLength = 0
    return Deferred.succeed(room, undefined)
  })
  return { flowControl, makeRoom, socket }
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
