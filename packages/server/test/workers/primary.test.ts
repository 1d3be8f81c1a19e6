import type { Worker } from "node:cluster"
import { EventEmitter } from "node:events"
import { describe, expect, it } from "vitest"
import { supervise } from "../../src/workers/primary.ts"

class FakeWorker extends EventEmitter {
  readonly signals: Array<string> = []
  readonly process: { readonly pid: number | undefined; readonly kill: (signal: string) => void }
  constructor(pid: number | undefined) {
    super()
    this.process = { pid, kill: (signal) => void this.signals.push(signal) }
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
})
