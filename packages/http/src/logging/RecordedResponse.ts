// Responses with the id of their request in the header `X-Request-Id`, and notes their size and kind.
import type { OutgoingHttpHeaders } from "node:http"
import { PacedResponse } from "../requests/PacedClose.ts"
import { RecordedRequest } from "./RequestRecord.ts"

/** Bytes of a chunk that is copied, so that it is written in one piece. */
const maxCopied = 4096

/** A chunk of the chunked encoding: its size in hexadecimal, its bytes, and their end. */
const chunkOf = (bytes: Uint8Array): Uint8Array => {
  const size = `${bytes.length.toString(16)}\r\n`
  const chunk = Buffer.allocUnsafe(size.length + bytes.length + 2)
  chunk.write(size, "latin1")
  chunk.set(bytes, size.length)
  chunk.write("\r\n", size.length + bytes.length, "latin1")
  return chunk
}

export class RecordedResponse extends PacedResponse {
  isEventStream = false
  /** The connection has got the head with the first chunk. */
  private hasBegun = false

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

  /**
   * An event in one piece, if the connection has written all before it. Node would pass on four pieces in a later
   * tick, which costs more for the few bytes of an event.
   */
  override write(bytes: unknown, ...others: ReadonlyArray<unknown>): boolean {
    const { socket } = this
    if (
      this.hasBegun && others.length === 0 && socket?.writable === true && socket.writableLength === 0 &&
      !this.writableEnded && bytes instanceof Uint8Array && bytes.length > 0 && bytes.length <= maxCopied
    ) return socket.write(chunkOf(bytes))
    this.hasBegun = this.isEventStream && this.chunkedEncoding && this.req.method !== "HEAD"
    return Reflect.apply(super.write, this, [bytes, ...others])
  }
}
