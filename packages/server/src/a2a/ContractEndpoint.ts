// The contract's own wire: sends and streams messages, and reads and cancels tasks, with the errors of the HTTP API.
import type { ComponentRef } from "@svc-runtime/agents/runService/Components"
import type { RunService } from "@svc-runtime/agents/runService/RunService"
import { Errors } from "@svc-runtime/api"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import { IdInput } from "@svc-runtime/domain/Ids"
import * as Json from "@svc-runtime/domain/Json"
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import { NewId } from "@svc-runtime/engine/NewId"
import { CurrentAccess } from "@svc-runtime/http/authorization/CurrentAccess"
import { alive, headers } from "@svc-runtime/http/sse/EventStream"
import * as StreamFailure from "@svc-runtime/http/sse/StreamFailure"
import * as JsonResponse from "@svc-runtime/http/wire/JsonResponse"
import { toWire } from "@svc-runtime/http/wire/runErrors"
import type * as A2aError from "@svc-runtime/protocols/a2a/A2aError"
import * as ContractStream from "@svc-runtime/protocols/a2a/ContractStream"
import * as ContractWire from "@svc-runtime/protocols/a2a/ContractWire"
import * as RunPieces from "@svc-runtime/protocols/run/RunPieces"
import { Effect, Option, Schema, Stream } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import type * as Target from "./Target.ts"
import type { TaskRun, TaskRuns } from "./TaskRuns.ts"

type Action = "send" | "stream"

const isId = Schema.is(IdInput)

const invalid = ({ message }: A2aError.A2aError) =>
  message === "Only user messages are accepted"
    ? Errors.badRequest(message)
    : Errors.badRequest(`Invalid A2A request: ${message}`)

/** Errors of the protocol have the status of HTTP here. */
const toHttp = (error: A2aError.A2aError) => {
  switch (error.kind.http) {
    case 403:
      return Errors.forbidden(error.message)
    case 404:
      return Errors.notFound(error.message)
    case 409:
      return Errors.conflict(error.message)
    case 429:
      return Errors.tooManyRequests(error.message)
    case 503:
      return Errors.unavailable(error.message)
    default:
      // the response about a context of another user is the same as if there were none
      return error.message.startsWith("contextId:")
        ? Errors.notFound("Session not found")
        : Errors.badRequest(error.message)
  }
}

const data = (event: string, value: Json.Object) => `event: ${event}\ndata: ${JSON.stringify(value)}\n\n`

export interface Dependencies {
  readonly service: RunService["Service"]
  readonly runs: TaskRuns
}

export const make = ({ runs, service }: Dependencies) => {
  const streamed = Effect.fnUntraced(function*(id: string | number, { events, run }: TaskRun) {
    const newId = yield* NewId
    const access = yield* CurrentAccess
    const broken = (error: string) => data("error", { event: "error", error })
    if (access !== undefined) access.closingFrame = (detail) => broken(`The stream ends: ${detail}`)
    const pieces = RunPieces.make(run.run_id)
    const stream = ContractStream.make({ newId, taskId: run.run_id, contextId: run.session_id })
    const texts = events.pipe(
      Stream.mapArray((chunk): [string] => [
        chunk.flatMap((event) => stream.push(event, pieces.push(event)))
          .map(({ event, result }) => data(event, { id, jsonrpc: "2.0", result })).join("")
      ]),
      Stream.filter((text) => text !== ""),
      Stream.catchCause((cause) => Stream.fromEffect(Effect.map(StreamFailure.of(cause), ({ text }) => broken(text))))
    )
    return HttpServerResponse.stream(alive(Stream.map(texts, (text): Uint8Array => Buffer.from(text))), {
      contentType: "text/event-stream; charset=utf-8",
      headers
    })
  })

  const sent = Effect.fnUntraced(function*(id: string | number, task: TaskRun) {
    const newId = yield* NewId
    const output = yield* toWire(task.output)
    if (Option.isNone(output)) return yield* Errors.notFound("Task not found")
    return JsonResponse.of({ id, jsonrpc: "2.0", result: ContractWire.taskOf(output.value, newId) })
  })

  const execute = Effect.fnUntraced(function*(target: Target.Target, body: Json.Object, action: Action) {
    const newId = yield* NewId
    const { id, method, sending } = yield* Effect.mapError(Effect.fromResult(ContractWire.decode(body)), invalid)
    if (method !== undefined && method !== `message/${action}`) {
      return yield* Errors.badRequest(`Invalid A2A request: method must be 'message/${action}'`)
    }
    // a client could not read the task later
    const isBlocking = sending.isBlocking || !ComponentKind.descriptions[target.component.kind].hasContractTasks
    const mode = { id: newId(), stream: action === "stream", isOnce: false, check: Effect.void }
    const task = yield* Effect.catchTag(
      runs.execute(target, sending, mode),
      "A2aError",
      (error) => Effect.fail(toHttp(error))
    )
    if (action === "stream") return yield* streamed(id, task)
    if (isBlocking) return yield* sent(id, task)
    const { run_id: taskId, session_id: contextId } = task.run
    const result = ContractWire.acceptedOf({ taskId, contextId }, newId)
    return HttpServerResponse.jsonUnsafe({ id, jsonrpc: "2.0", result }, { status: 202 })
  })

  const idsOf = Effect.fnUntraced(function*(body: Json.Value) {
    const { id = "unknown", params } = Json.isObject(body) ? body : {}
    const { contextId, id: task } = Json.isObject(params) ? params : {}
    if (![contextId, task].every((each) => typeof each !== "string" || isId(each))) return yield* badIds
    return {
      id,
      taskId: typeof task === "string" && task !== "" ? task : undefined,
      contextId: typeof contextId === "string" && contextId !== "" ? contextId : undefined
    }
  })

  const badIds = Errors.badRequest("An id has at most 512 characters, and no null characters or halves of characters")
  const missingTask = Errors.badRequest("Task ID (params.id) is required")

  return {
    execute,
    get: Effect.fnUntraced(function*({ caller, component }: Target.Target, body: Json.Value) {
      const newId = yield* NewId
      const { contextId, id, taskId } = yield* idsOf(body)
      if (taskId === undefined) return yield* missingTask
      if (contextId === undefined) return yield* Errors.badRequest("contextId is required to poll a task")
      const query = { caller, component, run_id: Run.Id.make(taskId), session_id: Session.Id.make(contextId) }
      const { isIsolated } = caller.principal
      const run = yield* Effect.catchTag(
        toWire(service.get(query)),
        "NotFound",
        (error) =>
          Effect.fail(
            error.detail.startsWith("Run not found") && !isIsolated ? Errors.notFound("Task not found") : error
          )
      )
      const result = ContractWire.complete(ContractWire.taskOf(run, newId))
      return JsonResponse.of({ id, jsonrpc: "2.0", result })
    }),
    cancel: Effect.fnUntraced(function*({ caller, component }: Target.Target, body: Json.Value) {
      const newId = yield* NewId
      const { contextId, id, taskId } = yield* idsOf(body)
      if (taskId === undefined) return yield* missingTask
      if (contextId === undefined && caller.principal.isIsolated) {
        return yield* Errors.badRequest("contextId is required to cancel a task")
      }
      const session_id = contextId === undefined ? undefined : Session.Id.make(contextId)
      yield* toWire(service.cancel({ caller, component, run_id: Run.Id.make(taskId), session_id }))
      const result = ContractWire.complete(ContractWire.canceled({ taskId, contextId: contextId ?? newId() }))
      return JsonResponse.of({ id, jsonrpc: "2.0", result })
    })
  }
}

/** The component that a message of the deprecated routes names. */
export const entityOf = (
  { headers: sent }: HttpServerRequest.HttpServerRequest,
  body: Json.Value
): string | undefined => {
  const { params } = Json.isObject(body) ? body : {}
  const { message } = Json.isObject(params) ? params : {}
  const { agentId } = Json.isObject(message) ? message : {}
  return typeof agentId === "string" && agentId !== "" ? agentId : sent["x-agent-id"]
}

export const entityMissing = Errors.badRequest(
  "Entity ID required. Provide it in params.message.agentId or in the header X-Agent-ID"
)

export const entityUnknown = (id: string) => Errors.notFound(`Agent, Team, or Workflow with ID '${id}' not found`)

export const refs = (id: string): ReadonlyArray<ComponentRef> =>
  ComponentKind.ComponentKind.literals.map((kind) => ({ kind, id }))
