// Version 0.3 on JSON-RPC: objects have a `kind`.
import type * as Json from "@svc-runtime/domain/Json"
import { Result, Schema } from "effect"
import * as Decoding from "./Decoding.ts"
import { type ArtifactUpdate, isSettled, type State, type StatusUpdate } from "./Model.ts"
import type { Artifact, Message, Operation, Status, StoredPushConfig, Task, Wire } from "./Operation.ts"
import * as Parts from "./Parts.ts"
import * as Sending from "./Sending.ts"

export const states: Readonly<Record<State, string>> = {
  TASK_STATE_SUBMITTED: "submitted",
  TASK_STATE_WORKING: "working",
  TASK_STATE_COMPLETED: "completed",
  TASK_STATE_FAILED: "failed",
  TASK_STATE_CANCELED: "canceled",
  TASK_STATE_INPUT_REQUIRED: "input-required",
  TASK_STATE_REJECTED: "rejected",
  TASK_STATE_AUTH_REQUIRED: "auth-required"
}

const message = ({ parts, role, ...rest }: Message): Json.Object => ({
  kind: "message",
  ...rest,
  role: role === "ROLE_USER" ? "user" : "agent",
  parts: parts.map(Parts.to03)
})

const artifact = ({ parts, ...rest }: Artifact): Json.Object => ({ ...rest, parts: parts.map(Parts.to03) })

const status = ({ message: shown, state, timestamp }: Status): Json.Object => ({
  state: states[state],
  ...(shown === undefined ? {} : { message: message(shown) }),
  timestamp
})

const task = ({ artifacts, history, metadata, status: current, ...ids }: Task): Json.Object => ({
  kind: "task",
  ...ids,
  status: status(current),
  ...(artifacts === undefined ? {} : { artifacts: artifacts.map(artifact) }),
  ...(history === undefined ? {} : { history: history.map(message) }),
  ...(metadata === undefined ? {} : { metadata })
})

const statusUpdate = ({ status: current, ...rest }: StatusUpdate): Json.Object => ({
  kind: "status-update",
  ...rest,
  status: status(current),
  final: isSettled(current.state)
})

const artifactUpdate = ({ artifact: changed, ...rest }: ArtifactUpdate): Json.Object => ({
  kind: "artifact-update",
  ...rest,
  artifact: artifact(changed)
})

export const pushConfig = ({ authentication, taskId: _, ...rest }: StoredPushConfig): Json.Object => {
  if (authentication === undefined) return rest
  const { scheme, ...credentials } = authentication
  return { ...rest, authentication: { schemes: [scheme], ...credentials } }
}

const config = (stored: StoredPushConfig): Json.Object => ({
  taskId: stored.taskId,
  pushNotificationConfig: pushConfig(stored)
})

const decodeId = Decoding.decoder(Schema.Struct({ id: Decoding.ShortText }))
const decodeGet = Decoding.decoder(Schema.Struct({ id: Decoding.ShortText, historyLength: Decoding.HistoryLength }))
const decodeOf = Decoding.decoder(Schema.Struct({ taskId: Decoding.ShortText }))
const decodePush = Decoding.decoder(
  Schema.Struct({ id: Decoding.ShortText, pushNotificationConfigId: Schema.optionalKey(Decoding.ShortText) })
)

const setPush = (params: Json.Object): Decoding.Decoded<Operation> =>
  Result.gen(function*() {
    const { taskId } = yield* decodeOf(params, "params")
    const config = yield* Decoding.push03(params["pushNotificationConfig"], "pushNotificationConfig")
    return { _tag: "SetPush", taskId, config }
  })

type Decode = (params: Json.Object) => Decoding.Decoded<Operation>

export const methods: Readonly<Record<string, Decode>> = {
  "message/send": (params) => Result.map(Sending.of03(params), (sending) => ({ _tag: "Send", sending })),
  "message/stream": (params) => Result.map(Sending.of03(params), (sending) => ({ _tag: "Stream", sending })),
  "tasks/get": (params) => Result.map(decodeGet(params, "params"), (get) => ({ _tag: "Get", ...get })),
  "tasks/cancel": (params) => Result.map(decodeId(params, "params"), ({ id }) => ({ _tag: "Cancel", id })),
  "tasks/resubscribe": (params) => Result.map(decodeId(params, "params"), ({ id }) => ({ _tag: "Subscribe", id })),
  "tasks/pushNotificationConfig/set": setPush,
  "tasks/pushNotificationConfig/get": (params) =>
    Result.map(decodePush(params, "params"), ({ id, pushNotificationConfigId }) => ({
      _tag: "GetPush",
      taskId: id,
      ...(pushNotificationConfigId === undefined ? {} : { id: pushNotificationConfigId })
    })),
  "tasks/pushNotificationConfig/list": (params) =>
    Result.map(decodeId(params, "params"), ({ id }) => ({ _tag: "ListPush", taskId: id })),
  "tasks/pushNotificationConfig/delete": (params) =>
    Result.flatMap(
      decodePush(params, "params"),
      ({ id, pushNotificationConfigId }) =>
        pushNotificationConfigId === undefined
          ? Decoding.invalid("params.pushNotificationConfigId: Field required")
          : Result.succeed({ _tag: "RemovePush", taskId: id, id: pushNotificationConfigId })
    ),
  "agent/getAuthenticatedExtendedCard": () => Result.succeed({ _tag: "Card" })
}

export const wire: Wire = {
  item: (item) => {
    if ("task" in item) return task(item.task)
    if ("message" in item) return message(item.message)
    return "statusUpdate" in item ? statusUpdate(item.statusUpdate) : artifactUpdate(item.artifactUpdate)
  },
  reply: (reply) => {
    switch (reply._tag) {
      case "Task":
      case "Sent":
        return task(reply.task)
      case "Page":
        return { tasks: reply.page.tasks.map(task), nextPageToken: reply.page.nextPageToken }
      case "Push":
        return config(reply.config)
      case "Pushes":
        return reply.configs.map(config)
      case "Card":
        return reply.card
      case "Nothing":
        return null
    }
  }
}
