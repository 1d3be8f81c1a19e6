// What is known of a request until its response has ended. Handlers add to it, and its end is logged and counted.
import type * as Principal from "@svc-runtime/domain/Principal"
import type { HttpServerRequest } from "effect/http"
import { IncomingMessage } from "node:http"

export interface RequestRecord {
  readonly id: string
  /** Of the clock that only rises, in milliseconds. */
  readonly startedAt: number
  /** Of the connection, before a body whose size is not declared. */
  readonly bytesRead: number
  /** The pattern of its path. Undefined until a handler has it. */
  route: string | undefined
  principal: Principal.Principal | undefined
  /** That of its span. Undefined without one. */
  traceId: string | undefined
  /** What it calls over MCP, separated by commas: a batch can have several. */
  tools: string | undefined
  /** Of the body of the response, if it was declared. */
  responseBytes: number | undefined
  /** Of the connection, before a response whose size is not declared. */
  bytesWritten: number
  /** The status of the response that node gave by itself. */
  refusal: number | undefined
}

/** The requests of the server. */
export class RecordedRequest extends IncomingMessage {
  record: RequestRecord | undefined = undefined
}

/** Undefined for requests that do not come from a connection. */
export const of = ({ source }: HttpServerRequest.HttpServerRequest): RequestRecord | undefined =>
  source instanceof RecordedRequest ? source.record : undefined

/** Ids of clients and proxies: what they may contain reaches the log and the header as it is. */
const accepted = /^[\w.:/+=@-]{1,128}$/

/** The id that the client gave, if it is valid, or a new one. */
const idOf = (request: IncomingMessage): string => {
  const given = request.headers["x-request-id"]
  if (typeof given === "string" && accepted.test(given)) return given
  // @effect-diagnostics-next-line cryptoRandomUUID:off because each request needs an id
  return crypto.randomUUID()
}

export const begin = (request: IncomingMessage): RequestRecord => {
  const record: RequestRecord = {
    id: idOf(request),
    startedAt: performance.now(),
    bytesRead: request.headers["transfer-encoding"] === undefined ? 0 : request.socket.bytesRead,
    route: undefined,
    principal: undefined,
    traceId: undefined,
    tools: undefined,
    responseBytes: undefined,
    bytesWritten: 0,
    refusal: undefined
  }
  if (request instanceof RecordedRequest) request.record = record
  return record
}
