// Calls of an adapter: each has a time, a bounded fetch, and fails with a `ChannelError`. What a platform asks to wait
// holds for all calls of its channel.
import type * as Adapter from "@svc-runtime/channels/Adapter"
import { ChannelError, type Reason } from "@svc-runtime/channels/ChannelError"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Clock, type Context, Effect, Predicate } from "effect"

/** Characters of a message of an error. */
const maxMessage = 500

/** Bytes of a response. */
const maxResponse = 10 * 1024 * 1024

/** Seconds that a platform may ask to wait. */
const maxWait = 3600

/** Seconds that a call waits for its turn itself. What takes longer is repeated later. */
const maxTurn = 30

const reasons: ReadonlySet<unknown> = new Set<Reason>([
  "forged",
  "malformed",
  "rate_limited",
  "temporary",
  "unauthorized",
  "permanent"
])

/** An error that an adapter throws. Other errors count as temporary. */
const errorOf = (error: unknown): ChannelError => {
  const message = (Predicate.hasProperty(error, "message") ? String(error.message) : String(error))
    .slice(0, maxMessage).toWellFormed()
  const given = Predicate.isTagged(error, "ChannelError") && Predicate.hasProperty(error, "reason") ? error.reason : ""
  const reason = reasons.has(given) ? given as Reason : "temporary"
  const wait = Predicate.hasProperty(error, "retryAfter") ? Number(error.retryAfter) : Number.NaN
  return new ChannelError({
    reason,
    message,
    ...(Number.isFinite(wait) ? { retryAfter: Math.min(maxWait, Math.max(0, wait)) } : {})
  })
}

const tooLarge = (limit: number) => new Error(`The response of the platform has more than ${limit} bytes`)

/** The response, whose body ends with an error behind this many bytes. */
const bounded = (response: Response, limit: number): Response => {
  if (Number(response.headers.get("content-length") ?? 0) > limit) throw tooLarge(limit)
  if (response.body === null) return response
  let size = 0
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        size += chunk.length
        if (size > limit) controller.error(tooLarge(limit))
        else controller.enqueue(chunk)
      }
    })
  )
  const { headers, status, statusText } = response
  return new Response(counted, { headers, status, statusText })
}

const contextOf = (signal: AbortSignal, limit: number, prompt: Adapter.Context["prompt"]): Adapter.Context => ({
  signal,
  ...(prompt === undefined ? {} : { prompt }),
  fetch: (url, init) =>
    // @effect-diagnostics-next-line globalFetch:off because adapters are written with promises
    globalThis.fetch(url, { signal, ...init, redirect: "manual" }).then((response) => bounded(response, limit))
})

export interface CallOptions {
  /** Milliseconds. Undefined: none. 20 seconds, when left out. */
  readonly timeout?: number | undefined
  /** Bytes of a response. */
  readonly bytes?: number | undefined
  /** The prompt with this id. */
  readonly prompt?: ((id: string) => Effect.Effect<Adapter.Prompt | undefined, StorageUnavailable>) | undefined
}

/** One call of an adapter. */
export const call = <A>(
  use: (context: Adapter.Context) => Promise<A>,
  { bytes = maxResponse, prompt, ...options }: CallOptions = {}
): Effect.Effect<A, ChannelError> => {
  const { timeout } = { timeout: 20_000, ...options }
  const made = Effect.contextWith((services: Context.Context<never>) => {
    const runPromise = Effect.runPromiseWith(services)
    return Effect.tryPromise({
      try: (signal) => use(contextOf(signal, bytes, prompt && ((id) => runPromise(prompt(String(id)), { signal })))),
      catch: errorOf
    })
  })
  return timeout === undefined ? made : Effect.timeoutOrElse(made, {
    duration: timeout,
    orElse: () =>
      Effect.fail(
        new ChannelError({ reason: "temporary", message: `The platform took longer than ${timeout / 1000} s` })
      )
  })
}

/** Conversations whose last call is known. */
const maxPlaces = 10_000

/** When the calls of a channel may be made. */
export const gate = () => {
  let until = 0
  const nextIn = new Map<string, number>()

  const turn = (thread: string, every: number): Effect.Effect<void, ChannelError> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const at = Math.max(now, until, nextIn.get(thread) ?? 0)
      const wait = at - now
      if (wait > maxTurn * 1000) {
        return Effect.fail(
          new ChannelError({
            reason: "rate_limited",
            message: "The platform asks to wait",
            retryAfter: Math.ceil(wait / 1000)
          })
        )
      }
      nextIn.delete(thread)
      if (nextIn.size >= maxPlaces) nextIn.delete(nextIn.keys().next().value ?? "")
      nextIn.set(thread, at + every)
      return wait === 0 ? Effect.void : Effect.sleep(wait)
    })

  return {
    /** The call when it is the turn of its conversation, which is `every` milliseconds after the one before. */
    inTurn: <A>(
      { every, thread }: { readonly every: number; readonly thread: string },
      made: Effect.Effect<A, ChannelError>
    ): Effect.Effect<A, ChannelError> =>
      Effect.andThen(turn(thread, every), made).pipe(
        Effect.tapError(({ reason, retryAfter = 1 }) =>
          reason === "rate_limited"
            ? Effect.map(Clock.currentTimeMillis, (now) => {
              until = Math.max(until, now + retryAfter * 1000)
            })
            : Effect.void
        )
      )
  }
}

export type Gate = ReturnType<typeof gate>
