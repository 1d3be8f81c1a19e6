// The messages of the protocol of PostgreSQL, as bytes.
import type * as Net from "node:net"

/** Calls `onMessage` for each message: its type (0 for the startup message), and all of its bytes. */
export const read = (socket: Net.Socket, hasStartup: boolean, onMessage: (type: string, bytes: Buffer) => void) => {
  let [rest, isStartup]: [Buffer, boolean] = [Buffer.alloc(0), hasStartup]
  socket.on("data", (chunk) => {
    rest = Buffer.concat([rest, chunk as Buffer])
    for (;;) {
      const offset = isStartup ? 0 : 1
      if (rest.length < offset + 4) return
      const length = offset + rest.readInt32BE(offset)
      if (rest.length < length) return
      const message = rest.subarray(0, length)
      rest = rest.subarray(length)
      const type = isStartup ? "startup" : String.fromCharCode(message[0] ?? 0)
      isStartup = false
      onMessage(type, message)
    }
  })
}

export const message = (type: string, ...parts: ReadonlyArray<Buffer>): Buffer => {
  const body = Buffer.concat(parts)
  const head = Buffer.alloc(type.length + 4)
  head.write(type)
  head.writeInt32BE(body.length + 4, type.length)
  return Buffer.concat([head, body])
}

export const text = (value: string) => Buffer.from(`${value}\0`)
export const int = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}
