// Raw requests of A2A to the agent "plain".
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { ask, at } from "../Wire.ts"

export const base = "/a2a/agents/plain"

export const current = { "content-type": "application/json", "a2a-version": "1.0" }

export const rpc = (server: TestServer.TestServer, method: string, params: unknown, headers: object = current) =>
  ask(server, base, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 7, method, params })
  })

export const message = (more: object = {}) => ({
  message: { messageId: "m1", role: "ROLE_USER", parts: [{ text: "hi" }], ...more }
})
export const legacy = (more: object = {}) => ({
  message: { messageId: "m1", role: "user", parts: [{ kind: "text", text: "hi" }], ...more }
})

export const codeOf = (answer: { readonly json: unknown }) => at(answer.json, "error", "code")
export const reasonOf = (answer: { readonly json: unknown }) => at(answer.json, "error", "details", 0, "reason")
