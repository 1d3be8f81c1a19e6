// The open calls of one link to a server of an older revision, which asks on the connection of a call. A call stays
// open while its run waits for a person, in this process only.
import type * as Json from "@svc-runtime/domain/Json"
import { Effect, type Exit, Fiber, Queue, type Scope } from "effect"
import { AsyncLocalStorage } from "node:async_hooks"
import type { ServerRequest } from "./Connecting.ts"

export interface Question {
  readonly request: ServerRequest
  readonly answer: (response: Json.Object) => void
  readonly refuse: (message: string) => void
}

export type Next<A, E> =
  | { readonly _tag: "Requested"; readonly question: Question }
  | { readonly _tag: "Ended"; readonly exit: Exit.Exit<A, E> }

export interface OpenCall<A, E> {
  readonly next: Effect.Effect<Next<A, E>>
  /** What the run waits for. */
  question: Question | undefined
  /** How many samples it has had. */
  samples: number
  readonly abort: Effect.Effect<void>
  /** It ends the call if there is no answer by then. */
  readonly waiting: Effect.Effect<void>
  readonly resumed: Effect.Effect<void>
}

/** How long a call stays open for a person. */
const maxWait = "30 minutes"

/** Of one link, while they wait. */
const maxOpen = 100

interface Refusal extends Error {
  readonly code: number
}

/** The code of the protocol for what its user refuses. */
const refusal = (message: string): Refusal => Object.assign(new Error(message), { code: -1 })

/** `scope`: of the link. */
export const make = <A, E>(scope: Scope.Scope) => {
  type Take = (question: Question) => void
  const taking = new AsyncLocalStorage<Take>()
  const takes = new Set<Take>()
  const calls = new Map<string, OpenCall<A, E>>()

  /** Over HTTP a request comes on the stream of its call. Of a process, only one call can be the one that asks. */
  const takeOf = (): Take | undefined => {
    const [only, ...others] = takes
    return taking.getStore() ?? (others.length === 0 ? only : undefined)
  }

  const onRequest = (request: ServerRequest, signal: AbortSignal): Promise<Json.Object> => {
    const take = takeOf()
    if (take === undefined) return Promise.reject(refusal("It is not known which of the open calls asks"))
    const { promise, reject, resolve } = Promise.withResolvers<Json.Object>()
    signal.addEventListener("abort", () => reject(refusal("The request was cancelled")), { once: true })
    take({ request, answer: resolve, refuse: (message) => reject(refusal(message)) })
    return promise
  }

  /** `call` gets what it has to run its request in. */
  const open = Effect.fnUntraced(function*(
    id: string,
    call: (within: <B>(f: () => B) => B) => Effect.Effect<A, E>
  ) {
    const events = yield* Queue.unbounded<Next<A, E>>()
    const take: Take = (question) => void Queue.offerUnsafe(events, { _tag: "Requested", question })
    takes.add(take)
    const fiber = yield* call((f) => taking.run(take, f)).pipe(
      Effect.exit,
      Effect.tap((exit) => Queue.offer(events, { _tag: "Ended", exit })),
      Effect.ensuring(Effect.sync(() => takes.delete(take))),
      Effect.forkIn(scope)
    )
    const abort = Effect.suspend(() => {
      if (calls.get(id) === made) calls.delete(id)
      return Fiber.interrupt(fiber)
    })
    let expiring: Fiber.Fiber<void> | undefined
    const made: OpenCall<A, E> = {
      next: Queue.take(events),
      question: undefined,
      samples: 0,
      abort,
      waiting: Effect.gen(function*() {
        calls.set(id, made)
        expiring = yield* Effect.forkIn(Effect.delay(abort, maxWait), scope)
      }),
      resumed: Effect.suspend(() => {
        calls.delete(id)
        const expired = expiring
        return expired === undefined ? Effect.void : Fiber.interrupt(expired)
      })
    }
    return made
  })

  return {
    onRequest,
    open,
    /** A call that waits for a person. Undefined: it is not known here. */
    waiting: (id: string): OpenCall<A, E> | undefined => calls.get(id),
    isFull: () => calls.size >= maxOpen
  }
}
