// Counts the bytes that a request reads for its response until it is sent, so that clients that do not read their
// responses cannot fill the memory. A request without room waits, and is refused before it reads. What waits on
// connections counts in the same budget (`SlowReaders`).
import type * as Principal from "@svc-runtime/domain/Principal"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as ReadLimiter from "@svc-runtime/engine/limits/ReadLimiter"
import { Effect, Option, Scope } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { IncomingMessage } from "node:http"
import * as CallerKey from "../authorization/CallerKey.ts"
import { isUpgrade } from "../authorization/isUpgrade.ts"
import * as ByteBudget from "../requests/ByteBudget.ts"
import * as LargeReadThrottle from "../requests/LargeReadThrottle.ts"
import { type Limits, mcpPath } from "../Settings.ts"

/** Responses of this size never wait. */
const small = 256 * 1024

/** A result of a tool is in memory several times: as a value, as JSON, as text in JSON, and as bytes. */
const copiesOfMcp = 4

/** The JSON and its bytes. */
const copiesOfBody = 2

const timeout = "10 seconds"

/** Large responses that are read and encoded at a time: this work delays all other requests. */
const largeReads = 2

/** Searches that are executed at a time: fewer than a database has connections. */
const searchesAtOnce = 8

/** A read that takes longer, as in a database that does not reply, no longer delays the others. */
const maxTurn = "5 seconds"

export interface Budgets {
  readonly bytes: ByteBudget.ByteBudget
  /** One turn for each large read, and one at a time for each caller. */
  readonly turns: ByteBudget.ByteBudget
  /** One for each search that is executed. */
  readonly searches: ByteBudget.ByteBudget
  /** Between the large reads of a caller. */
  readonly pauses: LargeReadThrottle.LargeReadThrottle
}

export const budgetsOf = ({ responsesInFlight }: Pick<Limits, "responsesInFlight">): Budgets => ({
  bytes: ByteBudget.make({
    total: responsesInFlight,
    // an eighth of what others leave: of any number of callers, some is left for the next one
    share: (others) => (responsesInFlight - others) / 8,
    timeout
  }),
  turns: ByteBudget.make({ total: largeReads, share: () => 1, timeout }),
  searches: ByteBudget.make({
    total: searchesAtOnce,
    share: (others) => Math.max(1, Math.floor((searchesAtOnce - others) / 2)),
    timeout
  }),
  pauses: LargeReadThrottle.make()
})

const crowded = () => Effect.fail(new StorageUnavailable({ cause: "MAX_RESPONSE_BYTES_IN_FLIGHT", isCrowded: true }))

const manySearches = () => Effect.fail(new StorageUnavailable({ cause: "too many searches", hasManySearches: true }))

export interface Options {
  readonly budgets: Budgets
  readonly request: HttpServerRequest.HttpServerRequest
  readonly principal: Principal.Principal
  /** Closed when the response was sent, or its client has gone. */
  readonly scope: Scope.Scope
}

export interface RequestReadLimiter extends ReadLimiter.Limiter {
  /**
   * The response is encoded, or is about to be sent in pieces: the next large read has its turn. A body that was
   * encoded as a whole counts with the garbage that it leaves: a text that was read once can be in it many times.
   */
  readonly encoded: (response: HttpServerResponse.HttpServerResponse | undefined) => Effect.Effect<void>
}

/** The turns of the large reads of one response. */
interface Turns {
  /** No turn is held while bytes are awaited: slow clients may hold them. */
  readonly pause: Effect.Effect<void>
  readonly take: Effect.Effect<void, StorageUnavailable>
  readonly end: Effect.Effect<void>
}

// requests of other methods also wait for agents and tools: they must not keep a turn meanwhile
const withoutTurns: Turns = { pause: Effect.void, take: Effect.void, end: Effect.void }

const makeTurns = ({ pauses, turns }: Budgets, caller: string, scope: Scope.Scope): Turns => {
  const held: Array<Effect.Effect<void>> = []
  let isEnded = false
  const releaseOne = Effect.sync(() => turns.release(caller, 1))
  const release = Effect.suspend(() =>
    Effect.forEach(held.splice(0), (ended) => Effect.andThen(ended, releaseOne), { discard: true })
  )
  /** A read that waits for its database costs no other request its time: no pause follows. */
  const leave = Effect.suspend(() => Effect.forEach(held.splice(0), () => releaseOne, { discard: true }))
  const hold = Effect.flatMap(pauses.begin(caller), (ended) => {
    held.push(ended)
    return isEnded ? release : Effect.forkIn(Effect.delay(leave, maxTurn), scope)
  })
  /** False if the pause began while the turn was awaited. */
  const taken = Effect.uninterruptibleMask((restore) =>
    Effect.andThen(
      restore(turns.take(caller, 1, crowded)),
      Effect.flatMap(pauses.rest(caller), (rest) =>
        rest > 0
          ? Effect.as(releaseOne, false)
          : Effect.as(hold, true))
    )
  )
  const pause = Effect.flatMap(pauses.rest(caller), (rest) => rest > 0 ? Effect.sleep(rest) : Effect.void)
  const take: Effect.Effect<void, StorageUnavailable> = Effect.flatMap(taken, (isTaken) =>
    isTaken
      ? Effect.void
      : Effect.andThen(pause, take))
  return {
    pause: Effect.suspend(() => isEnded ? Effect.void : Effect.andThen(release, pause)),
    take: Effect.suspend(() => isEnded ? Effect.void : take),
    end: Effect.suspend(() => {
      isEnded = true
      return release
    })
  }
}

/** Most requests read nothing large, and need no turns. */
interface LazyTurns {
  readonly make: () => Turns
  readonly end: Effect.Effect<void>
}

const lazily = (make: () => Turns): LazyTurns => {
  let made: Turns | undefined
  let isEnded = false
  return {
    make: () => isEnded && made === undefined ? withoutTurns : made ??= make(),
    end: Effect.suspend(() => {
      isEnded = true
      return made === undefined ? Effect.void : made.end
    })
  }
}

/** Requests that do not come from a socket have no connection. */
const connectionOf = ({ source }: HttpServerRequest.HttpServerRequest): object | undefined =>
  source instanceof IncomingMessage ? source.socket : undefined

export const make = ({ budgets, principal, request, scope }: Options): RequestReadLimiter => {
  const { bytes: budget, pauses, searches } = budgets
  const caller = CallerKey.ofPrincipal(principal, Option.getOrUndefined(request.remoteAddress))
  const copies = request.url.split("?")[0] === mcpPath ? copiesOfMcp : 1
  const isReadOnly = request.method === "GET" || request.method === "HEAD"
  const connection = connectionOf(request)
  /** Of the connection too, so that what waits there does not count twice. */
  const note = (bytes: number) => connection === undefined ? undefined : budget.note(connection, caller, bytes)
  note(0)
  const release = (bytes: number) => {
    note(-bytes)
    budget.release(caller, bytes)
  }
  let [held, read] = [0, 0]
  const hold = (bytes: number) =>
    Effect.suspend(() => {
      held += bytes
      note(bytes)
      return Scope.addFinalizer(scope, Effect.sync(() => release(bytes)))
    })
  const whole = (response: HttpServerResponse.HttpServerResponse | undefined) =>
    Effect.suspend(() => {
      const body = response?.body
      const more = body?._tag === "Uint8Array" ? copiesOfBody * body.body.length - held : 0
      if (more <= small) return Effect.void
      budget.occupy(caller, more)
      return hold(more)
    })
  const takeBytes = (bytes: number) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.andThen(restore(budget.take(caller, bytes, crowded, held)), hold(bytes))
    )
  // what it takes, nothing, is released, so that no entry of the caller stays
  const waitForRoom = Effect.suspend(() =>
    Effect.tap(budget.take(caller, 0, crowded), () => Effect.sync(() => budget.release(caller, 0)))
  )
  const pieces: ReadLimiter.Pieces = {
    isCounted: true,
    isFull: () => budget.isFull(caller),
    waitForRoom,
    reserve: (bytes) => {
      if (bytes <= ReadLimiter.smallPiece) return () => {}
      budget.occupy(caller, bytes)
      note(bytes)
      return () => release(bytes)
    }
  }
  const searching = <A, E, R>(search: Effect.Effect<A, E, R>) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.andThen(
        restore(searches.take(caller, 1, manySearches)),
        Effect.ensuring(restore(search), Effect.sync(() => searches.release(caller, 1)))
      )
    )
  // a socket is open for long, and reads pieces only
  if (isUpgrade(request)) {
    return { isReadOnly: false, pieces, admit: () => Effect.void, searching, encoded: () => Effect.void }
  }
  pauses.arrived()
  const limiterOf = (isReadOnly: boolean, { end, make }: LazyTurns): RequestReadLimiter => ({
    isReadOnly,
    pieces,
    reading,
    searching,
    encoded: (response) => Effect.andThen(end, whole(response)),
    admit: (bytes) =>
      Effect.suspend(() => {
        read += copies * bytes
        if (read <= small || bytes === 0) return Effect.void
        const turns = make()
        const admitted = Effect.andThen(turns.pause, Effect.andThen(takeBytes(read - held), turns.take))
        return Effect.timeoutOrElse(Effect.asVoid(admitted), { duration: timeout, orElse: crowded })
      })
  })
  const reading = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      const turns = lazily(() => makeTurns(budgets, caller, scope))
      return Effect.ensuring(Effect.provideService(effect, ReadLimiter.ReadLimiter, limiterOf(true, turns)), turns.end)
    })
  const hasTurns = isReadOnly || request.method === "PATCH"
  return limiterOf(isReadOnly, lazily(() => hasTurns ? makeTurns(budgets, caller, scope) : withoutTurns))
}
