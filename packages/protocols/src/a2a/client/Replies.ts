// The responses of a remote agent, on each wire, as values of version 1.0. Ids and texts beside the parts are bounded.
import * as Json from "@svc-runtime/domain/Json"
import { Option, Result } from "effect"
import * as A2aError from "../A2aError.ts"
import * as Decoding from "../Decoding.ts"
import type { Part, State } from "../Model.ts"
import * as Parts from "../Parts.ts"
import type { Interface } from "./RemoteCard.ts"

export interface RemoteMessage {
  readonly taskId: string | undefined
  readonly contextId: string | undefined
  readonly parts: ReadonlyArray<Part>
}

export interface RemoteStatus {
  readonly state: State
  readonly message: RemoteMessage | undefined
}

export interface RemoteArtifact {
  readonly artifactId: string
  readonly parts: ReadonlyArray<Part>
}

/** What a client uses of a task, and of its changes. */
export type Reply =
  | { readonly _tag: "Message"; readonly message: RemoteMessage }
  | {
    readonly _tag: "Task"
    readonly taskId: string
    readonly contextId: string | undefined
    readonly status: RemoteStatus
    readonly artifacts: ReadonlyArray<RemoteArtifact>
  }
  | {
    readonly _tag: "Status"
    readonly taskId: string
    readonly contextId: string | undefined
    readonly status: RemoteStatus
  }
  | {
    readonly _tag: "Artifact"
    readonly taskId: string
    readonly contextId: string | undefined
    readonly artifact: RemoteArtifact
    readonly append: boolean
  }

type Decoded<A> = Result.Result<A, A2aError.A2aError>

const unreadable = (what: string) => Result.fail(A2aError.make("INVALID_AGENT_RESPONSE", `It sent ${what}`))

const idIn = (value: Json.Value | undefined): string | undefined =>
  typeof value === "string" && value !== "" && value.length <= 512 ? value : undefined

const states: Readonly<Record<string, State>> = {
  submitted: "TASK_STATE_SUBMITTED",
  working: "TASK_STATE_WORKING",
  unknown: "TASK_STATE_WORKING",
  unspecified: "TASK_STATE_WORKING",
  completed: "TASK_STATE_COMPLETED",
  failed: "TASK_STATE_FAILED",
  canceled: "TASK_STATE_CANCELED",
  cancelled: "TASK_STATE_CANCELED",
  input_required: "TASK_STATE_INPUT_REQUIRED",
  rejected: "TASK_STATE_REJECTED",
  auth_required: "TASK_STATE_AUTH_REQUIRED"
}

const stateOf = (value: Json.Value | undefined): Decoded<State> => {
  const name = String(value).toLowerCase().replace("task_state_", "").replaceAll("-", "_")
  const state = Object.hasOwn(states, name) ? states[name] : undefined
  return state === undefined ? unreadable("a state that A2A does not have") : Result.succeed(state)
}

const partDecoder = ({ binding, version }: Interface) => {
  if (version === "1.0") return Parts.of10
  return binding === "JSONRPC" ? Parts.of03 : Parts.ofProto03
}

const partsIn = (target: Interface, fields: Json.Object): Decoded<ReadonlyArray<Part>> => {
  const list = fields["parts"] ?? fields["content"] ?? []
  if (!Json.isList(list)) return unreadable("parts that are no list")
  const decode = partDecoder(target)
  return Result.mapError(
    Result.all(list.map((part) => decode(part))),
    () => A2aError.make("INVALID_AGENT_RESPONSE", "It sent a part that cannot be read")
  )
}

const messageOf = (target: Interface, value: Json.Value | undefined): Decoded<RemoteMessage> => {
  const fields = Decoding.named(value)
  return Result.map(partsIn(target, fields), (parts) => ({
    taskId: idIn(fields["taskId"]),
    contextId: idIn(fields["contextId"]),
    parts
  }))
}

const statusOf = (target: Interface, value: Json.Value | undefined): Decoded<RemoteStatus> =>
  Result.gen(function*() {
    const fields = Decoding.named(value)
    const { message, update } = fields
    const words = message ?? update
    return {
      state: yield* stateOf(fields["state"]),
      message: words === undefined ? undefined : yield* messageOf(target, words)
    }
  })

const artifactOf = (target: Interface, value: Json.Value | undefined): Decoded<RemoteArtifact> => {
  const fields = Decoding.named(value)
  return Result.map(partsIn(target, fields), (parts) => ({ artifactId: idIn(fields["artifactId"]) ?? "", parts }))
}

const listIn = (value: Json.Value | undefined): ReadonlyArray<Json.Value> => Json.isList(value) ? value : []

const taskOf = (target: Interface, fields: Json.Object): Decoded<Reply> =>
  Result.gen(function*() {
    const taskId = idIn(fields["id"])
    if (taskId === undefined) return yield* unreadable("a task without an id")
    return {
      _tag: "Task",
      taskId,
      contextId: idIn(fields["contextId"]),
      status: yield* statusOf(target, fields["status"]),
      artifacts: yield* Result.all(listIn(fields["artifacts"]).map((each) => artifactOf(target, each)))
    }
  })

const changeOf = (target: Interface, fields: Json.Object): Decoded<Reply> =>
  Result.gen(function*() {
    const taskId = idIn(fields["taskId"])
    if (taskId === undefined) return yield* unreadable("a change without the id of its task")
    const ids = { taskId, contextId: idIn(fields["contextId"]) }
    return fields["artifact"] === undefined
      ? { _tag: "Status", ...ids, status: yield* statusOf(target, fields["status"]) } as const
      : {
        _tag: "Artifact",
        ...ids,
        artifact: yield* artifactOf(target, fields["artifact"]),
        append: fields["append"] === true
      } as const
  })

/** The keys of an object that has one of the values in it. */
const wrappers = ["task", "message", "msg", "statusUpdate", "artifactUpdate"]

/** A task, a message or a change, with or without the object around it that names what it is. */
export const item = (target: Interface, value: Json.Value | undefined): Decoded<Reply> => {
  if (!Json.isObject(value)) return unreadable("no object")
  const outer = Decoding.named(value)
  const wrapper = outer["kind"] === undefined ? wrappers.find((name) => Json.isObject(outer[name])) : undefined
  const fields = wrapper === undefined ? outer : Decoding.named(outer[wrapper])
  if (wrapper === "statusUpdate" || wrapper === "artifactUpdate") return changeOf(target, fields)
  if (fields["kind"] === "status-update" || fields["kind"] === "artifact-update") return changeOf(target, fields)
  if (wrapper === "task" || fields["kind"] === "task" || fields["status"] !== undefined) return taskOf(target, fields)
  if (wrapper !== undefined || fields["messageId"] !== undefined || fields["kind"] === "message") {
    return Result.map(messageOf(target, fields), (message) => ({ _tag: "Message", message }))
  }
  return unreadable("neither a task nor a message")
}

/** The text of an error is the remote service's. */
const maxMessage = 500

const reasonIn = (fields: Json.Object): string | undefined => {
  const details = [...listIn(fields["data"]), ...listIn(fields["details"])]
  const named = details.filter(Json.isObject).find(({ reason }) => typeof reason === "string")
  return named === undefined ? undefined : String(named["reason"])
}

const errorOf = (value: Json.Value | undefined, fallback: A2aError.Reason): A2aError.A2aError => {
  const fields = Json.isObject(value) ? value : {}
  const { code, message } = fields
  const reason = A2aError.reasonOf(reasonIn(fields), code) ?? fallback
  return A2aError.make(reason, typeof message === "string" ? message.slice(0, maxMessage) : undefined)
}

const byStatus: Readonly<Record<number, A2aError.Reason>> = {
  401: "PERMISSION_DENIED",
  403: "PERMISSION_DENIED",
  404: "METHOD_NOT_FOUND",
  405: "METHOD_NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  503: "UNAVAILABLE"
}

const reasonOfStatus = (status: number): A2aError.Reason =>
  byStatus[status] ?? (status < 500 ? "INVALID_REQUEST" : "INTERNAL_ERROR")

/** A whole response, or one event of a stream. */
export const reply = (target: Interface, status: number, text: string): Decoded<Reply> => {
  const body = Option.getOrUndefined(Json.parseInput(text))
  const fields = Json.isObject(body) ? body : undefined
  const fallback = reasonOfStatus(status)
  if (fields?.["error"] !== undefined && fields["error"] !== null) {
    return Result.fail(errorOf(fields["error"], fallback))
  }
  if (status >= 400) return Result.fail(errorOf(fields, fallback))
  if (status >= 300) return unreadable(`a redirect (${status}), which is not followed`)
  if (fields === undefined) return unreadable("no JSON")
  return item(target, target.binding === "JSONRPC" ? fields["result"] : fields)
}
