// What is left of the services of a test whose process was killed: nothing.
import { assert, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer, type Socket } from "node:net"
import { fileURLToPath } from "node:url"

const starter = fileURLToPath(new URL("fixtures/starter.ts", import.meta.url))

describe("a service that a test has started", () => {
  it("the service ends when the process of the test was killed", async () => {
    const watcher = createServer().listen(0, "127.0.0.1")
    await once(watcher, "listening")
    const address = watcher.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    const connected = once(watcher, "connection") as Promise<[Socket]>
    const child = spawn(process.execPath, [starter], {
      env: { ...process.env, WATCHER: String(port) },
      stdio: ["ignore", "pipe", "inherit"]
    })
    const [socket] = await connected
    const ended = once(socket.on("error", () => {}).resume(), "close")
    await once(child.stdout, "data")
    child.kill("SIGKILL")
    await ended
    watcher.close()
    assert.isTrue(socket.destroyed)
  })
})
