// The events of a run in the format of another protocol, as server-sent events.
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import { CurrentAccess } from "@svc-runtime/http/authorization/CurrentAccess"
import { alive, headers } from "@svc-runtime/http/sse/EventStream"
import * as StreamFailure from "@svc-runtime/http/sse/StreamFailure"
import type { Encoder } from "@svc-runtime/protocols/run/Encoder"
import * as RunPieces from "@svc-runtime/protocols/run/RunPieces"
import { Cause, Effect, Exit, Stream } from "effect"
import { HttpServerResponse } from "effect/http"

export interface Encoded {
  /** The outermost run. */
  readonly run_id: string
  readonly encoder: Encoder
  readonly events: Stream.Stream<RunEvent.RunEvent, StreamFailure.StreamError>
}

export interface Accessed {
  /** How the request was admitted. */
  readonly access: typeof CurrentAccess.Service
}

/** Takes the place of frames that are not encoded, because the credential is no longer accepted. */
const refused = ": refused\n\n"

/** The frames of one run. Frames that are there at the same time leave in one write. */
export const frames = ({ access, encoder, events, run_id }: Encoded & Accessed): Stream.Stream<string> => {
  const pieces = RunPieces.make(run_id)
  const encode = (chunk: ReadonlyArray<RunEvent.RunEvent>): string => {
    let text = ""
    for (const event of chunk) for (const piece of pieces.push(event)) text += encoder.push(piece)
    return text
  }
  const checked = (chunk: ReadonlyArray<RunEvent.RunEvent>, { check }: NonNullable<Accessed["access"]>) =>
    Effect.map(check, (detail): readonly [string] => {
      if (access !== undefined) access.checked = { detail }
      return [detail === undefined ? encode(chunk) : refused]
    })
  const texts = access === undefined || access.isExcluded
    ? Stream.mapArray(events, (chunk): [string] => [encode(chunk)])
    : Stream.mapArrayEffect(events, (chunk) => checked(chunk, access))
  const isOver = encoder.isOver ?? (() => false)
  const encoded = Stream.concat(Stream.takeUntil(texts, isOver), Stream.suspend(() => Stream.succeed(encoder.end())))
    .pipe(
      Stream.catchCause((cause) =>
        Stream.fromEffect(Effect.map(StreamFailure.of(cause), ({ text }) => encoder.broken(text)))
      )
    )
  return Stream.filter(Stream.concat(Stream.succeed(encoder.begin), encoded), (text) => text !== "")
}

export interface Options {
  readonly frames: Stream.Stream<string>
  /** The last frames if the stream ends before its run. */
  readonly broken: Encoder["broken"]
  /** Executed if the client disconnects before the end. */
  readonly onGone?: Effect.Effect<unknown> | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

const bytesOf = (text: string): Uint8Array => Buffer.from(text)

export const response = ({ broken, frames, headers: more, onGone = Effect.void }: Options) =>
  Effect.map(CurrentAccess, (access) => {
    if (access !== undefined) access.closingFrame = (detail) => broken(`The stream ends: ${detail}`)
    const bytes = alive(Stream.map(frames, bytesOf)).pipe(
      Stream.onExit((exit) =>
        Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) ? Effect.asVoid(onGone) : Effect.void
      )
    )
    return HttpServerResponse.stream(bytes, {
      contentType: "text/event-stream; charset=utf-8",
      headers: { ...headers, ...more }
    })
  })

/** One run. */
export const respond = ({ encoder, events, run_id, ...options }: Encoded & Omit<Options, "broken" | "frames">) =>
  Effect.flatMap(
    CurrentAccess,
    (access) => response({ ...options, frames: frames({ access, encoder, events, run_id }), broken: encoder.broken })
  )
