// When requests and upgrades start. Node starts all that it has received at once, those of thousands of connections
// too. Here some start in each turn of the event loop, and probes do not wait for other requests.
// Of the requests that a client sends before earlier ones of its connection have a response, each starts after that
// of the one before it, and those of all connections take turns, so that other clients wait for one of them at most. A
// cancel does not wait for the response of the run before it, which it can end.
import * as PacedCalls from "@svc-runtime/engine/limits/PacedCalls"
import { IncomingMessage, type Server, ServerResponse } from "node:http"
import { Socket } from "node:net"

/** Node reads as many as the client sends. A connection on which more wait for a response is closed. */
const maxWaiting = 100

/** Cancels of a connection that have started and have no response. */
const maxOvertaking = 4

/** Requests that start in a turn of the event loop. */
const perTurn = 32

const probePath = /^\/(?:health|ready)(?:\?|$)/

const cancelPath = /^[^?]*\/runs\/[^/?]+\/cancel(?:\?|$)/

const isCancel = ({ method, url = "" }: IncomingMessage): boolean => method === "POST" && cancelPath.test(url)

const begins = new Set<string | symbol>(["request", "checkContinue", "checkExpectation"])

/** Node reads nothing more of a connection after these. */
const takesConnection = new Set<string | symbol>(["upgrade", "connect"])

/** Node parses the rest of what it has read after its connection was closed, and makes a request of each. */
const parseNoMore = (socket: Socket): void => {
  const parser: unknown = Reflect.get(socket, "parser")
  // this result of a new request is an error of the parser
  if (typeof parser === "object" && parser !== null) Reflect.set(parser, "onIncoming", () => -1)
}

interface Received {
  readonly event: string
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

export interface PipelinedRequests {
  /** Whether requests of the connection have not started. */
  readonly areWaiting: (socket: Socket) => boolean
}

/** Listeners of the server get a request when it starts. */
export const make = (server: Server): PipelinedRequests => {
  const emit = server.emit.bind(server)
  /** Of a connection with a request without a response: each starts one of the requests behind it. */
  const waiting = new WeakMap<Socket, Array<() => void>>()
  const overtaking = new WeakMap<Socket, number>()
  /** The first waiting request of each may start. */
  const ready: Array<Socket> = []

  const probes = PacedCalls.make(perTurn)
  const others = PacedCalls.make(perTurn)

  const begin = ({ event, request, response }: Received): void => {
    const paced = probePath.test(request.url ?? "") ? probes : others
    paced.add(() => {
      // its client may have gone meanwhile
      if (request.socket.writable) emit(event, request, response)
    })
  }

  const start = (received: Received): void => {
    received.response.once("close", () => ended(received.request.socket))
    begin(received)
  }

  const ended = (socket: Socket): void => {
    if (waiting.get(socket)?.length === 0 || socket.destroyed) {
      waiting.delete(socket)
      return
    }
    if (ready.push(socket) === 1) setImmediate(startNext)
  }

  /** One in each turn of the event loop, which reads what other connections have sent in between. */
  const startNext = (): void => {
    const socket = ready.shift()
    if (ready.length > 0) setImmediate(startNext)
    if (socket === undefined || socket.destroyed) return
    waiting.get(socket)?.shift()?.()
  }

  const overtake = (received: Received, overtaken: number): void => {
    const { request: { socket }, response } = received
    overtaking.set(socket, overtaken + 1)
    response.once("close", () => overtaking.set(socket, (overtaking.get(socket) ?? 1) - 1))
    begin(received)
  }

  const take = (event: string, request: IncomingMessage, socket: Socket, head: Buffer): void => {
    const begin = () =>
      others.add(() => {
        if (!socket.destroyed) emit(event, request, socket, head)
      })
    const behind = waiting.get(socket)
    if (behind === undefined) begin()
    else behind.push(begin)
  }

  server.emit = (event: string, ...args: ReadonlyArray<unknown>) => {
    if (takesConnection.has(event)) {
      const [request, socket, head] = args
      if (!(request instanceof IncomingMessage && socket instanceof Socket && Buffer.isBuffer(head))) {
        return emit(event, ...args)
      }
      take(event, request, socket, head)
      return true
    }
    if (!begins.has(event)) return emit(event, ...args)
    const [request, response] = args
    if (!(request instanceof IncomingMessage && response instanceof ServerResponse)) return emit(event, ...args)
    const { socket } = request
    if (socket.destroyed) {
      parseNoMore(socket)
      return true
    }
    const behind = waiting.get(socket)
    const received = { event, request, response }
    if (behind === undefined) {
      waiting.set(socket, [])
      start(received)
      return true
    }
    const overtaken = overtaking.get(socket) ?? 0
    // with the one whose response is being sent
    if (behind.length + overtaken + 1 >= maxWaiting) {
      socket.destroy()
      parseNoMore(socket)
    } else if (behind.length === 0 && overtaken < maxOvertaking && isCancel(request)) overtake(received, overtaken)
    else behind.push(() => start(received))
    return true
  }

  return { areWaiting: (socket) => (waiting.get(socket)?.length ?? 0) > 0 }
}
