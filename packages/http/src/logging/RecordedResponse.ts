// Responses with the id of their request in the header `X-Request-Id`, and notes their size and kind.
import * as PacedCalls from "@svc-runtime/engine/limits/PacedCalls"
import { type OutgoingHttpHeaders, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import { RecordedRequest } from "./RequestRecord.ts"

/** Contents that are in memory once, however many responses send them. */
const shared = new WeakSet<Uint8Array>()

export const share = (bytes: Uint8Array): void => void shared.add(bytes)

// The end of requests whose clients disconnect. Each interrupts the fibers of its request. Thousands of clients can
// disconnect at once, and the node responds to other requests in between.

const closes = PacedCalls.make(32)

/** Its event `close` is delayed if it is not complete. */
class PacedResponse extends ServerResponse {
  override emit(event: string | symbol, ...args: Array<never>): boolean {
    if (event !== "close" || this.writableEnded) return super.emit(event, ...args)
    closes.add(() => super.emit(event, ...args))
    return true
  }
}

/** The same for a connection that is not HTTP any more. */
export const pace = (socket: Duplex): void => {
  const emit = socket.emit.bind(socket)
  socket.emit = (event: string | symbol, ...args: ReadonlyArray<unknown>) => {
    if (event !== "close") return emit(event, ...args)
    closes.add(() => emit(event, ...args))
    return true
  }
}

export class RecordedResponse extends PacedResponse {
  isEventStream = false

  /** Its content is in memory once for all responses. */
  isShared = false

  override writeHead(status: number, reason?: unknown, headers?: unknown): this {
    const given = (typeof reason === "object" && reason !== null ? reason : headers) as OutgoingHttpHeaders | undefined
    const record = this.req instanceof RecordedRequest ? this.req.record : undefined
    const size = given?.["content-length"]
    if (record !== undefined && size !== undefined) record.responseBytes = Number(size)
    else if (record !== undefined) record.bytesWritten = this.req.socket.bytesWritten
    this.isEventStream = String(given?.["content-type"]).startsWith("text/event-stream")
    // a response can be a constant, so its headers are copied
    const named = record === undefined ? given : { ...given, "x-request-id": record.id }
    return typeof reason === "string" ? super.writeHead(status, reason, named) : super.writeHead(status, named)
  }

  override end(...args: Array<never>): this {
    const [content]: ReadonlyArray<unknown> = args
    this.isShared = content instanceof Uint8Array && shared.has(content)
    return super.end(...args)
  }
}
