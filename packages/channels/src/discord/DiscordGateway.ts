// Discord's gateway: a connection over which messages arrive: https://docs.discord.com/developers/events/gateway
import * as Json from "@svc-runtime/domain/Json"
import { Option, Redacted } from "effect"
import type { Context } from "../Adapter.ts"
import { ChannelError } from "../ChannelError.ts"
import * as DiscordApi from "./DiscordApi.ts"

/** What is needed to continue where a connection has ended. */
interface Session {
  readonly id: string
  readonly url: string
  /** The id of the bot. */
  readonly self: string
  /** The number of the last event that is stored. */
  stored: number
}

/** What an adapter keeps between connections. */
export interface Memory {
  session?: Session | undefined
}

export interface Options {
  readonly api: DiscordApi.DiscordApi
  readonly memory: Memory
  /** Stores an event. What is not stored, Discord sends again. */
  readonly handle: (type: string, data: Json.Value, self: string) => Promise<void>
  /** The least milliseconds before a session is begun in place of one that Discord has forgotten. */
  readonly patience?: number | undefined
}

/** Messages of servers, and messages to the bot. Without a further one, only what mentions the bot has its text. */
const intents = (1 << 9) | (1 << 12)

const operations = { dispatch: 0, heartbeat: 1, identify: 2, resume: 6, reconnect: 7, invalid: 9, hello: 10, ack: 11 }

/** With 1000 the session would end. */
const continued = 4000

/** A connection that ends sooner, without being asked to, has failed: others are not opened at once. */
const minLife = 10_000

/** Milliseconds until the first message of Discord. */
const maxHello = 20_000

const temporary = (message: string) => new ChannelError({ reason: "temporary", message })
const unauthorized = (message: string) => new ChannelError({ reason: "unauthorized", message })

/** Codes after which another connection would end the same way. */
const fatal: ReadonlyMap<number, string> = new Map([
  [4004, "Discord refused the token"],
  [4010, "Discord refused the shard of the connection"],
  [4011, "The bot is in too many servers for one connection"],
  [4012, "Discord has no gateway of this version any more"],
  [4013, "Discord refused what the connection asks for"],
  [4014, "Discord refused what the connection asks for: the application lacks an intent"]
])

/** Codes after which the session cannot be continued. */
const forgotten = [4003, 4005, 4007, 4009]

const hosts = /(?:^|\.)discord\.gg$/

/** The token is sent there, so that another address than Discord's is refused. */
const addressOf = (api: DiscordApi.DiscordApi, url: Json.Value | undefined): string => {
  if (typeof url === "string" && URL.canParse(url)) {
    const { hostname, protocol } = new URL(url)
    const own = new URL(api.url)
    const isOwn = hostname === own.hostname && protocol === own.protocol.replace("http", "ws")
    if (isOwn || (protocol === "wss:" && hosts.test(hostname))) return url
  }
  throw temporary("Discord gave no address for its gateway")
}

const gateway = async (api: DiscordApi.DiscordApi, context: Context): Promise<string> => {
  const body = await DiscordApi.call(api, { method: "GET", path: "/gateway/bot" }, context)
  const { session_start_limit: limit, url } = Json.isObject(body) ? body : {}
  if (Json.isObject(limit) && limit["remaining"] === 0) {
    throw new ChannelError({
      reason: "rate_limited",
      message: "Discord allows no more connections of the bot for now",
      retryAfter: Number(limit["reset_after"] ?? 0) / 1000
    })
  }
  return addressOf(api, url)
}

/** Why a connection has ended, without an error. */
type End = "asked" | "forgotten" | "lost" | "stopped"

/** One connection, until it ends. It is continued if there is a session after it. */
const connect = (url: string, { api, handle, memory }: Options, signal: AbortSignal): Promise<End> =>
  new Promise((resolve, reject) => {
    if (signal.aborted) return resolve("stopped")
    const address = new URL(url)
    address.search = "?v=10&encoding=json"
    const socket = new WebSocket(address)
    const token = Redacted.value(api.token)
    let received = memory.session?.stored ?? 0
    let interval = 0
    let isAlive = true
    let isEnded = false
    let last: Promise<unknown> = Promise.resolve()
    let timer = setTimeout(() => fail(temporary("Discord did not greet on the connection of its gateway")), maxHello)

    const close = () => {
      isEnded = true
      clearTimeout(timer)
      signal.removeEventListener("abort", stop)
      if (socket.readyState <= WebSocket.OPEN) socket.close(continued)
    }
    const end = (why: End) => {
      close()
      resolve(why)
    }
    const fail = (error: ChannelError) => {
      close()
      reject(error)
    }
    const stop = () => end("stopped")
    signal.addEventListener("abort", stop, { once: true })

    const send = (op: number, d: Json.Value) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ op, d }))
    }

    const beat = () => send(operations.heartbeat, received === 0 ? null : received)

    /** Discord must have answered the heartbeat before the next one. */
    const beatAfter = (wait: number) => {
      timer = setTimeout(() => {
        if (!isAlive) return end("lost")
        isAlive = false
        beat()
        beatAfter(interval)
      }, wait)
    }

    const begin = (given: number) => {
      interval = given
      clearTimeout(timer)
      beatAfter(interval * Math.random())
      const { session } = memory
      if (session === undefined) {
        const properties = { os: "linux", browser: "svc", device: "svc" }
        return send(operations.identify, { token, intents, properties })
      }
      send(operations.resume, { token, session_id: session.id, seq: session.stored })
    }

    /** One after the other: behind an event that is not stored, none counts as stored. */
    const store = (session: Session, type: string, seq: number, data: Json.Value) => {
      last = last.then(() => handle(type, data, session.self)).then(() => {
        session.stored = Math.max(session.stored, seq)
      })
      last.catch(() => fail(temporary("An event of Discord could not be stored")))
    }

    const dispatch = (type: string, seq: number, data: Json.Value) => {
      const { session } = memory
      received = seq
      if (type !== "READY") return session === undefined ? undefined : store(session, type, seq, data)
      const { resume_gateway_url: resume, session_id: id, user } = Json.isObject(data) ? data : {}
      const self = Json.isObject(user) ? user["id"] : undefined
      if (typeof id !== "string" || typeof self !== "string") throw temporary("Discord began no session")
      memory.session = { id, self, url: addressOf(api, resume), stored: seq }
    }

    const read = (text: string): void => {
      if (isEnded) return
      const message = Option.getOrUndefined(Option.filter(Json.parse(text), Json.isShallow))
      if (!Json.isObject(message)) return
      const { d = null, op, s, t } = message
      switch (op) {
        case operations.dispatch:
          return typeof t === "string" && typeof s === "number" ? dispatch(t, s, d) : undefined
        case operations.heartbeat:
          return beat()
        case operations.ack:
          isAlive = true
          return
        case operations.reconnect:
          return end("asked")
        case operations.invalid:
          if (d !== true) memory.session = undefined
          return end(d === true ? "asked" : "forgotten")
        case operations.hello: {
          const given = Json.isObject(d) ? Number(d["heartbeat_interval"]) : Number.NaN
          return given > 0 ? begin(given) : fail(temporary("Discord gave no time for heartbeats"))
        }
      }
    }

    socket.addEventListener("message", ({ data }) => {
      try {
        if (typeof data === "string") read(data)
      } catch (error) {
        fail(error instanceof ChannelError ? error : temporary("A message of Discord's gateway cannot be read"))
      }
    })
    // a close follows
    socket.addEventListener("error", () => undefined)
    socket.addEventListener("close", ({ code }) => {
      const text = fatal.get(code)
      const isForgotten = text !== undefined || forgotten.includes(code)
      if (isForgotten && !isEnded) memory.session = undefined
      if (text !== undefined) fail(unauthorized(text))
      else end(isForgotten ? "forgotten" : "lost")
    })
  })

const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener("abort", end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    signal.addEventListener("abort", end, { once: true })
  })

/** Listens until the signal is aborted. A connection that ends is continued, so that nothing is missed. */
export const listen = async (options: Options, context: Context): Promise<void> => {
  const { api, memory, patience = 1000 } = options
  const { signal } = context
  while (!signal.aborted) {
    const since = Date.now()
    const url = memory.session === undefined ? await gateway(api, context) : memory.session.url
    const why = await connect(url, options, signal)
    if (why === "lost" && Date.now() - since < minLife) throw temporary("Discord closed the connection of its gateway")
    // as Discord asks for
    if (why === "forgotten") await pause(patience * (1 + 4 * Math.random()), signal)
  }
}
