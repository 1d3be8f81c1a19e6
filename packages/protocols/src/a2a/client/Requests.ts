// The requests of a client, on each wire.
import * as Json from "@svc-runtime/domain/Json"
import type { Message } from "../Model.ts"
import * as Proto03 from "../Proto03.ts"
import * as V03 from "../V03.ts"
import type { Interface } from "./RemoteCard.ts"

interface Saying {
  readonly _tag: "Send" | "Stream"
  readonly message: Message
}

interface Asking {
  readonly _tag: "Get" | "Cancel" | "Subscribe"
  readonly id: string
}

export type Call = Saying | Asking

const isSaying = (call: Call): call is Saying => "message" in call

export interface Outgoing {
  readonly method: "GET" | "POST"
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

const methods = {
  "1.0": {
    Send: "SendMessage",
    Stream: "SendStreamingMessage",
    Get: "GetTask",
    Cancel: "CancelTask",
    Subscribe: "SubscribeToTask"
  },
  "0.3": {
    Send: "message/send",
    Stream: "message/stream",
    Get: "tasks/get",
    Cancel: "tasks/cancel",
    Subscribe: "tasks/resubscribe"
  }
} as const

const messageOf = ({ binding, version }: Interface, message: Message): Json.Value => {
  if (version === "1.0") return Json.of(message)
  const item = (binding === "JSONRPC" ? V03.wire : Proto03.wire).item({ message })
  return binding === "JSONRPC" ? item : item["message"] ?? item
}

/** A task is named at once, if the agent can: a person or another agent may take hours. */
const paramsOf = (target: Interface, call: Call): Json.Object => {
  const tenant = target.tenant === undefined || target.binding === "HTTP+JSON" ? {} : { tenant: target.tenant }
  if (!isSaying(call)) return { ...tenant, id: call.id }
  const message = messageOf(target, call.message)
  return {
    ...tenant,
    message,
    configuration: target.version === "1.0" ? { returnImmediately: true } : { blocking: false }
  }
}

const isStream = ({ _tag }: Call): boolean => _tag === "Stream" || _tag === "Subscribe"

const restOf = (call: Call): readonly ["GET" | "POST", string] => {
  if (isSaying(call)) return ["POST", call._tag === "Send" ? "/message:send" : "/message:stream"]
  const path = `/tasks/${encodeURIComponent(call.id)}`
  if (call._tag === "Get") return ["GET", path]
  return call._tag === "Cancel" ? ["POST", `${path}:cancel`] : ["GET", `${path}:subscribe`]
}

export const of = (target: Interface, call: Call): Outgoing => {
  const { binding, tenant, version } = target
  const headers = {
    "a2a-version": version,
    accept: isStream(call) ? "text/event-stream, application/json" : "application/json, application/a2a+json"
  }
  if (binding === "JSONRPC") {
    const method = methods[version][call._tag]
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: paramsOf(target, call) })
    return { method: "POST", url: target.url, headers, body }
  }
  const [method, path] = restOf(call)
  const base = target.url.replace(/(?<!\/)\/+$/, "")
  const below = version === "0.3" ? "/v1" : tenant === undefined ? "" : `/${encodeURIComponent(tenant)}`
  const body = method === "GET" ? undefined : JSON.stringify(isSaying(call) ? paramsOf(target, call) : {})
  return { method, url: `${base}${below}${path}`, headers, body }
}
