// Encoded spans that wait to be sent, in batches. Its bytes are limited, with the copies that requests make: what does
// not fit is dropped and counted.
import type * as Span from "@svc-runtime/domain/Span"
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
  /** The size of a request with all of its spans. */
  readonly bytes: number
  /** A request with the spans of these indexes. With all of them it is no copy. */
  readonly body: (from: number, to: number) => Uint8Array<ArrayBuffer>
}

export interface OpenBatch {
  readonly count: number
  readonly bytes: number
  readonly add: (span: Span.Span) => void
  readonly seal: () => Batch
}

export interface Encoding {
  readonly contentType: string
  /** The result opens a batch. The one before is sealed. */
  readonly open: (source: Source) => () => OpenBatch
}

export interface Options {
  readonly source: Source
  readonly encoding: Encoding
  readonly maxBytes: number
  /** The limit of spans. Without one, only bytes are limited. */
  readonly maxSpans: number | undefined
  /** Spans of a batch. */
  readonly batchSize: number
  /** Batches that are sent at the same time. */
  readonly concurrency: number
  /** Called when a batch is full. */
  readonly onFull: () => void
}

/** Enough for a minute of busy runs. */
export const defaultQueueBytes = 24 * 1024 * 1024

/** The limit of a batch. Collectors accept more in one request. */
const maxBatchBytes = 1024 * 1024

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
  /** With the copies of the batches that are being sent. */
  readonly bytes: () => number
  /** Since the start. */
  readonly dropped: () => number
  /** The ones among them that did not fit. */
  readonly full: () => number
}

export const make = (options: Options): SpanQueue => {
  const { batchSize, concurrency, encoding, maxBytes, maxSpans = Infinity, onFull, source } = options
  const openBatch = encoding.open(source)
  // the HTTP client copies a body, and the batch that is filled has a buffer larger than its spans
  const copies = concurrency + 1
  const batchBytes = Math.min(maxBatchBytes, Math.floor(maxBytes / (4 * copies)))
  const maxWaiting = maxBytes - copies * batchBytes
  const sealed: Array<Batch> = []
  let open: OpenBatch | undefined
  let [count, bytes, copied, dropped, full] = [0, 0, 0, 0, 0]

  const seal = () => {
    if (open === undefined) return
    const batch = open.seal()
    bytes += batch.bytes - open.bytes
    sealed.push(batch)
    open = undefined
  }

  return {
    offer: (span) => {
      if (bytes >= maxWaiting || count >= maxSpans) {
        dropped++
        full++
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
    take: () => {
      const batch = sealed.shift()
      copied += batch?.bytes ?? 0
      return batch
    },
    done: (batch) => {
      count -= batch.count
      bytes -= batch.bytes
      copied -= batch.bytes
    },
    seal,
    drop: (spans) => {
      dropped += spans
    },
    count: () => count,
    bytes: () => bytes + copied,
    dropped: () => dropped,
    full: () => full
  }
}
