// Streams of runs of the agent `slow` by the other protocols.
const text = [{ text: "hi" }]
const rpc = (method: string, params: object) => ({ jsonrpc: "2.0", id: 7, method, params })
const hi = { role: "user", content: "hi" }
const message10 = { message: { messageId: "m", role: "ROLE_USER", parts: text } }
const message03 = { message: { kind: "message", messageId: "m", role: "user", parts: [{ kind: "text", text: "hi" }] } }

/** The wire, its path, the body, and what the last frame has. */
export const streams: ReadonlyArray<readonly [string, string, object, string]> = [
  ["A2A 1.0 over JSON-RPC", "/a2a/agents/slow", rpc("SendStreamingMessage", message10), `"id":7,"error":`],
  ["A2A 1.0 over HTTP", "/a2a/agents/slow/message:stream", message10, "event: error"],
  ["A2A 0.3 over JSON-RPC", "/a2a/agents/slow", rpc("message/stream", message03), `"id":7,"error":`],
  ["AG-UI", "/agents/slow/agui", { threadId: "s", runId: "r", messages: [{ id: "m", ...hi }] }, "RUN_ERROR"],
  ["the UI message stream", "/agents/slow/chat", {
    id: "s",
    messages: [{ id: "m", role: "user", parts: [{ type: "text", text: "hi" }] }]
  }, `"type":"error"`],
  ["completions of OpenAI", "/v1/chat/completions", { model: "slow", stream: true, messages: [hi] }, `{"error":`],
  ["responses of OpenAI", "/v1/responses", { model: "slow", stream: true, input: "hi" }, "event: error"]
]
