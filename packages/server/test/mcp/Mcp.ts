// How the tests speak MCP: raw JSON-RPC over HTTP, one session at a time. Which responses are JSON and which a stream
// of events reads the same here.
import { assert } from "@effect/vitest"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { type Answer, ask, at } from "../Wire.ts"

export type Message = Readonly<Record<string, unknown>>

/** No client leaves these out. A request that is made in memory has no host of its own. */
export const headers = {
  host: "localhost:7777",
  "content-type": "application/json",
  accept: "application/json, text/event-stream"
}

export interface Sending {
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

const path = "/mcp"

export const post = (server: TestServer.TestServer, body: unknown, options: Sending = {}) =>
  ask(server, options.path ?? path, {
    method: "POST",
    headers: { ...headers, ...options.headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
    signal: options.signal ?? null
  })

/** Takes a stream of messages apart: comments are heartbeats, anything else between the frames is a failure. */
export const messages = (answer: Pick<Answer, "headers" | "text">): ReadonlyArray<Message> => {
  if (!(answer.headers.get("content-type") ?? "").startsWith("text/event-stream")) return [JSON.parse(answer.text)]
  const frames = answer.text.split("\n\n").filter((frame) => frame !== "" && !frame.startsWith(": "))
  return frames.map((frame) => {
    assert.isTrue(frame.startsWith("data: "), `not a frame: ${frame}`)
    return JSON.parse(frame.slice("data: ".length))
  })
}

export const latest = "2025-11-25"

export const initialize = (version = latest, capabilities: object = {}) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: version, capabilities, clientInfo: { name: "test", version: "1" } }
})

export interface Session {
  readonly id: string
  /** Sent along with every message. */
  readonly headers: Readonly<Record<string, string>>
  readonly server: TestServer.TestServer
}

export interface Opening {
  readonly bearer?: string | undefined
  readonly version?: string
  readonly path?: string
}

export const authorized = (bearer: string | undefined): Readonly<Record<string, string>> =>
  bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }

export const open = Effect.fnUntraced(function*(server: TestServer.TestServer, options: Opening = {}) {
  const { bearer, version = latest } = options
  const answer = yield* post(server, initialize(version), { ...options, headers: authorized(bearer) })
  assert.strictEqual(answer.status, 200, answer.text)
  const id = answer.headers.get("mcp-session-id") ?? ""
  const session: Session = {
    id,
    server,
    headers: { ...authorized(bearer), "mcp-session-id": id, "mcp-protocol-version": version }
  }
  const notified = yield* post(server, { jsonrpc: "2.0", method: "notifications/initialized" }, {
    ...options,
    headers: session.headers
  })
  assert.deepStrictEqual([notified.status, notified.text], [202, ""])
  return session
})

export const request = (method: string, params: object = {}, id: number | string = 2) => ({
  jsonrpc: "2.0",
  id,
  method,
  params
})

/** All messages that a request gets; the last one is its response. */
const exchange = Effect.fnUntraced(function*(session: Session, method: string, params: object = {}) {
  const answer = yield* post(session.server, request(method, params), { headers: session.headers })
  assert.strictEqual(answer.status, 200, answer.text)
  return messages(answer)
})

export const send = (session: Session, method: string, params: object = {}) =>
  Effect.map(exchange(session, method, params), (all) => all.at(-1)!)

export const call = Effect.fnUntraced(function*(session: Session, name: string, args: object = {}) {
  const response = yield* send(session, "tools/call", { name, arguments: args })
  assert.isUndefined(response["error"], JSON.stringify(response))
  return response["result"]
})

export const toolNames = (session: Session) =>
  Effect.map(send(session, "tools/list"), (response) => {
    const tools = at(response, "result", "tools") as ReadonlyArray<{ readonly name: string }>
    return tools.map(({ name }) => name)
  })

/** A call that came to nothing says why, and nothing else. */
export const noRun = (id: unknown): string =>
  `Run not found: '${String(id)}'. Check its session_id, and that it is a run of this component and user.`

export const refused = (result: unknown, text: string) =>
  assert.deepStrictEqual(result, { content: [{ type: "text", text }], isError: true })
