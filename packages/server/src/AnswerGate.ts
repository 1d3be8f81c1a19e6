// What a request reads for its answer is counted until the answer was sent: clients that do not read their answers must
// not fill the memory. An answer that does not fit waits, and is refused before it is read.
import type { Principal } from "@svc/domain"
import { type ReadGate, StorageUnavailable } from "@svc/runtime"
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

const timeout = "10 seconds"

export const budgetOf = ({ answersInFlight }: Pick<Limits, "answersInFlight">): ByteBudget.ByteBudget =>
  ByteBudget.make({ total: answersInFlight, share: answersInFlight / 2, timeout })

const crowded = () => Effect.fail(new StorageUnavailable({ cause: "MAX_ANSWER_BYTES_IN_FLIGHT", isCrowded: true }))

export interface Options {
  readonly budget: ByteBudget.ByteBudget
  readonly request: HttpServerRequest.HttpServerRequest
  readonly principal: Principal.Principal
  /** Closed when the answer was sent, or its client has gone. */
  readonly scope: Scope.Scope
}

/** Undefined for a socket: it is open for long, and reads pages of bounded size. */
export const make = ({ budget, principal, request, scope }: Options): ReadGate.Gate | undefined => {
  if (isUpgrade(request)) return undefined
  const caller = Caller.keyOfPrincipal(principal, Option.getOrUndefined(request.remoteAddress))
  const copies = request.url.split("?")[0] === mcpPath ? copiesOfMcp : 1
  let [held, read] = [0, 0]
  const hold = (bytes: number) =>
    Effect.suspend(() => {
      held += bytes
      return Scope.addFinalizer(scope, Effect.sync(() => budget.release(caller, bytes)))
    })
  return {
    isReadOnly: request.method === "GET" || request.method === "HEAD",
    admit: (bytes) =>
      Effect.suspend(() => {
        read += copies * bytes
        if (read <= small || bytes === 0) return Effect.void
        const more = read - held
        return Effect.uninterruptibleMask((restore) =>
          Effect.andThen(restore(budget.take(caller, more, crowded, held)), hold(more))
        )
      })
  }
}
