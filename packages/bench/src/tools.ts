// What a call of a tool of an MCP server costs over local streamable HTTP, against the same request sent by `fetch`
// alone. Both take turns in one process, with the server.
import type { Tool } from "@svc-runtime/engine/tool/Tool"
import { McpTools } from "@svc-runtime/server"
import * as toolServices from "@svc-runtime/server/toolServices"
import { Effect } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { parseArgs } from "node:util"

const { values } = parseArgs({ options: { calls: { type: "string", default: "2000" } } })
const calls = Number(values.calls)

const results: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "bench", version: "1" }
  },
  "tools/list": { tools: [{ name: "echo", inputSchema: { type: "object" } }] },
  "tools/call": { content: [{ type: "text", text: "echoed" }] }
}

const server = createServer(async (incoming, outgoing) => {
  const parts: Array<Buffer> = []
  for await (const part of incoming) parts.push(part)
  if (incoming.method !== "POST") return void outgoing.writeHead(405).end()
  const { id, method } = JSON.parse(Buffer.concat(parts).toString())
  if (id === undefined) return void outgoing.writeHead(202).end()
  const result = results[method]
  const answer = result === undefined ? { error: { code: -32601, message: "unknown" } } : { result }
  outgoing.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }))
})
await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`

const context = {
  agentId: "bench",
  runId: "run",
  sessionId: "session",
  userId: undefined,
  sessionState: {},
  dependencies: {},
  metadata: {},
  toolCallId: "call",
  effectId: "run.0.0",
  emit: () => {},
  isCancelled: () => false,
  enqueue: () => Promise.reject(new Error("There are no jobs"))
} as unknown as Parameters<Tool["call"]>[1]

const alone = () =>
  Effect.promise(() =>
    fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "echo", arguments: {} } })
    }).then((response) => response.json())
  )

const timed = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.suspend(() => {
    const since = performance.now()
    return Effect.map(effect, () => performance.now() - since)
  })

const at = (times: ReadonlyArray<number>, share: number): string =>
  `${(times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? 0).toFixed(2)} ms`

const measure = Effect.gen(function*() {
  const source = McpTools.make({ name: "bench", url })
  const { problem, tools: [tool] } = yield* source.open
  if (tool === undefined) return yield* Effect.die(new Error(problem))
  const figures = { fetch: [] as Array<number>, tool: [] as Array<number> }
  for (let call = 0; call < calls; call++) {
    figures.fetch.push(yield* timed(alone()))
    figures.tool.push(yield* timed(tool.call({}, context)))
  }
  for (const [name, times] of Object.entries(figures)) {
    const warm = times.slice(times.length / 10)
    process.stdout.write(`${name}: median ${at(warm, 0.5)}, 99 % below ${at(warm, 0.99)}\n`)
  }
})

await Effect.runPromise(Effect.scoped(measure).pipe(Effect.provide(toolServices.layerWith({ allowPrivate: true }))))
server.closeAllConnections()
server.close()
