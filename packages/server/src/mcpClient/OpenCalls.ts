// The open calls of one link to a server of an older revision, which asks on the connection of a call. A call stays
// open while its run waits for a person, in this process only.
import type * as Json from "@svc-runtime/domain/Json"
import * as HeldCalls from "@svc-runtime/engine/tool/HeldCalls"
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
  readonly userId: string | undefined
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

/** Of one user of it. */
const maxOfUser = 10

/** How long a call has for its end when its question is declined. */
const declining = "5 seconds"

/** Of one call: one is answered at a time, and the others wait. */
const maxQuestions = 10

interface Caller {
  readonly effectId: string
  readonly runId: string
  readonly userId: string | undefined
}

interface Refusal extends Error {
  readonly code: number
}

/** The code of the protocol for what its user refuses. */
const refusal = (message: string): Refusal => Object.assign(new Error(message), { code: -1 })

/** `scope`: of the link. */
export const make = <A, E>(scope: Scope.Scope) => {
  type Take = (request: ServerRequest, signal: AbortSignal) => Promise<Json.Object>
  const taking = new AsyncLocalStorage<Take>()
  const takes = new Set<Take>()
  const calls = new Map<string, OpenCall<A, E>>()
  /** A call of the connection was aborted, and what is asked outside a call can belong to it. */
  let isUnclear = false
  let mustReconnect = false

  /** Over HTTP a request comes on the stream of its call. Of a process, only one call can be the one that asks. */
  const takeOf = (): Take | undefined => {
    const take = taking.getStore()
    if (take !== undefined) return takes.has(take) ? take : undefined
    if (isUnclear) mustReconnect = true
    const [only, ...others] = takes
    return others.length === 0 && !isUnclear ? only : undefined
  }

  const onRequest = (request: ServerRequest, signal: AbortSignal): Promise<Json.Object> => {
    const take = takeOf()
    if (take === undefined) return Promise.reject(refusal("It is not known which of the open calls asks"))
    return take(request, signal)
  }

  /** `call` gets what it has to run its request in. */
  const open = Effect.fnUntraced(function*(
    { effectId: id, runId, userId }: Caller,
    call: (within: <B>(f: () => B) => B) => Effect.Effect<A, E>
  ) {
    const events = yield* Queue.unbounded<Next<A, E>>()
    const questions = new Set<Question>()
    const take: Take = (request, signal) => {
      // questions that the server has cancelled stay in the queue for some time
      if (Math.max(questions.size, Queue.sizeUnsafe(events)) >= maxQuestions) {
        return Promise.reject(refusal("The call has too many open questions"))
      }
      const { promise, reject, resolve } = Promise.withResolvers<Json.Object>()
      const question: Question = {
        request,
        answer: (response) => {
          questions.delete(question)
          resolve(response)
        },
        refuse: (message) => {
          questions.delete(question)
          reject(refusal(message))
        }
      }
      questions.add(question)
      signal.addEventListener("abort", () => question.refuse("The request was cancelled"), { once: true })
      Queue.offerUnsafe(events, { _tag: "Requested", question })
      return promise
    }
    takes.add(take)
    const end = (exit: Exit.Exit<A, E>) => {
      takes.delete(take)
      for (const question of questions) question.refuse("The call has ended")
      Queue.offerUnsafe(events, { _tag: "Ended", exit })
    }
    const fiber = yield* call((f) => taking.run(take, f)).pipe(
      Effect.forkIn(scope)
    )
    fiber.addObserver(end)
    const leave = () => {
      if (calls.get(id) !== made) return
      calls.delete(id)
      HeldCalls.release(id)
    }
    const abort = Effect.suspend(() => {
      leave()
      isUnclear ||= takes.has(take)
      return Fiber.interrupt(fiber)
    })
    const next: Effect.Effect<Next<A, E>> = Effect.flatMap(
      Queue.take(events),
      (event) => event._tag === "Requested" && !questions.has(event.question) ? next : Effect.succeed(event)
    )
    /** No one will answer: the server learns it, and gets some time for the end of the call. */
    const close = Effect.suspend(() => {
      leave()
      const { question } = made
      if (question?.request.method === "elicitation/create") question.answer({ action: "decline" })
      else question?.refuse("The user did not allow it")
      const ending = Effect.andThen(Effect.timeoutOption(Fiber.await(fiber), declining), abort)
      return Effect.asVoid(Effect.forkIn(ending, scope))
    })
    let expiring: Fiber.Fiber<void> | undefined
    const made: OpenCall<A, E> = {
      userId,
      next,
      question: undefined,
      samples: 0,
      abort,
      waiting: Effect.gen(function*() {
        calls.set(id, made)
        HeldCalls.hold({ runId, effectId: id, close })
        expiring = yield* Effect.forkIn(Effect.delay(abort, maxWait), scope)
      }),
      resumed: Effect.suspend(() => {
        leave()
        const expired = expiring
        return expired === undefined ? Effect.void : Fiber.interrupt(expired)
      })
    }
    return made
  })

  return {
    onRequest,
    open,
    /** Runs what connects, outside every call. */
    connecting: <B>(f: () => B): B => {
      isUnclear = false
      mustReconnect = false
      return taking.exit(f)
    },
    /** Its questions are refused until there is a new connection, and no call needs the one that is there. */
    mustReconnect: () => mustReconnect && takes.size === 0,
    /** A call that waits for a person. Undefined: it is not known here. */
    waiting: (id: string): OpenCall<A, E> | undefined => calls.get(id),
    isFull: (userId: string | undefined): boolean => {
      const ofUser = [...calls.values()].filter((call) => call.userId === userId).length
      return calls.size >= maxOpen || (userId !== undefined && ofUser >= maxOfUser)
    }
  }
}
