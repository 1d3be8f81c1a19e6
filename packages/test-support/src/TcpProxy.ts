// A wire that can be cut: connections to a server, passed on as long as nothing is wrong with it.
import { Effect } from "effect"
import * as Net from "node:net"

export interface TcpProxy {
  readonly port: number
  /** Breaks off every connection, and takes no more until it is mended. */
  readonly cut: Effect.Effect<void>
  readonly mend: Effect.Effect<void>
  /** Breaks off every connection; the next ones are taken. */
  readonly drop: Effect.Effect<void>
  /** Leaves every connection open and passes nothing on, until it is mended. New ones are taken and not answered. */
  readonly stall: Effect.Effect<void>
}

export const make = Effect.fnUntraced(function*(port: number) {
  const open = new Set<Net.Socket>()
  let isCut = false
  let isStalled = false
  const drop = Effect.sync(() => open.forEach((socket) => socket.destroy()))
  const keep = (socket: Net.Socket, other: Net.Socket) => {
    open.add(socket)
    socket.on("error", () => {})
    socket.once("close", () => {
      open.delete(socket)
      other.destroy()
    })
    socket.pipe(other)
    if (isStalled) socket.pause()
  }
  const server = Net.createServer({ noDelay: true }, (client) => {
    if (isCut) return void client.destroy()
    const upstream = Net.connect({ host: "127.0.0.1", port, noDelay: true })
    keep(client, upstream)
    keep(upstream, client)
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () => Effect.andThen(drop, Effect.sync(() => void server.close()))
  )
  const proxy: TcpProxy = {
    port: (server.address() as Net.AddressInfo).port,
    cut: Effect.andThen(Effect.sync(() => (isCut = true)), drop),
    mend: Effect.sync(() => {
      isCut = false
      isStalled = false
      open.forEach((socket) => socket.resume())
    }),
    stall: Effect.sync(() => {
      isStalled = true
      open.forEach((socket) => socket.pause())
    }),
    drop
  }
  return proxy
})
