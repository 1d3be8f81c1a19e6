import * as ServiceProcess from "@svc-runtime/test-support/ServiceProcess"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import type { Worker } from "node:cluster"
import { EventEmitter } from "node:events"
import { connect } from "node:net"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { supervise } from "../../src/workers/primary.ts"

class FakeWorker extends EventEmitter {
  readonly signals: Array<string> = []
  readonly process: EventEmitter
  constructor(pid: number | undefined) {
    super()
    const kill = (signal: string) => void this.signals.push(signal)
    this.process = Object.assign(new EventEmitter(), { pid, kill, send: () => true })
  }
  isConnected() {
    return false
  }
}

/** `pids`: of the workers in the order of their start. One without an id could not be created. */
const supervised = (...pids: ReadonlyArray<number | undefined>) => {
  const workers: Array<FakeWorker> = []
  const signals = new EventEmitter()
  const code = supervise({
    count: 2,
    stopMillis: 60_000,
    signals,
    fork: () => {
      const worker = new FakeWorker(pids[workers.length])
      workers.push(worker)
      return worker as unknown as Worker
    }
  })
  return { code, signals, workers }
}

describe("the first process of several workers", () => {
  it("no further workers begin when the first begins to serve after a signal to stop", async () => {
    const { code, signals, workers } = supervised(1, 2)
    signals.emit("SIGTERM")
    workers[0]?.emit("message", { svc: "started" })
    expect(workers.length).toBe(1)
    expect(workers[0]?.signals).toEqual(["SIGTERM"])
    workers[0]?.emit("exit", 0, null)
    expect(await code).toBe(0)
  })

  it("the service ends with an error if its first worker cannot be created", async () => {
    const { code, workers } = supervised(undefined)
    workers[0]?.emit("error", new Error("spawn EAGAIN"))
    expect(await code).toBe(1)
  })

  it("a stop does not wait for a worker that could not be created", async () => {
    const { code, signals, workers } = supervised(1, undefined)
    workers[0]?.emit("message", { svc: "started" })
    workers[1]?.emit("error", new Error("spawn EAGAIN"))
    signals.emit("SIGTERM")
    workers[0]?.emit("exit", 0, null)
    expect(await code).toBe(0)
  })

  it.runIf(Tier.isWhole)(
    "a connection that a worker has not taken is closed when the worker ends",
    () =>
      Effect.gen(function*() {
        const program = fileURLToPath(new URL("freezing-workers.ts", import.meta.url))
        const first = yield* ServiceProcess.launch(program, {})
        const [pid, , port] = (yield* first.saying(" serves ")).split(" ").map(Number)
        process.kill(pid!, "SIGSTOP")
        const socket = connect(port!, "127.0.0.1").on("error", () => {}).resume()
        const closed = new Promise((resolve) => socket.once("close", resolve))
        yield* first.saying(`given to ${pid}`)
        process.kill(pid!, "SIGKILL")
        yield* Effect.promise(() => closed)
        yield* first.end("SIGTERM")
      }).pipe(Effect.scoped, Effect.runPromise)
  )
})
