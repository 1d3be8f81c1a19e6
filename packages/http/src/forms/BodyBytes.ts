// Reads the bytes of a body, within a limit and a budget.
import { Errors } from "@svc-runtime/api"
import { Clock, Effect, Fiber, Stream } from "effect"
import { HttpServerError, type HttpServerRequest } from "effect/http"
import { IncomingMessage } from "node:http"
import type { ByteBudget } from "../requests/ByteBudget.ts"
import type { Sender, SlowSenders } from "../requests/SlowSenders.ts"

/** Bodies up to this size are read without asking whether there is room for them. */
export const small = 256 * 1024

const tooLarge = (limit: number, setting: string | undefined) =>
  Errors.payloadTooLarge(`The body is larger than ${limit} bytes${setting === undefined ? "" : ` (${setting})`}`)

const isTooLarge = (error: unknown): boolean =>
  HttpServerError.isHttpServerError(error) && error.reason._tag === "RequestParseError" &&
  error.reason.reason === "BodyTooLarge"

const lengthOf = ({ headers }: HttpServerRequest.HttpServerRequest): number | undefined => {
  const text = headers["content-length"]
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined
}

/** A request without a body has no stream of one. */
const bytesOf = ({ source, stream }: HttpServerRequest.HttpServerRequest) =>
  source instanceof Request && source.body === null ? Stream.empty : stream

export interface Reading {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly limit: number
  /** Left out: no setting changes the limit. */
  readonly setting: string | undefined
  /** Returns when there is room for this many bytes. */
  readonly reserve: (bytes: number) => Effect.Effect<void, Errors.TooManyRequests>
  /** Fails when the body arrives too slowly for others. */
  readonly arriving: (received: () => number) => Effect.Effect<never, Errors.TooManyRequests>
}

/** The memory of a body. With a `Content-Length` it is allocated at once, so that nothing is copied later. */
const memoryOf = (declared: number | undefined) => {
  const chunks: Array<Uint8Array> = []
  let whole: Buffer | undefined
  let size = 0
  return {
    size: () => size,
    add: (chunk: Uint8Array) => {
      if (whole !== undefined && size + chunk.length <= whole.length) whole.set(chunk, size)
      else chunks.push(chunk)
      size += chunk.length
    },
    /** There is room for a large body. */
    extend: () => {
      if (declared === undefined || size > declared) return
      whole = Buffer.allocUnsafeSlow(declared)
      let at = 0
      for (const chunk of chunks.splice(0)) {
        whole.set(chunk, at)
        at += chunk.length
      }
    },
    bytes: () => whole === undefined || size !== whole.length ? Buffer.concat(chunks) : whole
  }
}

const unreadable = ({ limit, setting }: Reading) => (error: HttpServerError.HttpServerError) =>
  Effect.fail(isTooLarge(error) ? tooLarge(limit, setting) : Errors.badRequest("The body could not be read"))

/** The bytes of a body that declares a small size: no stream is needed. */
const collectSmall = (reading: Reading) =>
  reading.request.arrayBuffer.pipe(
    Effect.map((bytes) => new Uint8Array(bytes)),
    Effect.catchTag("HttpServerError", unreadable(reading))
  )

/** The bytes of a body. A large one counts from its first bytes on: `Content-Length` alone reserves nothing. */
const collectLarge = Effect.fnUntraced(function*(reading: Reading, declared: number | undefined) {
  const { arriving, limit, request, reserve, setting } = reading
  let isReserved = false
  const memory = memoryOf(declared)
  const received = Stream.runForEach(
    bytesOf(request),
    (chunk) =>
      Effect.suspend((): Effect.Effect<void, Errors.PayloadTooLarge | Errors.TooManyRequests> => {
        memory.add(chunk)
        if (memory.size() > limit) return Effect.fail(tooLarge(limit, setting))
        if (isReserved || memory.size() <= small) return Effect.void
        isReserved = true
        return Effect.andThen(reserve(declared ?? limit), Effect.sync(memory.extend))
      })
  ).pipe(Effect.catchTag("HttpServerError", unreadable(reading)))
  yield* Effect.raceFirst(received, arriving(memory.size))
  return memory.bytes()
})

export const collect = Effect.fnUntraced(function*(reading: Reading) {
  const coding = reading.request.headers["content-encoding"] ?? "identity"
  if (coding.trim().toLowerCase() !== "identity") {
    return yield* Errors.unsupportedMediaType("Send the body without Content-Encoding")
  }
  const declared = lengthOf(reading.request)
  if (declared !== undefined && declared > reading.limit) return yield* tooLarge(reading.limit, reading.setting)
  const isSmall = declared !== undefined && declared <= small && reading.request.source instanceof IncomingMessage
  const bytes = yield* isSmall ? collectSmall(reading) : collectLarge(reading, declared)
  if (declared !== undefined && declared !== bytes.length) {
    return yield* Errors.badRequest("The body does not match its Content-Length")
  }
  return bytes
})

// The room for the bytes of one request in the budget of all.

export interface ReservationOptions {
  readonly budget: ByteBudget
  /** Whose share of the budget the body takes. */
  readonly caller: string
  readonly senders: SlowSenders
}

const noRoom = () =>
  Effect.fail(
    Errors.tooManyRequests("Too many bytes are uploaded at once (MAX_UPLOAD_BYTES_IN_FLIGHT). Try again shortly.")
  )

const tooSlow = () =>
  Effect.fail(
    Errors.tooManyRequests(
      "The body arrives too slowly while others wait (MAX_UPLOAD_BYTES_IN_FLIGHT). Try again shortly."
    )
  )

export type Reservation = ReturnType<typeof reservation>

export const reservation = ({ budget, caller, senders }: ReservationOptions) => {
  let [taken, size] = [0, 0]
  const check = Effect.map(Clock.currentTimeMillis, senders.check)
  const checks = Effect.forever(Effect.andThen(check, Effect.sleep(senders.interval)))
  return {
    /** Returns when there is room for this many bytes. */
    reserve: (bytes: number) =>
      bytes <= small ?
        Effect.void :
        Effect.uninterruptibleMask((restore) =>
          Effect.flatMap(Effect.forkChild(checks), (checking) =>
            restore(budget.take(caller, bytes, noRoom)).pipe(
              Effect.tap(() =>
                Effect.sync(() => {
                  taken = bytes
                  size = bytes
                })
              ),
              Effect.ensuring(Fiber.interrupt(checking))
            ))
        ),
    arriving: (received: () => number) =>
      Effect.callback<never, Errors.TooManyRequests>((resume) => {
        const sender: Sender = { caller, held: () => taken, received, end: () => resume(tooSlow()) }
        senders.add(sender)
        return Effect.sync(() => senders.remove(sender))
      }),
    release: Effect.sync(() => {
      if (taken > 0) budget.release(caller, taken)
      taken = 0
    }),
    size: () => size,
    /** The bytes count again, while a response repeats them. */
    occupy: Effect.sync(() => budget.occupy(caller, size)),
    vacate: Effect.sync(() => budget.release(caller, size))
  }
}
