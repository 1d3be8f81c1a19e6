// Writes bytes to a real server, and reads its replies.
import { assert } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { connect, type Socket } from "node:net"
import { always, at } from "./Wire.ts"

const limits = { jsonBody: 1000, formBody: 2000, receiveMillis: 200 }

export const served = Effect.fnUntraced(function*(own: TestServer.Options["limits"] = limits) {
  const script = yield* always(Script.text("Hello."))
  const server = yield* TestServer.listen({ agents: [Agent.make({ id: "plain", model: script.model })], limits: own })
  return { ...server, script }
})

export const head = (line: string, ...headers: ReadonlyArray<string>) =>
  [`${line} HTTP/1.1`, "host: svc.test", ...headers, "", ""].join("\r\n")

export const close = "connection: close"
export const json = "content-type: application/json"
export const form = "content-type: application/x-www-form-urlencoded"

export const open = (port: number, options: { readonly allowHalfOpen?: boolean } = {}) =>
  Effect.acquireRelease(
    Effect.callback<Socket>((resume) => {
      const socket = connect({ ...options, port, host: "127.0.0.1" }, () => resume(Effect.succeed(socket)))
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

/** Everything that was received until the other side closed. */
export const readToEnd = (socket: Socket) =>
  Effect.callback<string>((resume) => {
    let received = ""
    socket.on("data", (chunk) => {
      received += chunk.toString()
    })
    // a connection that is reset has sent everything
    socket.on("error", () => undefined)
    socket.on("close", () => resume(Effect.succeed(received)))
  })

/** Writes, and gives everything that was received until the other side closed. */
export const exchange = Effect.fnUntraced(function*(port: number, ...writes: ReadonlyArray<string>) {
  const socket = yield* open(port)
  for (const text of writes) socket.write(text)
  return yield* readToEnd(socket)
}, Effect.scoped)

interface Reply {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: unknown
}

/** Takes apart what came: every reply says how long it is. */
export const replies = (text: string): ReadonlyArray<Reply> => {
  const found: Array<Reply> = []
  let rest = text
  while (rest !== "") {
    const end = rest.indexOf("\r\n\r\n")
    const [first = "", ...lines] = rest.slice(0, end).split("\r\n")
    const headers = new Map(lines.map((line) => {
      const [name = "", ...value] = line.split(": ")
      return [name.toLowerCase(), value.join(": ")] as const
    }))
    const length = Number(headers.get("content-length") ?? 0)
    const body = rest.slice(end + 4, end + 4 + length)
    found.push({ status: Number(first.split(" ")[1]), headers, body: body === "" ? undefined : JSON.parse(body) })
    rest = rest.slice(end + 4 + length)
  }
  return found
}

/** One reply and no other, in the error shape, and the connection is closed. */
export const refused = (text: string, status: number, code: string) => {
  const all = replies(text)
  assert.deepStrictEqual(all.map((reply) => reply.status), [status], text)
  const [reply] = all
  assert.strictEqual(reply?.headers.get("content-type"), "application/json")
  assert.deepStrictEqual(Object.keys(reply?.body as object), ["detail", "error_code"])
  assert.strictEqual(at(reply?.body, "error_code"), code)
}

/** Sends a request and resets the connection, so that its response cannot be written. */
export const reset = (port: number, bytes: string) =>
  Effect.callback<void>((resume) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.write(bytes)
      socket.once("close", () => resume(Effect.void))
      socket.resetAndDestroy()
    })
  })
