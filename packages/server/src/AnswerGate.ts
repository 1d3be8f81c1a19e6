// Counts the bytes that a request reads for its answer until the answer is sent, so that clients that do not read their
// answers cannot fill the memory. A request without room waits, and is refused before it reads.
import type * as Principal from "@svc/domain/Principal"
import { StorageUnavailable } from "@svc/domain/StorageUnavailable"
import type * as ReadGate from "@svc/runtime/ReadGate"
import { Effect, Option, Scope } from "effect"
import type { HttpServerRequest } from "effect/http"
import * as Caller from "./authorization/Caller.ts"
import { isUpgrade } from "./authorization/isUpgrade.ts"
import * as ByteBudget from "./ByteBudget.ts"
import { type Limits, mcpPath } from "./Settings.ts"

/** Answers of this size never wait. */
const small = 256 * 1024

/** A result of a tool is in memory several times: as a value, as JSON, as text in JSON, and as bytes. */
const copiesOfMcp = 4

/** Pieces of this size are not counted. */
const smallPiece = 64 * 1024

const timeout = "10 seconds"

/** Large answers that are read and encoded at a time: this work delays all other requests. */
const largeReads = 2

/** A read that takes longer, as in a database that does not answer, no longer delays the others. */
const longestTurn = "5 seconds"

export interface Budgets {
  readonly bytes: ByteBudget.ByteBudget
  /** One turn for each large read, and one at a time for each caller. */
  readonly turns: ByteBudget.ByteBudget
}

export const budgetsOf = ({ answersInFlight }: Pick<Limits, "answersInFlight">): Budgets => ({
  bytes: ByteBudget.make({ total: answersInFlight, share: answersInFlight / 2, timeout }),
  turns: ByteBudget.make({ total: largeReads, share: 1, timeout })
})

const crowded = () => Effect.fail(new StorageUnavailable({ cause: "MAX_ANSWER_BYTES_IN_FLIGHT", isCrowded: true }))

export interface Options {
  readonly budgets: Budgets
  readonly request: HttpServerRequest.HttpServerRequest
  readonly principal: Principal.Principal
  /** Closed when the answer was sent, or its client has gone. */
  readonly scope: Scope.Scope
}

export interface AnswerGate extends ReadGate.Gate {
  /** The answer is encoded, or is about to be sent in pieces: the next large read has its turn. */
  readonly encoded: Effect.Effect<void>
}

/** Undefined for a socket: it is open for long, and reads pages of bounded size. */
export const make = ({ budgets, principal, request, scope }: Options): AnswerGate | undefined => {
  if (isUpgrade(request)) return undefined
  const { bytes: budget, turns } = budgets
  const caller = Caller.keyOfPrincipal(principal, Option.getOrUndefined(request.remoteAddress))
  const copies = request.url.split("?")[0] === mcpPath ? copiesOfMcp : 1
  const isReadOnly = request.method === "GET" || request.method === "HEAD"
  const hasTurns = isReadOnly || request.method === "PATCH"
  let [held, read, heldTurns, isEncoded] = [0, 0, 0, false]
  const hold = (bytes: number) =>
    Effect.suspend(() => {
      held += bytes
      return Scope.addFinalizer(scope, Effect.sync(() => budget.release(caller, bytes)))
    })
  const takeBytes = (bytes: number) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.andThen(restore(budget.take(caller, bytes, crowded, held)), hold(bytes))
    )
  const endTurn = Effect.sync(() => {
    for (; heldTurns > 0; heldTurns--) turns.release(caller, 1)
  })
  const holdTurn = Effect.suspend(() => {
    heldTurns++
    return isEncoded ? endTurn : Effect.forkIn(Effect.delay(endTurn, longestTurn), scope)
  })
  // requests of other methods also wait for agents and tools: they must not keep a turn meanwhile
  const takeTurn = Effect.suspend(() =>
    !hasTurns || isEncoded
      ? Effect.void
      : Effect.uninterruptibleMask((restore) => Effect.andThen(restore(turns.take(caller, 1, crowded)), holdTurn))
  )
  // what it takes, nothing, is released, so that no entry of the caller stays
  const room = Effect.tap(budget.take(caller, 0, crowded), () => Effect.sync(() => budget.release(caller, 0)))
  return {
    isReadOnly,
    pieces: {
      isCounted: true,
      isFull: () => budget.isFull(caller),
      room,
      hold: (bytes) => {
        if (bytes <= smallPiece) return () => {}
        budget.occupy(caller, bytes)
        return () => budget.release(caller, bytes)
      }
    },
    encoded: Effect.suspend(() => {
      isEncoded = true
      return endTurn
    }),
    admit: (bytes) =>
      Effect.suspend(() => {
        read += copies * bytes
        if (read <= small || bytes === 0) return Effect.void
        // no turn is held while bytes are awaited: slow clients may hold them
        const admitted = Effect.andThen(endTurn, Effect.andThen(takeBytes(read - held), takeTurn))
        return Effect.timeoutOrElse(Effect.asVoid(admitted), { duration: timeout, orElse: crowded })
      })
  }
}
