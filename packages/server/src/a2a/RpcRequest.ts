// A request of JSON-RPC. The name of its method tells the version.
import * as Json from "@svc-runtime/domain/Json"
import * as A2aError from "@svc-runtime/protocols/a2a/A2aError"
import * as Decoding from "@svc-runtime/protocols/a2a/Decoding"
import type { Operation, Wire } from "@svc-runtime/protocols/a2a/Operation"
import * as V03 from "@svc-runtime/protocols/a2a/V03"
import * as V10 from "@svc-runtime/protocols/a2a/V10"
import type { Version } from "@svc-runtime/protocols/a2a/Version"
import { Result } from "effect"

/** Whether a body is of JSON-RPC. Other bodies have their message at the top. */
export const isRpc = (body: Json.Value): body is Json.Object =>
  Json.isObject(body) && ("jsonrpc" in body || "params" in body)

const actions: Readonly<Record<string, "send" | "stream">> = {
  "message::send": "send",
  "message::stream": "stream"
}

/**
 * What the contract's own wire does at a path. The address of a card is one of these paths: clients of 0.3 state their
 * version, or give the message its `kind`, or call another method.
 */
export const contractActionOf = (
  path: string,
  { method, params }: Json.Object,
  isStated: boolean
): "send" | "stream" | undefined => {
  const action = actions[path]
  if (action !== "stream") return action
  const { message } = Json.isObject(params) ? params : {}
  const { kind } = Json.isObject(message) ? message : {}
  return isStated || kind === "message" || (method !== undefined && method !== "message/stream") ? undefined : action
}

export interface RpcRequest {
  /** Null if it cannot be read. */
  readonly id: Json.Value
  readonly version: Version
  readonly wire: Wire
  readonly operation: Result.Result<Operation, A2aError.A2aError>
}

/** A number that is no safe integer could come back as another one. */
const idOf = (body: Json.Value): Json.Value => {
  const id = Json.isObject(body) ? body["id"] : undefined
  return typeof id === "string" || (typeof id === "number" && Number.isSafeInteger(id)) ? id : null
}

const needsId = "A request needs an id: a text, or an integer of at most 2^53 - 1"

/** Other problems of such a request come first. */
const isWithoutId = ({ id }: Json.Object): boolean => id === undefined || id === null

const refused = (body: Json.Value, reason: A2aError.Reason, message: string): RpcRequest => ({
  id: idOf(body),
  version: "1.0",
  wire: V10.wire,
  operation: Result.fail(A2aError.make(reason, message))
})

/** `stated` is the version that the request names beside its body. */
export const of = (body: Json.Value, stated: Result.Result<Version | undefined, A2aError.A2aError>): RpcRequest => {
  const id = idOf(body)
  if (!Json.isObject(body) || body["jsonrpc"] !== "2.0") {
    return refused(body, "INVALID_REQUEST", "The body must be one request of JSON-RPC 2.0")
  }
  if (id === null && !isWithoutId(body)) return refused(body, "INVALID_REQUEST", needsId)
  if (Result.isFailure(stated)) {
    return { ...refused(body, "VERSION_NOT_SUPPORTED", ""), operation: Result.fail(stated.failure) }
  }
  const { method, params = {} } = body
  if (typeof method !== "string") return refused(body, "INVALID_REQUEST", "A request needs a method")
  const isCurrent = Object.hasOwn(V10.methods, method)
  const version: Version = isCurrent ? "1.0" : "0.3"
  const wire = isCurrent ? V10.wire : V03.wire
  const decode = isCurrent ? V10.methods[method] : Object.hasOwn(V03.methods, method) ? V03.methods[method] : undefined
  if (decode === undefined) {
    return refused(body, "METHOD_NOT_FOUND", `There is no method '${method.slice(0, 100)}' in A2A`)
  }
  if (stated.success !== undefined && stated.success !== version) {
    return refused(body, "VERSION_NOT_SUPPORTED", `The method '${method}' is one of version ${version}`)
  }
  if (!Json.isObject(params)) return { id, version, wire, operation: Result.fail(A2aError.make("INVALID_PARAMS")) }
  const operation = decode(Decoding.named(params))
  return Result.isSuccess(operation) && isWithoutId(body)
    ? refused(body, "INVALID_REQUEST", needsId)
    : { id, version, wire, operation }
}
