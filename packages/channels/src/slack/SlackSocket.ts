// Socket Mode: Slack sends over a connection that the service opens, so that no address of the service is public:
// https://docs.slack.dev/apis/events-api/using-socket-mode
import * as Json from "@svc-runtime/domain/Json"
import { Option } from "effect"
import { channel } from "node:diagnostics_channel"
import type { Context } from "../Adapter.ts"
import { ChannelError } from "../ChannelError.ts"
import * as SlackApi from "./SlackApi.ts"

export interface Options {
  /** With the token of the app, which is another one than that of its messages. */
  readonly api: SlackApi.SlackApi
  /** Stores what arrived, and gives what Slack is answered. */
  readonly handle: (payload: Json.Value) => Promise<Json.Object | undefined>
  /** Milliseconds without a sign of Slack after which a connection counts as lost. */
  readonly silence?: number | undefined
}

/** Slack sends a ping every few seconds. */
const maxSilence = 60_000

/** A connection that ends sooner, without being asked to, has failed: others are not opened at once. */
const minLife = 10_000

/** Milliseconds until `hello`. */
const maxHello = 20_000

/** Node's sockets answer pings themselves, and say so here. Older ones do not say which socket it was. */
const pings = channel("undici:websocket:ping")

const lost = (message: string) => new ChannelError({ reason: "temporary", message })

const addressOf = async (api: SlackApi.SlackApi, context: Context): Promise<string> => {
  const { url } = await SlackApi.write(api, "apps.connections.open", {}, context)
  const own = api.url.startsWith("http://") ? "ws:" : "wss:"
  if (typeof url === "string" && URL.canParse(url) && ["wss:", own].includes(new URL(url).protocol)) return url
  throw lost("Slack gave no address for Socket Mode")
}

interface Connection {
  /** The end of the connection: whether Slack has asked for another one. Rejected when it is lost. */
  readonly ended: Promise<void>
  /** Slack has greeted. */
  readonly ready: Promise<void>
  readonly close: () => void
}

/** One connection. What it gets is acknowledged after it is stored; what is not stored, Slack sends again. */
const connect = (url: string, { handle, silence = maxSilence }: Options, onEnding: () => void): Connection => {
  const socket = new WebSocket(url)
  const ended = Promise.withResolvers<void>()
  const ready = Promise.withResolvers<void>()
  let timer = setTimeout(() => fail(lost("Slack did not greet on the connection of Socket Mode")), maxHello)

  const close = () => {
    clearTimeout(timer)
    pings.unsubscribe(onPing)
    if (socket.readyState <= WebSocket.OPEN) socket.close(1000)
  }
  const fail = (error: ChannelError) => {
    close()
    ready.reject(error)
    ended.reject(error)
  }
  const alive = () => {
    clearTimeout(timer)
    timer = setTimeout(() => fail(lost("Slack was silent on the connection of Socket Mode")), silence)
  }
  const onPing = (message: unknown) => {
    const isOther = typeof message === "object" && message !== null && "websocket" in message &&
      message.websocket !== socket
    if (!isOther) alive()
  }
  pings.subscribe(onPing)

  const answer = async (id: string, payload: Json.Value): Promise<void> => {
    try {
      const response = await handle(payload)
      if (socket.readyState !== WebSocket.OPEN) return
      socket.send(JSON.stringify({ envelope_id: id, ...(response !== undefined && { payload: response }) }))
    } catch {
      // not stored: without an acknowledgement Slack sends it again
    }
  }

  const read = (text: string) => {
    const message = Option.getOrUndefined(Json.parse(text))
    if (!Json.isObject(message)) return
    const { envelope_id, payload, reason, type } = message
    if (type === "hello") return ready.resolve()
    if (type === "disconnect") {
      if (reason === "link_disabled") {
        return fail(
          new ChannelError({ reason: "unauthorized", message: "Socket Mode is off in the settings of the app" })
        )
      }
      return onEnding()
    }
    if (typeof envelope_id === "string" && payload !== undefined) void answer(envelope_id, payload)
  }

  socket.addEventListener("message", ({ data }) => {
    alive()
    if (typeof data === "string") read(data)
  })
  socket.addEventListener("close", () => {
    close()
    const error = lost("Slack closed the connection of Socket Mode")
    ready.reject(error)
    ended.resolve()
  })
  // a close follows
  socket.addEventListener("error", () => undefined)
  ready.promise.catch(() => undefined)
  ended.promise.catch(() => undefined)
  return { ready: ready.promise, ended: ended.promise, close }
}

/**
 * Listens until the signal is aborted. When Slack announces the end of a connection, the next one is open before the
 * first one is closed. Fails when no connection can be made.
 */
export const listen = async (options: Options, context: Context): Promise<void> => {
  const { signal } = context
  const stopped = Promise.withResolvers<void>()
  const open = new Set<Connection>()
  const stop = () => stopped.resolve()
  signal.addEventListener("abort", stop, { once: true })
  try {
    while (!signal.aborted) {
      const ending = Promise.withResolvers<void>()
      const since = Date.now()
      const connection = connect(await addressOf(options.api, context), options, ending.resolve)
      open.add(connection)
      await Promise.race([connection.ready, stopped.promise])
      // those before it have nothing more to get
      for (const other of open) {
        if (other === connection) continue
        other.close()
        open.delete(other)
      }
      const isLost = await Promise.race([
        connection.ended.then(() => true),
        ending.promise.then(() => false),
        stopped.promise.then(() => false)
      ])
      if (isLost && Date.now() - since < minLife) throw lost("Slack closed the connection of Socket Mode")
    }
  } finally {
    signal.removeEventListener("abort", stop)
    for (const connection of open) connection.close()
  }
}
