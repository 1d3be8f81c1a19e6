// A client of a workflow socket that writes its frames by itself, and reads only on request.
import { Effect } from "effect"
import { connect } from "node:net"

/** As clients have to send it (RFC 6455 §5.3): with a mask, which may be nothing. */
const frame = (opcode: number, payload: Buffer, isLast = true): Buffer => {
  const first = (isLast ? 0x80 : 0) | opcode
  const head = payload.length < 126
    ? [first, 0x80 | payload.length]
    : [first, 0x80 | 126, payload.length >> 8, payload.length & 255]
  return Buffer.concat([Buffer.from([...head, 0, 0, 0, 0]), payload])
}

export const text = (message: unknown): Buffer =>
  frame(1, Buffer.from(typeof message === "string" ? message : JSON.stringify(message)))
export const ping = (): Buffer => frame(9, Buffer.alloc(125))
/** The beginning of a message that never ends. */
export const fragment = (opcode: 0 | 1, length: number): Buffer => frame(opcode, Buffer.alloc(length, " "), false)

export const open = Effect.fnUntraced(function*(
  { host, port }: { readonly host: string; readonly port: number },
  path = "/workflows/ws"
) {
  const socket = yield* Effect.acquireRelease(
    Effect.sync(() => connect(port, host)),
    (socket) => Effect.sync(() => socket.destroy())
  )
  const received: { bytes: Buffer; isClosed: boolean } = { bytes: Buffer.alloc(0), isClosed: false }
  socket.on("data", (chunk) => {
    received.bytes = Buffer.concat([received.bytes, chunk])
  })
  socket.on("error", () => {})
  socket.on("close", () => {
    received.isClosed = true
  })
  socket.write(
    `GET ${path} HTTP/1.1\r\nhost: here\r\nconnection: upgrade\r\nupgrade: websocket\r\n` +
      `sec-websocket-version: 13\r\nsec-websocket-key: ${"A".repeat(22)}==\r\n\r\n`
  )
  const turn = Effect.promise(() => new Promise<void>((resume) => setImmediate(resume)))
  const until = (isSo: () => boolean) => Effect.repeat(turn, { until: isSo })
  yield* until(() => received.bytes.includes("\r\n\r\n"))
  return {
    socket,
    received,
    until,
    status: () => received.bytes.subarray(0, 12).toString().split(" ")[1],
    /** Whether a close frame with this code has come. */
    isClosedWith: (code: number) => received.bytes.includes(Buffer.from([code >> 8, code & 255]))
  }
})
