// `svc run` that is interrupted before the service has named the run.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import type { ChildProcess } from "node:child_process"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { build, run } from "../Process.ts"

beforeAll(async () => {
  await build()
})

const info = { name: "Slow", version: "1.0.0", auth_mode: "none", mcp: { enabled: false, path: null, oauth: null } }
const started = { event: "RunStarted", run_id: "the-run", session_id: "s", event_index: 0 }

describe("svc run", () => {
  it("a run that is interrupted before its first event is cancelled as soon as the service names it", async () => {
    const cancelled: Array<string> = []
    let tool: ChildProcess | undefined
    let stream: ServerResponse | undefined
    const server = createServer((request, response) => {
      const { method, url = "" } = request
      if (method === "GET") {
        return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(info))
      }
      if (url.includes("/cancel?")) {
        cancelled.push(url)
        return response.writeHead(200, { "content-type": "application/json" }).end("{}")
      }
      stream = response.writeHead(200, { "content-type": "text/event-stream" })
      stream.flushHeaders()
      return tool?.kill("SIGINT")
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { code, stderr } = await run(["run", "agent/slow", "Hi"], {
      env: { PLATFORM_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
      watch: (output, child) => {
        tool = child
        if (!output.includes("cancelling the run") || stream === undefined) return
        stream.write(`event: RunStarted\nid: 0\ndata: ${JSON.stringify(started)}\n\n`)
        stream = undefined
      }
    })
    server.closeAllConnections()
    server.close()
    assert.strictEqual(code, 130, stderr)
    assert.deepStrictEqual(cancelled.map((url) => url.split("?")[0]), ["/agents/slow/runs/the-run/cancel"])
    assert.include(stderr, "run the-run cancelled")
  })
})
