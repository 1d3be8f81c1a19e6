// Responses with the id of their request in the header `X-Request-Id`, and notes their size and kind.
import type { OutgoingHttpHeaders } from "node:http"
import { PacedResponse } from "../requests/PacedClose.ts"
import * as SharedBytes from "../requests/SharedBytes.ts"
import { RecordedRequest } from "./RequestRecord.ts"

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
    this.isShared = SharedBytes.has(content)
    return super.end(...args)
  }
}
