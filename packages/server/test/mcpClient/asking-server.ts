// A process that speaks MCP 2025-06-18, and whose tool asks the user.
import { createInterface } from "node:readline"

const form = { type: "object", properties: { city: { type: "string" } }, required: ["city"] }

const say = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)

let call: unknown

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, result } = JSON.parse(line)
  if (id === undefined) return
  switch (method) {
    case "initialize":
      return say({
        id,
        result: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "a", version: "1" } }
      })
    case "tools/list":
      return say({ id, result: { tools: [{ name: "book", inputSchema: { type: "object" } }] } })
    case "tools/call":
      call = id
      return say({ id: "q", method: "elicitation/create", params: { message: "Which city?", requestedSchema: form } })
    case undefined:
      return say({ id: call, result: { content: [{ type: "text", text: JSON.stringify(result) }] } })
    default:
      return say({ id, result: {} })
  }
}).on("close", () => process.exit(0))
