// Encoded spans that wait to be sent, in batches. Its bytes are limited: what does not fit is dropped and counted.
import type * as Span from "@svc/domain/Span"
import type { SpanSink } from "../SpanSink.ts"

/** The resource and the scope of all spans of an exporter. */
export interface Source {
  readonly resource: Span.Attributes
  readonly scope: string
  readonly version: string
  readonly hasContent: boolean
}

export interface Batch {
  readonly count: number
  readonly bytes: number
  readonly add: (span: Span.Span) => void
  /** No more spans are added. */
  readonly seal: () => void
  /** A request with the spans of these indexes. */
  readonly body: (from: number, to: number) => Uint8Array<ArrayBuffer>
}

export interface Encoding {
  readonly contentType: string
  /** The result opens a batch. The one before is sealed. */
  readonly open: (source: Source) => () => Batch
}

export interface Options {
  readonly source: Source
  readonly encoding: Encoding
  readonly maxBytes: number
  /** Undefined: bytes alone are limited. */
  readonly maxSpans: number | undefined
  /** Spans of a batch. */
  readonly batchSize: number
  /** Called when a batch is full. */
  readonly onFull: () => void
}

/** Enough for a minute of busy runs. */
export const defaultQueueBytes = 24 * 1024 * 1024

/** Bytes of a batch: below what collectors accept in one request. */
const batchBytes = 1024 * 1024

export interface SpanQueue extends SpanSink {
  /** The oldest batch, which stays counted until `done`. Undefined: no batch is full. */
  readonly take: () => Batch | undefined
  /** The spans of a batch were sent or given up. */
  readonly done: (batch: Batch) => void
  /** Makes a batch of the spans that wait for one to be full. */
  readonly seal: () => void
  readonly drop: (count: number) => void
  /** Spans that wait or are being sent. */
  readonly count: () => number
  readonly bytes: () => number
  /** Since the start. */
  readonly dropped: () => number
}

export const make = ({ batchSize, encoding, maxBytes, maxSpans = Infinity, onFull, source }: Options): SpanQueue => {
  const openBatch = encoding.open(source)
  const sealed: Array<Batch> = []
  let open: Batch | undefined
  let [count, bytes, dropped] = [0, 0, 0]

  const seal = () => {
    if (open === undefined) return
    open.seal()
    sealed.push(open)
    open = undefined
  }

  return {
    offer: (span) => {
      if (bytes >= maxBytes || count >= maxSpans) {
        dropped++
        return
      }
      open ??= openBatch()
      const before = open.bytes
      open.add(span)
      bytes += open.bytes - before
      count++
      if (open.count >= batchSize || open.bytes >= batchBytes) {
        seal()
        onFull()
      }
    },
    take: () => sealed.shift(),
    done: (batch) => {
      count -= batch.count
      bytes -= batch.bytes
    },
    seal,
    drop: (spans) => {
      dropped += spans
    },
    count: () => count,
    bytes: () => bytes,
    dropped: () => dropped
  }
}
