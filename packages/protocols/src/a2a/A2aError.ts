// The errors of the protocol. Each has a code for JSON-RPC and a status for HTTP, and a reason that clients compare.
import type * as Json from "@svc-runtime/domain/Json"
import { Data } from "effect"

interface Kind {
  readonly code: number
  readonly http: number
  /** As in `google.rpc.Code`. */
  readonly status: string
  readonly message: string
}

export const kinds = {
  PARSE_ERROR: { code: -32700, http: 400, status: "INVALID_ARGUMENT", message: "The body is not JSON" },
  INVALID_REQUEST: { code: -32600, http: 400, status: "INVALID_ARGUMENT", message: "Invalid request" },
  METHOD_NOT_FOUND: { code: -32601, http: 404, status: "NOT_FOUND", message: "Method not found" },
  METHOD_NOT_ALLOWED: { code: -32601, http: 405, status: "UNIMPLEMENTED", message: "Method not allowed" },
  INVALID_PARAMS: { code: -32602, http: 400, status: "INVALID_ARGUMENT", message: "Invalid parameters" },
  INTERNAL_ERROR: { code: -32603, http: 500, status: "INTERNAL", message: "Internal error" },
  UNAVAILABLE: { code: -32603, http: 503, status: "UNAVAILABLE", message: "The service is not available" },
  RESOURCE_EXHAUSTED: { code: -32603, http: 429, status: "RESOURCE_EXHAUSTED", message: "Too many requests" },
  ABORTED: { code: -32603, http: 409, status: "ABORTED", message: "Another request was faster" },
  PERMISSION_DENIED: { code: -32600, http: 403, status: "PERMISSION_DENIED", message: "Permission denied" },
  TASK_NOT_FOUND: { code: -32001, http: 404, status: "NOT_FOUND", message: "Task not found" },
  TASK_NOT_CANCELABLE: {
    code: -32002,
    http: 400,
    status: "FAILED_PRECONDITION",
    message: "Task cannot be canceled"
  },
  PUSH_NOTIFICATION_NOT_SUPPORTED: {
    code: -32003,
    http: 400,
    status: "FAILED_PRECONDITION",
    message: "Push Notification is not supported"
  },
  UNSUPPORTED_OPERATION: {
    code: -32004,
    http: 400,
    status: "FAILED_PRECONDITION",
    message: "This operation is not supported"
  },
  CONTENT_TYPE_NOT_SUPPORTED: {
    code: -32005,
    http: 400,
    status: "INVALID_ARGUMENT",
    message: "Incompatible content types"
  },
  INVALID_AGENT_RESPONSE: { code: -32006, http: 500, status: "INTERNAL", message: "Invalid agent response" },
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: {
    code: -32007,
    http: 400,
    status: "FAILED_PRECONDITION",
    message: "Extended agent card is not configured"
  },
  EXTENSION_SUPPORT_REQUIRED: {
    code: -32008,
    http: 400,
    status: "FAILED_PRECONDITION",
    message: "Extension support is required"
  },
  VERSION_NOT_SUPPORTED: {
    code: -32009,
    http: 400,
    status: "FAILED_PRECONDITION",
    message: "This version of the protocol is not supported"
  }
} as const satisfies Readonly<Record<string, Kind>>

export type Reason = keyof typeof kinds

const isReason = (name: string): name is Reason => Object.hasOwn(kinds, name)

/** Of an error that a remote agent sent: the reason that it names, or else the first one with its code. */
export const reasonOf = (named: string | undefined, code: Json.Value | undefined): Reason | undefined =>
  named !== undefined && isReason(named)
    ? named
    : Object.keys(kinds).filter(isReason).find((reason) => kinds[reason].code === code)

export class A2aError extends Data.TaggedError("A2aError")<{
  readonly reason: Reason
  readonly message: string
  readonly metadata: Readonly<Record<string, string>>
  /** Of the HTTP response on every wire. Undefined: as the wire says. */
  readonly status?: number
}> {
  get kind(): Kind {
    return kinds[this.reason]
  }

  /** Of an HTTP response whose body is not of JSON-RPC. */
  get http(): number {
    return this.status ?? this.kind.http
  }
}

export const make = (
  reason: Reason,
  message: string = kinds[reason].message,
  metadata: Readonly<Record<string, string>> = {}
): A2aError => new A2aError({ reason, message, metadata })

/** A body that was refused before it was read as a request. */
export const refused = (reason: Reason, message: string, status: number): A2aError =>
  new A2aError({ reason, message, metadata: {}, status })

/** The details of an error, on every wire. */
const detailsOf = ({ metadata, reason }: A2aError): ReadonlyArray<Json.Object> => [{
  "@type": "type.googleapis.com/google.rpc.ErrorInfo",
  reason,
  domain: "a2a-protocol.org",
  metadata
}]

/** The `error` of a JSON-RPC response. */
export const toRpc = (error: A2aError): Json.Object => ({
  code: error.kind.code,
  message: error.message,
  data: detailsOf(error)
})

/** The body of an HTTP response of version 1.0. */
export const toStatus = (error: A2aError): Json.Object => ({
  error: {
    code: error.http,
    status: error.kind.status,
    message: error.message,
    details: detailsOf(error)
  }
})
