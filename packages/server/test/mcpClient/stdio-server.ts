// A process that speaks MCP over standard input and output: `node stdio-server.ts [mode]`.
import { appendFileSync } from "node:fs"
import { createInterface } from "node:readline"

const [, , mode = "usual", file = ""] = process.argv

const say = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)

if (mode === "exits") process.exit(3)
if (mode === "floods") { for (let sent = 0; sent < 64; sent++) process.stdout.write("x".repeat(1024 * 1024)) }
if (mode === "complains") {
  process.stderr.write(`started\n\u001b[31mred\n${"x".repeat(100_000)}\n`)
  for (let line = 0; line < 1000; line++) process.stderr.write(`line ${line}\n`)
}
if (mode === "chatters") setInterval(() => process.stdout.write("{}\n".repeat(10_000)), 1)
if (file !== "") appendFileSync(file, `${process.pid}\n`)

const results: Record<string, (params: { arguments?: { name?: string } }) => object> = {
  initialize: () => ({
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "stdio", version: "1" }
  }),
  "tools/list": () => ({
    tools: [
      { name: "variable", inputSchema: { type: "object", properties: { name: { type: "string" } } } },
      { name: "leave", inputSchema: { type: "object" } }
    ]
  }),
  "tools/call": ({ arguments: given }) => {
    if (given?.name === undefined) process.exit(1)
    return { content: [{ type: "text", text: process.env[given.name] ?? "unset" }] }
  }
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id !== undefined && mode !== "hangs") say({ id, result: results[method]?.(params) ?? {} })
}).on("close", () => process.exit(0))
