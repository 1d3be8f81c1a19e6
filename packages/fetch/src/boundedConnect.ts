// Connections whose responses are parsed in small parts. In one part the parser makes an error for each header beyond
// the limit, and after it the rest of what has arrived: 64 KiB of short headers cost more than 100 ms.
import * as Undici from "@effect/platform-node/Undici"

const maxPart = 1024

/** The parser reads until there is nothing, also after it has closed the connection. */
const boundReads = (socket: Socket): void => {
  const read = socket.read.bind(socket)
  socket.read = () => socket.destroyed ? null : read(socket.readableLength > maxPart ? maxPart : undefined)
}

type Options = Undici.buildConnector.BuildOptions
type Socket = Extract<Parameters<Undici.buildConnector.Callback>, [null, unknown]>[1]

export const boundedConnect = (options: Options): Undici.buildConnector.connector => {
  // HTTP/1.1 only: the limits here are those of its parser
  const connect = Undici.buildConnector({ ...options, allowH2: false })
  return (target, callback) =>
    connect(target, (...[error, socket]) => {
      if (error !== null) return callback(error, null)
      boundReads(socket)
      callback(null, socket)
    })
}
