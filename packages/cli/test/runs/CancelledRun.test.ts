// `svc run` that is interrupted before the service has named the run.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import type { ChildProcess } from "node:child_process"
import { createServer, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { build, inTerminal, noTerminal, run } from "../Process.ts"

beforeAll(async () => {
  await build()
})

const info = { name: "Slow", version: "1.0.0", auth_mode: "none", mcp: { enabled: false, path: "/mcp", oauth: null } }
const listening = async (server: Server) => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return { PLATFORM_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const json = (response: ServerResponse, status: number, body: object) =>
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))

const started = { event: "RunStarted", run_id: "the-run", session_id: "s", event_index: 0 }

const eventOf = (event: typeof started): string =>
  `event: ${event.event}\nid: ${event.event_index}\ndata: ${JSON.stringify(event)}\n\n`

describe("svc run", () => {
  it("a run that is interrupted before its first event is cancelled as soon as the service names it", async () => {
    const cancelled: Array<string> = []
    let tool: ChildProcess | undefined
    let stream: ServerResponse | undefined
    const server = createServer((request, response) => {
      const { method, url = "" } = request
      if (method === "GET") return json(response, 200, info)
      if (url.includes("/cancel?")) {
        cancelled.push(url)
        return json(response, 200, {})
      }
      stream = response.writeHead(200, { "content-type": "text/event-stream" })
      stream.flushHeaders()
      return tool?.kill("SIGINT")
    })
    const env = await listening(server)
    const { code, stderr } = await run(["run", "agent/slow", "Hi"], {
      env,
      watch: (output, child) => {
        tool = child
        if (!output.includes("cancelling the run") || stream === undefined) return
        stream.write(eventOf(started))
        stream = undefined
      }
    })
    server.closeAllConnections()
    server.close()
    assert.strictEqual(code, 130, stderr)
    assert.deepStrictEqual(cancelled.map((url) => url.split("?")[0]), ["/agents/slow/runs/the-run/cancel"])
    assert.include(stderr, "run the-run cancelled")
  })

  it.skipIf(noTerminal !== undefined)(
    "a run that cannot be cancelled is not reported as cancelled, and the warning says how to try again",
    async () => {
      const server = createServer(({ method, url = "" }, response) => {
        if (method === "GET") return json(response, 200, info)
        if (url.includes("/cancel?")) return json(response, 500, { detail: "broken" })
        response.writeHead(200, { "content-type": "text/event-stream" })
        const content = { ...started, event: "RunContent", content: "Half ", event_index: 1 }
        return [started, content].forEach((event) => response.write(eventOf(event)))
      })
      const env = await listening(server)
      const { code, stdout } = await inTerminal(
        ["chat", "agent/slow"],
        [["> ", "one\r"], ["Half", "\u0003"], ["could not be cancelled", ""], ["> ", "\r"]],
        { env }
      )
      server.closeAllConnections()
      server.close()
      assert.strictEqual(code, 0, stdout)
      assert.include(stdout, "may still execute. Cancel it with svc runs cancel the-run.")
      assert.notInclude(stdout, "ended as CANCELLED")
    }
  )
})
