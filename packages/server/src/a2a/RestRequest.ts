// A request over HTTP without JSON-RPC: its path and its query have what the parameters have there.
import type * as Json from "@svc-runtime/domain/Json"
import * as Time from "@svc-runtime/domain/Time"
import * as A2aError from "@svc-runtime/protocols/a2a/A2aError"
import * as Decoding from "@svc-runtime/protocols/a2a/Decoding"
import type { Operation } from "@svc-runtime/protocols/a2a/Operation"
import * as Sending from "@svc-runtime/protocols/a2a/Sending"
import * as V10 from "@svc-runtime/protocols/a2a/V10"
import type { Version } from "@svc-runtime/protocols/a2a/Version"
import { Result } from "effect"
import type * as A2aPaths from "./A2aPaths.ts"

type Decoded = Result.Result<Operation, A2aError.A2aError>

export type RestPath = A2aPaths.RestPath | "extendedAgentCard" | "card"

export interface RestRequest {
  readonly method: string
  readonly path: RestPath
  readonly params: Readonly<Record<string, string | undefined>>
  readonly query: URLSearchParams
  /** Undefined without one. */
  readonly body: Json.Value | undefined
  readonly version: Version
}

const method = (name: string, params: Json.Object): Decoded => {
  const decode = V10.methods[name]
  return decode === undefined ? Result.fail(A2aError.make("METHOD_NOT_FOUND")) : decode(Decoding.named(params))
}

/** Numbers and flags of a query. Other texts stay as they are, and are refused where they do not fit. */
const valueOf = (name: string, text: string): Json.Value => {
  if ((name === "pageSize" || name === "historyLength") && /^-?\d+$/.test(text)) return Number(text)
  if (name === "statusTimestampAfter") return Time.fromQuery(text)
  return name === "includeArtifacts" && (text === "true" || text === "false") ? text === "true" : text
}

const queryOf = (query: URLSearchParams): Json.Object => {
  const params: Record<string, Json.Value> = {}
  for (const [name, text] of Object.entries(Decoding.named(Object.fromEntries(query)))) {
    if (name.toLowerCase() !== "a2a-version") params[name] = valueOf(name, String(text))
  }
  return params
}

const send = ({ body, version }: RestRequest, tag: "Send" | "Stream"): Decoded =>
  Result.map((version === "1.0" ? Sending.of10 : Sending.ofProto03)(body), (sending) => ({ _tag: tag, sending }))

const actions: Readonly<Record<string, { readonly name: string; readonly allow: string }>> = {
  cancel: { name: "CancelTask", allow: "POST" },
  subscribe: { name: "SubscribeToTask", allow: "GET, POST" }
}

/** Without an action, a task is read. */
const reading = { name: "GetTask", allow: "GET" }

/** `/tasks/{id}`, with or without an action at its end. */
const onTask = ({ method: verb, params: { task = "" }, query }: RestRequest): Decoded => {
  const end = task.lastIndexOf(":")
  const suffix = end < 0 ? "" : task.slice(end + 1)
  const action = Object.hasOwn(actions, suffix) ? actions[suffix] : undefined
  const { allow, name } = action ?? reading
  if (!allow.includes(verb)) return Result.fail(A2aError.make("METHOD_NOT_ALLOWED", undefined, { allow }))
  return action === undefined
    ? method(name, { ...queryOf(query), id: task })
    : method(name, { id: task.slice(0, end) })
}

/** In version 0.3 the config is inside of an object with its name. */
const configOf = ({ body, version }: RestRequest) => {
  const fields = Decoding.named(body)
  if (version === "1.0") return Decoding.push10(body, "body")
  const { config } = fields
  const inner = Decoding.named(config)["pushNotificationConfig"] ?? fields["pushNotificationConfig"] ?? config ?? body
  return Decoding.push03(inner, "pushNotificationConfig")
}

export const of = (request: RestRequest): Decoded => {
  const { method: verb, params: { config = "", task = "" }, path, query } = request
  switch (path) {
    case "message::send":
      return send(request, "Send")
    case "message::stream":
      return send(request, "Stream")
    case "tasks":
      return method("ListTasks", queryOf(query))
    case "tasks/:task":
      return onTask(request)
    case "tasks/:task/pushNotificationConfigs":
      return verb === "GET"
        ? Result.succeed({ _tag: "ListPush", taskId: task })
        : Result.map(configOf(request), (config) => ({ _tag: "SetPush", taskId: task, config }))
    case "tasks/:task/pushNotificationConfigs/:config":
      return Result.succeed(
        verb === "GET"
          ? { _tag: "GetPush", taskId: task, id: config }
          : { _tag: "RemovePush", taskId: task, id: config }
      )
    default:
      return Result.succeed({ _tag: "Card" })
  }
}
