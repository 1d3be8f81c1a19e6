// Reads the parts of a streamed answer. Nearly all events of a stream only add text. `fetch` and the client of a
// provider take each of them through a chain of web streams, and the client checks its whole shape: that costs more
// than everything else that happens to a word. A bypass takes these events out of the body where the connection
// delivers it and makes their parts itself. It passes all other bytes on as they are.
//
// The parts keep the order of the events. Events go through the client until the client has passed on the text of the
// last event that it got, and has nothing left to say. Only then is the bypass open. The next event that is not plain
// closes it. For this the client reports each event that it reads (as a raw chunk).
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider"
import type { Bytes, Splitter } from "./InterceptedBody.ts"
import * as PlainDelta from "./PlainDelta.ts"

type Part = LanguageModelV4StreamPart
type Parts = ReadonlyArray<Part>

export interface Reading {
  /** Called with the next part, or with several text deltas, or with undefined at the end of the stream. */
  readonly onParts: (parts: Parts | undefined) => void
  readonly onFailure: (cause: unknown) => void
}

export interface PartReader {
  readonly read: (reading: Reading) => void
  readonly cancel: () => Promise<void>
}

/** Of one event. With a longer one, the rest of the stream goes through the client. */
const maxHeldBytes = 1024 * 1024

/**
 * Of the events whose parts wait for their reader. With more, events go through the client, which waits for its reader.
 * Each event counts as at least so many bytes as its part uses without its text.
 */
export const maxReadyBytes = 256 * 1024
const leastBytes = 256

const lineFeed = 10
const carriageReturn = 13
const byteOrderMark = 0xef

const nothing: Bytes = new Uint8Array()

/** An event with one line of data, and its name if it has one. */
const simple = /^(?:event:[^\r\n]*\r?\n)?data: ?([^\r\n]*)\r?\n\r?\n$/
const hasData = /^data(?::|\r?$)/m

/** Clients report no event with this data. */
const done = "[DONE]"

/** Whether the bytes have a line that ends with a carriage return alone, or begin a body with a byte order mark. */
const isOdd = (bytes: Uint8Array, from: number, isFirst: boolean): boolean => {
  if (isFirst && bytes[0] === byteOrderMark) return true
  for (let at = bytes.indexOf(carriageReturn, from); at !== -1; at = bytes.indexOf(carriageReturn, at + 1)) {
    if (at + 1 < bytes.length && bytes[at + 1] !== lineFeed) return true
  }
  return false
}

const concat = (first: Bytes, second: Bytes): Bytes => {
  if (first.length === 0) return second
  const bytes = new Uint8Array(first.length + second.length)
  bytes.set(first)
  bytes.set(second, first.length)
  return bytes
}

const encoder = new TextEncoder()
const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

const make = (recognize: PlainDelta.Recognize) => {
  /** The part to which plain events add. Undefined: the bypass is closed. */
  let open: { readonly id: string; readonly key: string } | undefined
  /** Events that the client has got, and has reported. */
  let given = 0
  let reported = 0
  /** The last event that the client has got, if it is plain. */
  let last: PlainDelta.PlainDelta | undefined
  let hasMetadata = false
  let rest: string | undefined
  const ready: Array<Part> = []
  let readyBytes = 0
  let waiting: Reading | undefined
  let isReading = false
  let isAnswering = false

  const answer = (): void => {
    if (waiting === undefined || ready.length === 0) return
    const { onParts } = waiting
    waiting = undefined
    const other = ready.findIndex((part) => part.type !== "text-delta")
    const parts = ready.splice(0, other === -1 ? ready.length : Math.max(1, other))
    if (ready.length === 0) readyBytes = 0
    onParts(parts)
  }

  /** After the connection has delivered what it has: readers do not run inside of its parser. */
  const answerSoon = (): void => {
    if (isAnswering) return
    isAnswering = true
    queueMicrotask(() => {
      isAnswering = false
      answer()
    })
  }

  const fromClient = (part: Part): void => {
    if (part.type === "raw") {
      reported++
      return
    }
    ready.push(part)
    if (part.type === "response-metadata") hasMetadata = true
    if (
      part.type === "text-delta" && last !== undefined && reported === given && hasMetadata &&
      part.delta === last.text && part.providerMetadata === undefined
    ) {
      open = { id: part.id, key: last.key }
    }
  }

  const readClient = (reader: ReadableStreamDefaultReader<Part>): void => {
    if (isReading) return
    isReading = true
    const end = (tell: (reading: Reading) => void) => {
      isReading = false
      const current = waiting
      waiting = undefined
      if (current !== undefined) tell(current)
    }
    reader.read().then(({ done, value }) => {
      if (done) return end(({ onParts }) => onParts(undefined))
      isReading = false
      fromClient(value)
      answer()
      if (waiting !== undefined) readClient(reader)
    }, (cause) => end(({ onFailure }) => onFailure(cause)))
  }

  /** Takes plain events out of one body. */
  const splitter = (): Splitter => {
    let held = nothing
    /** Where the last line of what is held begins. */
    let line = 0
    let isFirst = true
    let isLeft = false
    let passed = nothing

    const give = (bytes: Bytes, dispatches: boolean, plain?: PlainDelta.PlainDelta): void => {
      open = undefined
      last = plain
      if (rest !== undefined) {
        passed = concat(passed, encoder.encode(`data: ${rest}\n\n`))
        given++
        rest = undefined
      }
      passed = concat(passed, bytes)
      if (dispatches) given++
    }

    const event = (bytes: Bytes): void => {
      const text = decoder.decode(bytes)
      const data = simple.exec(text)?.[1]
      // clients decode bytes that are no text in their own way
      const plain = data === undefined || data.includes("\uFFFD") ? undefined : recognize(data)
      if (plain === undefined) return give(bytes, data === undefined ? hasData.test(text) : data !== done)
      const isFull = readyBytes >= maxReadyBytes
      if (plain.key !== open?.key || isFull) return give(bytes, true, plain)
      readyBytes += Math.max(bytes.length, leastBytes)
      ready.push({ type: "text-delta", id: open.id, delta: plain.text })
      rest = plain.rest ?? rest
    }

    const split = (chunk: Bytes): void => {
      const bytes = concat(held, chunk)
      isLeft ||= isOdd(bytes, Math.max(0, held.length - 1), isFirst)
      isFirst = false
      let start = 0
      const from = held.length
      for (let end = isLeft ? -1 : bytes.indexOf(lineFeed, from); end !== -1; end = bytes.indexOf(lineFeed, line)) {
        if (end === line || (end === line + 1 && bytes[line] === carriageReturn)) {
          event(bytes.subarray(start, end + 1))
          start = end + 1
        }
        line = end + 1
      }
      held = bytes.subarray(start)
      line -= start
      isLeft ||= held.length > maxHeldBytes
      if (isLeft) flush(true)
    }

    const flush = (dispatches: boolean): void => {
      if (held.length > 0 || rest !== undefined) give(held, dispatches)
      held = nothing
    }

    const take = (): Bytes => {
      const bytes = passed
      passed = nothing
      if (ready.length > 0) answerSoon()
      return bytes
    }

    return {
      leave: () => {
        isLeft = true
      },
      next: (chunk: Bytes) => {
        split(chunk)
        return take()
      },
      end: () => {
        flush(false)
        return take()
      }
    }
  }

  const partReader = (stream: ReadableStream<Part>): PartReader => {
    const reader = stream.getReader()
    return {
      read: (reading) => {
        waiting = reading
        answer()
        if (waiting !== undefined) readClient(reader)
      },
      cancel: () => reader.cancel()
    }
  }

  return { splitter, partReader }
}

type Bypass = ReturnType<typeof make>

/** Requests are known by their signal: clients pass it to `fetch` as it is. */
const bypasses = new WeakMap<AbortSignal, Bypass>()

export const of = (signal: AbortSignal | null | undefined): Pick<Bypass, "splitter"> | undefined =>
  signal === null || signal === undefined ? undefined : bypasses.get(signal)

/** Starts a streamed call. It has a bypass if the format of its stream is given and its client uses `BoundedFetch`. */
export const open = (
  model: LanguageModelV4,
  call: LanguageModelV4CallOptions & { readonly abortSignal: AbortSignal },
  format: PlainDelta.Format | undefined
): PromiseLike<PartReader> => {
  const recognize = format === undefined ? undefined : PlainDelta.recognize(format, call)
  if (recognize === undefined) return model.doStream(call).then(({ stream }) => direct(stream.getReader()))
  const bypass = make(recognize)
  bypasses.set(call.abortSignal, bypass)
  return model.doStream({ ...call, includeRawChunks: true }).then(({ stream }) => bypass.partReader(stream))
}

const direct = (reader: ReadableStreamDefaultReader<Part>): PartReader => ({
  read: ({ onFailure, onParts }) =>
    void reader.read().then(({ done, value }) => onParts(done ? undefined : [value]), onFailure),
  cancel: () => reader.cancel()
})
