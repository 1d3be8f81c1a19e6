// Limits the number of sessions. The library keeps one until its client ends it, and clients that end theirs are rare;
// so a new one replaces the least recently used one without a call in progress, of the caller who has most of them. A
// client whose session was replaced gets a 404 and begins another: only its name and its capabilities were kept there.
// A session belongs to the user who began it, and for others it does not exist.
import { Effect, type Scope } from "effect"
import { HttpEffect, type HttpServerRequest, type HttpServerResponse } from "effect/http"

export const header = "mcp-session-id"

const versionHeader = "mcp-protocol-version"

interface Session {
  openCalls: number
  readonly caller: Caller
  /** The negotiated revision of the protocol. */
  readonly version: string | undefined
}

export interface Caller {
  /** Under which sessions are counted. */
  readonly key: string
  /** Undefined for a caller without a name: a session of such a caller belongs to no user. */
  readonly user_id: string | undefined
}

export interface McpSessions {
  /** Whether the session is one of another user. */
  readonly isOfAnother: (id: string | undefined, caller: Caller) => boolean
  /** Whether a new session can begin. */
  readonly hasCapacity: () => boolean
  /** Serves a request, which may be in a session, or begin one, or end one. */
  readonly track: <E, R>(
    id: string | undefined,
    caller: Caller,
    app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
  ) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R | Scope.Scope | HttpServerRequest.HttpServerRequest>
  readonly has: (id: string | undefined) => boolean
  readonly versionOf: (id: string | undefined) => string | undefined
  readonly forget: (id: string) => void
}

/** `end` ends a session where it is kept. */
export const make = (maxSessions: number, end: (id: string) => Effect.Effect<unknown>): McpSessions => {
  /** The least recently used one comes first. */
  const sessions = new Map<string, Session>()

  const touch = (id: string, session: Session) => {
    sessions.delete(id)
    sessions.set(id, session)
  }

  const idle = (): string | undefined => {
    const counts = new Map<string, number>()
    for (const { caller: { key } } of sessions.values()) counts.set(key, (counts.get(key) ?? 0) + 1)
    let found: string | undefined
    let most = 0
    for (const [id, { caller: { key }, openCalls }] of sessions) {
      const count = counts.get(key) ?? 0
      if (openCalls > 0 || count <= most) continue
      most = count
      found = id
    }
    return found
  }

  const begun = (id: string, caller: Caller, version: string | undefined) =>
    Effect.suspend(() => {
      sessions.set(id, { openCalls: 0, caller, version })
      const oldest = sessions.size > maxSessions ? idle() : undefined
      if (oldest === undefined) return Effect.void
      sessions.delete(oldest)
      return end(oldest)
    })

  // until the last byte of the response has left
  const using = (id: string) =>
    Effect.suspend(() => {
      const session = sessions.get(id)
      if (session === undefined) return Effect.void
      session.openCalls++
      touch(id, session)
      return Effect.addFinalizer(() =>
        Effect.sync(() => {
          session.openCalls--
          if (sessions.has(id)) touch(id, session)
        })
      )
    })

  // The library names the session when the response is about to leave, even after a disconnect: the session
  // that it keeps has to be known here in any case.
  const named = (caller: Caller) =>
    HttpEffect.appendPreResponseHandler((_, response) => {
      const id = response.headers[header]
      return Effect.as(
        id === undefined || sessions.has(id) ? Effect.void : begun(id, caller, response.headers[versionHeader]),
        response
      )
    })

  return {
    hasCapacity: () => sessions.size < maxSessions || idle() !== undefined,
    isOfAnother: (id, { user_id }) => {
      const session = id === undefined ? undefined : sessions.get(id)
      return session?.caller.user_id !== undefined && session.caller.user_id !== user_id
    },
    track: (id, caller, app) =>
      id === undefined ? Effect.onExit(app, () => named(caller)) : Effect.andThen(using(id), app),
    has: (id) => id !== undefined && sessions.has(id),
    versionOf: (id) => id === undefined ? undefined : sessions.get(id)?.version,
    forget: (id) => {
      sessions.delete(id)
    }
  }
}
