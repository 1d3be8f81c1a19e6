// The gateway of Discord (https://docs.discord.com/developers/events/gateway) for one bot: sessions that are resumed,
// heartbeats, intents, and the codes with which Discord closes.
import type * as Http from "node:http"
import { accept, type Connection } from "./PlatformSocket.ts"

type Values = Record<string, unknown>

export interface Session {
  readonly id: string
  readonly intents: number
  /** What was dispatched: the number of an event is its place, from 1. */
  readonly events: Array<Values>
  connection: Connection | undefined
}

export interface Options {
  readonly server: Http.Server
  readonly url: () => string
  readonly token: string
  readonly user: Values
  readonly application: string
  /** Intents that need a switch in the settings of the application. */
  readonly privileged: number
  readonly heartbeat: () => number
  readonly changed: () => void
}

export const intents = { guildMessages: 1 << 9, directMessages: 1 << 12, messageContent: 1 << 15 }

const maxIntents = 1 << 26

/** An event that is dispatched to sessions with one of these intents; all of them, if there are none. */
export interface Dispatch {
  readonly t: string
  readonly intents?: number
  /** What a session sees of it. */
  readonly d: (intents: number) => Values
}

export const make = (options: Options) => {
  const sessions = new Map<string, Session>()
  const connections: Array<Connection> = []
  /** The operations of the bot, in order. */
  const operations: Array<Values> = []
  /** Heartbeats are not answered. */
  let isDead = false
  let next = 1

  const send = (session: Session, seq: number): void =>
    session.connection?.send({ op: 0, s: seq, ...session.events[seq - 1] })

  const add = (session: Session, t: string, d: Values): void => {
    session.events.push({ t, d })
    send(session, session.events.length)
  }

  const identify = (connection: Connection, { intents, shard = [0, 1], token }: Values): Session | undefined => {
    if (token !== options.token) return void connection.close(4004, "Authentication failed.")
    if (String(shard) !== "0,1") return void connection.close(4010, "Invalid shard.")
    const given = Number(intents)
    if (!Number.isInteger(given) || given < 0 || given >= maxIntents) {
      return void connection.close(4013, "Invalid intent(s).")
    }
    if ((given & options.privileged) !== 0) return void connection.close(4014, "Disallowed intent(s).")
    const session: Session = { id: `session-${next++}`, intents: given, events: [], connection }
    sessions.set(session.id, session)
    add(session, "READY", {
      v: 10,
      user: options.user,
      guilds: [],
      session_id: session.id,
      resume_gateway_url: options.url(),
      shard: [0, 1],
      application: { id: options.application, flags: 0 }
    })
    return session
  }

  const resume = (connection: Connection, { seq, session_id, token }: Values): Session | undefined => {
    if (token !== options.token) return void connection.close(4004, "Authentication failed.")
    const session = sessions.get(String(session_id))
    if (session === undefined) return void connection.send({ op: 9, d: false })
    if (Number(seq) > session.events.length) return void connection.close(4007, "Invalid seq.")
    session.connection = connection
    for (let missed = Number(seq) + 1; missed <= session.events.length; missed++) send(session, missed)
    add(session, "RESUMED", {})
    return session
  }

  accept(
    options.server,
    (path, query) => path === "/" && query.get("v") === "10" && query.get("encoding") === "json",
    (connection) => {
      let session: Session | undefined
      const receive = (text: string): void => {
        let payload: Values
        try {
          payload = JSON.parse(text) as Values
        } catch {
          return connection.close(4002, "Error while decoding payload.")
        }
        const { d, op } = payload
        operations.push(payload)
        if (op === 1) {
          if (!isDead) connection.send({ op: 11 })
          return
        }
        if (op === 2 || op === 6) {
          if (session !== undefined) return connection.close(4005, "Already authenticated.")
          session = op === 2 ? identify(connection, d as Values) : resume(connection, d as Values)
          return
        }
        if (session === undefined) return connection.close(4003, "Not authenticated.")
        connection.close(4001, "Unknown opcode.")
      }
      connections.push(connection)
      connection.onText = (text) => {
        receive(text)
        options.changed()
      }
      connection.onClose = (code) => {
        connections.splice(connections.indexOf(connection), 1)
        if (session?.connection === connection) session.connection = undefined
        // the bot leaves
        if (session !== undefined && (code === 1000 || code === 1001)) sessions.delete(session.id)
        options.changed()
      }
      connection.send({ op: 10, d: { heartbeat_interval: options.heartbeat() } })
      options.changed()
    }
  )

  return {
    sessions: sessions as ReadonlyMap<string, Session>,
    connections: connections as ReadonlyArray<Connection>,
    operations: operations as ReadonlyArray<Values>,
    /** Sessions without a connection get it when they are resumed. */
    dispatch: ({ d, intents = 0, t }: Dispatch): void => {
      for (const session of sessions.values()) {
        if (intents === 0 || (session.intents & intents) !== 0) add(session, t, d(session.intents))
      }
    },
    /** Discord has forgotten the sessions. */
    forget: () => sessions.clear(),
    /** The connection is there, but nothing answers. */
    die: (isTrue = true) => {
      isDead = isTrue
    }
  }
}
