// Closes connections on which the database is silent. A half-open connection does not break, so its statements would
// wait without end. The server limits the time of statements: one without a reply for longer is lost.
import { KeepsProcess } from "@svc-runtime/engine/node/KeepsProcess"
import { Instruments } from "@svc-runtime/telemetry/Instruments"
import * as LogPart from "@svc-runtime/telemetry/LogPart"
import { Duration, Effect } from "effect"
import * as Net from "node:net"

/** What the server allows. Infinity: it has no limit. */
export interface ServerLimits {
  readonly statementSeconds: number
  readonly idleTransactionSeconds: number
}

interface Watched {
  readonly socket: Net.Socket
  bytesRead: number
  /** When the last bytes were received. */
  bytesWritten: number
  isAsked: boolean
  silentSeconds: number
}

/** A reply may be on its way when the time of its statement ends. */
const graceSeconds = 5

/** Before the server has reported its limits, the timeouts of connecting and starting apply. */
const unlimited: ServerLimits = { statementSeconds: Infinity, idleTransactionSeconds: Infinity }

const received = (watched: Watched) => {
  watched.bytesRead = watched.socket.bytesRead
  watched.bytesWritten = watched.socket.bytesWritten
  watched.isAsked = false
  watched.silentSeconds = 0
}

/** Called once a second. It counts its calls, because a node that was suspended has not waited. */
const count = (watched: Watched) => {
  const { socket } = watched
  if (socket.bytesRead !== watched.bytesRead) return received(watched)
  watched.silentSeconds++
  if (watched.isAsked || socket.bytesWritten === watched.bytesWritten) return
  watched.isAsked = true
  watched.silentSeconds = 0
}

const isLost = ({ isAsked, silentSeconds }: Watched, { idleTransactionSeconds, statementSeconds }: ServerLimits) =>
  // a reply that broke off looks like an idle connection or transaction
  silentSeconds > (isAsked ? statementSeconds : Math.max(statementSeconds, idleTransactionSeconds)) + graceSeconds

/**
 * Sends all that is written in one turn of the event loop with one system call. For a short statement that call costs
 * as much as all the rest, and under load a turn has the statements of several requests.
 */
const sendOncePerTurn = (socket: Net.Socket) => {
  const write = socket.write.bind(socket)
  let isCorked = false
  const uncork = () => {
    isCorked = false
    socket.uncork()
  }
  socket.write = (...args: Array<unknown>) => {
    if (!isCorked) {
      isCorked = true
      socket.cork()
      setImmediate(uncork)
    }
    return Reflect.apply(write, socket, args)
  }
}

/** The options of a socket, and how logs name the database. */
export interface Endpoint {
  readonly options: Net.NetConnectOpts
  readonly name: string
  /** Connections that may be open. */
  readonly maxConnections: number
}

/** Until the scope is closed. */
export const make = Effect.fnUntraced(function*({ maxConnections, name, options }: Endpoint) {
  const keepsProcess = yield* KeepsProcess
  const connections = new Set<Watched>()
  let limits = unlimited
  /** While there are some, every connection may be silent: which one they use is not known here. */
  let longStatements = 0

  const closeLost = Effect.suspend(() => {
    connections.forEach(count)
    const lost = longStatements > 0 ? [] : [...connections].filter((watched) => isLost(watched, limits))
    for (const { socket } of lost) socket.destroy()
    const waiting = lost.filter(({ isAsked }) => isAsked).length
    const time = Duration.format(Duration.seconds(limits.statementSeconds + graceSeconds))
    return waiting === 0
      ? Effect.void
      : Effect.logWarning(
        `Closed ${waiting} connection(s) to ${name}: nothing was received for ${time} while statements waited`
      )
  })
  yield* Effect.forkScoped(LogPart.inPart("database")(Effect.forever(Effect.delay(closeLost, "1 second"))))

  const { observe } = yield* Instruments
  const isWaiting = ({ bytesWritten, isAsked, socket }: Watched) => isAsked || socket.bytesWritten !== bytesWritten
  const waiting = () => [...connections].filter(isWaiting).length
  const removals = [
    observe("svc_database_connections", "Open connections to databases", () => connections.size),
    observe("svc_database_connections_max", "Connections that may be open", () => maxConnections),
    observe("svc_database_connections_waiting", "Connections that wait for a reply of the database", waiting)
  ]
  yield* Effect.addFinalizer(() => Effect.sync(() => removals.forEach((remove) => remove())))

  const connect = (): Net.Socket => {
    const socket = Net.connect(options)
    if (!keepsProcess) socket.unref()
    const watched = { socket, bytesRead: 0, bytesWritten: 0, isAsked: false, silentSeconds: 0 }
    connections.add(watched)
    // encrypted bytes are not shown here, only counted
    socket.on("data", () => received(watched))
    socket.once("close", () => connections.delete(watched))
    return socket
  }

  return {
    setLimits: (reported: ServerLimits) => {
      limits = reported
    },
    allowed: <A, E, R>(statements: Effect.Effect<A, E, R>) =>
      Effect.acquireUseRelease(
        Effect.sync(() => longStatements++),
        () => statements,
        () => Effect.sync(() => longStatements--)
      ),
    /** A new connection for the driver. */
    connect,
    /** A new connection on which many statements are pipelined. */
    connectShared: (): Net.Socket => {
      const socket = connect()
      sendOncePerTurn(socket)
      return socket
    }
  }
})

export type SilentConnections = Effect.Success<ReturnType<typeof make>>
