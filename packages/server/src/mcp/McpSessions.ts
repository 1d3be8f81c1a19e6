// The sessions of clients. The library keeps a session in memory until its client ends it, and clients that end theirs
// are rare. So a new one replaces the least recently used one without a call in progress, of the caller who has most of
// them. The ids of clients outlive what the library keeps: it begins the session again when the client sends its next
// message, to this node or to another one.
import { Effect, type Scope, Semaphore } from "effect"
import { HttpEffect, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { hash, randomBytes } from "node:crypto"

// The id of a session has all that the service knows of it: the revision of the protocol, and whose it is. So any node
// can serve it, and a session outlives the process in which it began. A session grants no rights, so the id needs no
// secret: who makes one up has a session of their own.

const proofOf = (version: string, nonce: string, user: string | undefined): string =>
  hash("sha256", JSON.stringify([version, nonce, user ?? null]), "base64url")

/** Of a user. A session of a caller without a name belongs to no user, and everyone may use it. */
const newId = (version: string, user: string | undefined): string => {
  const nonce = randomBytes(16).toString("base64url")
  return `${version}.${nonce}.${proofOf(version, nonce, user)}`
}

/** Undefined: the user has no such session. */
const versionOf = (id: string, user: string | undefined): string | undefined => {
  const [, version, nonce, proof] = /^([\d-]{10})\.([\w-]{22})\.([\w-]{43})$/.exec(id) ?? []
  if (version === undefined || nonce === undefined) return undefined
  return proof === proofOf(version, nonce, user) || proof === proofOf(version, nonce, undefined) ? version : undefined
}

export const header = "mcp-session-id"

const versionHeader = "mcp-protocol-version"

/** Of the sessions that their clients have ended, so many are known. The id of another one would begin it again. */
const maxEnded = 10_000

/** What the library keeps. */
interface Session {
  openCalls: number
  /** Under which it is counted. */
  readonly key: string
  /** The id by which the library knows it. */
  readonly inner: string
}

export interface Caller {
  /** Under which sessions are counted. */
  readonly key: string
  /** Undefined for a caller without a name: a session of such a caller belongs to no user. */
  readonly user_id: string | undefined
}

/** How the library begins and ends sessions. */
export interface Library {
  /** Returns the id of the library. */
  readonly begin: (version: string) => Effect.Effect<string>
  readonly end: (inner: string) => Effect.Effect<unknown>
}

type Response = HttpServerResponse.HttpServerResponse

export interface McpSessions {
  /** The revision of a session. Undefined: the caller has no such session. */
  readonly versionOf: (id: string | undefined, caller: Caller) => string | undefined
  /** The id by which the library knows a session, if it keeps it. */
  readonly innerOf: (id: string) => string | undefined
  /** Whether the library can keep another session. */
  readonly hasCapacity: () => boolean
  /** Serves a request that may begin a session. */
  readonly beginning: <E, R>(
    caller: Caller,
    app: Effect.Effect<Response, E, R>
  ) => Effect.Effect<Response, E, R | HttpServerRequest.HttpServerRequest>
  /** Serves a request in a session. Undefined: there is no room for it now. */
  readonly within: <E, R>(
    id: string,
    version: string,
    caller: Caller,
    app: (inner: string) => Effect.Effect<Response, E, R>
  ) => Effect.Effect<Response | undefined, E, R | Scope.Scope>
  /** The client has ended it. */
  readonly ended: (id: string) => void
}

export const make = (maxSessions: number, { begin, end }: Library): McpSessions => {
  /** The least recently used one comes first. */
  const sessions = new Map<string, Session>()
  const ended = new Set<string>()
  const restoring = Semaphore.makeUnsafe(1)

  const touch = (id: string, session: Session) => {
    sessions.delete(id)
    sessions.set(id, session)
  }

  const idle = (): string | undefined => {
    const counts = new Map<string, number>()
    for (const { key } of sessions.values()) counts.set(key, (counts.get(key) ?? 0) + 1)
    let found: string | undefined
    let most = 0
    for (const [id, { key, openCalls }] of sessions) {
      const count = counts.get(key) ?? 0
      if (openCalls > 0 || count <= most) continue
      most = count
      found = id
    }
    return found
  }

  const hasCapacity = () => sessions.size < maxSessions || idle() !== undefined

  const keep = (id: string, session: Session) =>
    Effect.suspend(() => {
      sessions.set(id, session)
      const oldest = sessions.size > maxSessions ? idle() : undefined
      const replaced = oldest === undefined ? undefined : sessions.get(oldest)
      if (oldest === undefined || replaced === undefined) return Effect.void
      sessions.delete(oldest)
      return end(replaced.inner)
    })

  /** Begins it again where the library does not keep it. */
  const kept = (id: string, version: string, { key }: Caller) =>
    restoring.withPermit(Effect.suspend(() => {
      const known = sessions.get(id)
      if (known !== undefined || !hasCapacity()) return Effect.succeed(known)
      return Effect.flatMap(begin(version), (inner) => {
        const session: Session = { openCalls: 0, key, inner }
        return Effect.as(keep(id, session), session)
      })
    }))

  // until the last byte of the response has left
  const using = (id: string, session: Session) =>
    Effect.suspend(() => {
      session.openCalls++
      touch(id, session)
      return Effect.addFinalizer(() =>
        Effect.sync(() => {
          session.openCalls--
          if (sessions.get(id) === session) touch(id, session)
        })
      )
    })

  // The library names the session when the response is about to leave, even after a disconnect: the session
  // that it keeps has to be known here in any case.
  const named = ({ key, user_id }: Caller) =>
    HttpEffect.appendPreResponseHandler((_, response) => {
      const inner = response.headers[header]
      if (inner === undefined) return Effect.succeed(response)
      const id = newId(response.headers[versionHeader] ?? "", user_id)
      return Effect.as(keep(id, { openCalls: 0, key, inner }), HttpServerResponse.setHeader(response, header, id))
    })

  return {
    versionOf: (id, { user_id }) => id === undefined || ended.has(id) ? undefined : versionOf(id, user_id),
    innerOf: (id) => sessions.get(id)?.inner,
    hasCapacity,
    beginning: (caller, app) => Effect.onExit(app, () => named(caller)),
    within: (id, version, caller, app) =>
      Effect.flatMap(
        kept(id, version, caller),
        (session) => session === undefined ? Effect.undefined : Effect.andThen(using(id, session), app(session.inner))
      ),
    ended: (id) => {
      sessions.delete(id)
      ended.add(id)
      const [first = id] = ended
      if (ended.size > maxEnded) ended.delete(first)
    }
  }
}
