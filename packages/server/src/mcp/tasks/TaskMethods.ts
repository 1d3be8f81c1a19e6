// The requests of clients about tasks: `tasks/get`, `tasks/update` and `tasks/cancel`. The MCP library checks them as
// it checks every request, and responds that there is no such method; only then they are handled here.
import type { CurrentPrincipal } from "@svc-runtime/api"
import * as Json from "@svc-runtime/domain/Json"
import { Data, Effect, Option, Schema } from "effect"
import { McpServer } from "effect/ai"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { ClientRequest } from "../ClientDisconnect.ts"
import * as McpResponses from "../McpResponses.ts"
import * as TaskCall from "./TaskCall.ts"

/** A request that is refused. The message is for the caller. */
export class TaskRefused extends Data.TaggedError("TaskRefused")<{ readonly message: string; readonly code: number }> {}

export const taskNotFound = new TaskRefused({ code: -32602, message: "Task not found" })

/** What happens to tasks. Another user's task does not exist for a caller. */
export interface Tasks {
  /** The task as it is now, with its result or what it asks. */
  readonly get: (
    id: string,
    client: TaskCall.Declared
  ) => Effect.Effect<Json.Object, TaskRefused, CurrentPrincipal | HttpServerRequest.HttpServerRequest>
  /** Takes the answers to what the task asks. */
  readonly update: (
    id: string,
    responses: Json.Object
  ) => Effect.Effect<void, TaskRefused, CurrentPrincipal | HttpServerRequest.HttpServerRequest>
  /** Requests the end of the task. One that has ended stays as it is. */
  readonly cancel: (
    id: string
  ) => Effect.Effect<void, TaskRefused, CurrentPrincipal | HttpServerRequest.HttpServerRequest>
}

const Request = Schema.Struct({
  jsonrpc: Schema.Literal("2.0"),
  id: Schema.Union([Schema.String, Schema.Finite]),
  method: Schema.Literals(["tasks/get", "tasks/update", "tasks/cancel"]),
  params: Schema.Struct({
    taskId: Schema.optional(Schema.Json),
    inputResponses: Schema.optional(Schema.Json),
    _meta: Schema.Struct({
      "io.modelcontextprotocol/clientCapabilities": Schema.Struct({
        elicitation: Schema.optional(Schema.Json),
        extensions: Schema.optional(Schema.Json)
      })
    })
  })
})
type Request = typeof Request.Type

const isTaskRequest = Schema.is(Request)

const Listening = Schema.Struct({
  id: Schema.Union([Schema.String, Schema.Finite]),
  method: Schema.Literal("subscriptions/listen"),
  params: Schema.Struct({
    notifications: Schema.Struct({ taskIds: Schema.NonEmptyArray(Schema.Json) }),
    _meta: Request.fields.params.fields._meta
  })
})
const isListeningToTasks = Schema.is(Listening)

const declaredBy = ({ params: { _meta } }: Pick<typeof Listening.Type, "params"> | Request) => {
  const { elicitation, extensions } = _meta["io.modelcontextprotocol/clientCapabilities"]
  return Json.isObject(extensions as Json.Value) && (extensions as Json.Object)[TaskCall.extension] !== undefined
    ? { hasElicitation: elicitation !== undefined }
    : undefined
}

const error = (id: string | number, code: number, message: string, data?: Json.Object) =>
  HttpServerResponse.jsonUnsafe(
    { jsonrpc: "2.0", id, error: { code, message, ...(data === undefined ? {} : { data }) } },
    { status: code === -32020 || code === -32021 ? 400 : 200 }
  )

const undeclared = (id: string | number) =>
  error(id, -32021, "Missing required client capability", { requiredCapabilities: TaskCall.requiredCapabilities })

const success = (id: string | number, result: Json.Object) =>
  HttpServerResponse.jsonUnsafe({ jsonrpc: "2.0", id, result: { ...result, resultType: "complete" } })

/** The code of an error of JSON-RPC. */
const isUnknownMethod = Schema.is(Schema.Struct({ error: Schema.Struct({ code: Schema.Literal(-32601) }) }))

const handled = Effect.fnUntraced(function*(tasks: Tasks, { method, params }: Request, client: TaskCall.Declared) {
  const { inputResponses, taskId } = params
  if (typeof taskId !== "string") {
    return yield* new TaskRefused({ code: -32602, message: "taskId: Input should be a text" })
  }
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const name = headers["mcp-name"]
  if (name === undefined || McpServer.decodeNameHeader(name) !== taskId) {
    return yield* new TaskRefused({ code: -32020, message: "Mcp-Name header does not match params.taskId" })
  }
  if (method === "tasks/get") return yield* tasks.get(taskId, client)
  if (method === "tasks/cancel") return yield* Effect.as(tasks.cancel(taskId), {})
  return Json.isObject(inputResponses as Json.Value)
    ? yield* Effect.as(tasks.update(taskId, inputResponses as Json.Object), {})
    : yield* new TaskRefused({ code: -32602, message: "inputResponses: Input should be an object" })
})

type Respond<R> = Effect.Effect<HttpServerResponse.HttpServerResponse, never, R>

/** `library` is the response of the MCP library to the same request. */
const ask = <R>(tasks: Tasks, message: Request, library: Respond<R>) =>
  Effect.flatMap(
    library,
    Effect.fnUntraced(function*(response) {
      const responded = yield* McpResponses.messageIn(response)
      if (Option.isNone(responded) || !isUnknownMethod(responded.value)) return response
      const client = declaredBy(message)
      if (client === undefined) return undeclared(message.id)
      return yield* handled(tasks, message, client).pipe(
        Effect.map((result) => success(message.id, result)),
        Effect.catchTag("TaskRefused", ({ code, message: text }) => Effect.succeed(error(message.id, code, text)))
      )
    })
  )

const isCall = Schema.is(Schema.Struct({
  method: Schema.Literal("tools/call"),
  id: Schema.Union([Schema.String, Schema.Finite])
}))

/** A call that became a task has the task as its response. */
const call = <R>(id: string | number, library: Respond<R>) =>
  Effect.flatMap(ClientRequest, (request) =>
    Effect.map(library, (response) =>
      request.task === undefined
        ? response
        : HttpServerResponse.jsonUnsafe({ jsonrpc: "2.0", id, result: { ...request.task, resultType: "task" } })))

const isDiscovery = Schema.is(Schema.Struct({ method: Schema.Literal("server/discover") }))

const Discovered = Schema.Struct({ result: Schema.Struct({ capabilities: Json.Object }) })
const isDiscovered = Schema.is(Discovered)

/** The library would show the extension in all revisions. */
const discovery = <R>(library: Respond<R>) =>
  Effect.flatMap(library, (response) =>
    Effect.map(McpResponses.messageIn(response), (responded) => {
      if (Option.isNone(responded) || !isDiscovered(responded.value)) return response
      const { result } = responded.value
      const capabilities = { ...result.capabilities, extensions: { [TaskCall.extension]: {} } }
      return HttpServerResponse.jsonUnsafe(Object.assign({}, responded.value, { result: { ...result, capabilities } }))
    }))

/** The response to a message of a client, of which the library gives its own. */
export const respond = <R>(
  tasks: Tasks,
  message: Schema.Json,
  library: Respond<R>
): Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  never,
  R | CurrentPrincipal | HttpServerRequest.HttpServerRequest
> => {
  if (isCall(message)) return call(message.id, library)
  if (isDiscovery(message)) return discovery(library)
  if (isTaskRequest(message)) return ask(tasks, message, library)
  return isListeningToTasks(message) && declaredBy(message) === undefined
    ? Effect.succeed(undeclared(message.id))
    : library
}
