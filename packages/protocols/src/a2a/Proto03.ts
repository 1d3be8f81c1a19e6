// Version 0.3 on HTTP: the JSON of its Protocol Buffers, in which a message has `content`, and a state is spelled out.
import type * as Json from "@svc-runtime/domain/Json"
import * as A2aError from "./A2aError.ts"
import { type ArtifactUpdate, isSettled, type State, type StatusUpdate } from "./Model.ts"
import type { Artifact, Message, Status, StoredPushConfig, Task, Wire } from "./Operation.ts"
import * as Parts from "./Parts.ts"
import * as V03 from "./V03.ts"

/** Its spelling of one state differs from that of 1.0. */
const stateOf = (state: State): string => state === "TASK_STATE_CANCELED" ? "TASK_STATE_CANCELLED" : state

const message = ({ parts, ...rest }: Message): Json.Object => ({ ...rest, content: parts.map(Parts.toProto03) })

const artifact = ({ parts, ...rest }: Artifact): Json.Object => ({ ...rest, parts: parts.map(Parts.toProto03) })

const status = ({ message: shown, state, timestamp }: Status): Json.Object => ({
  state: stateOf(state),
  ...(shown === undefined ? {} : { message: message(shown) }),
  timestamp
})

const task = ({ artifacts, history, metadata, status: current, ...ids }: Task): Json.Object => ({
  ...ids,
  status: status(current),
  ...(artifacts === undefined ? {} : { artifacts: artifacts.map(artifact) }),
  ...(history === undefined ? {} : { history: history.map(message) }),
  ...(metadata === undefined ? {} : { metadata })
})

const statusUpdate = ({ status: current, ...rest }: StatusUpdate): Json.Object => ({
  ...rest,
  status: status(current),
  final: isSettled(current.state)
})

const artifactUpdate = ({ artifact: changed, ...rest }: ArtifactUpdate): Json.Object => ({
  ...rest,
  artifact: artifact(changed)
})

const config = (stored: StoredPushConfig): Json.Object => ({
  name: `tasks/${stored.taskId}/pushNotificationConfigs/${stored.id}`,
  pushNotificationConfig: V03.pushConfig(stored)
})

export const wire: Wire = {
  item: (item) => {
    if ("task" in item) return { task: task(item.task) }
    if ("message" in item) return { message: message(item.message) }
    return "statusUpdate" in item
      ? { statusUpdate: statusUpdate(item.statusUpdate) }
      : { artifactUpdate: artifactUpdate(item.artifactUpdate) }
  },
  reply: (reply) => {
    switch (reply._tag) {
      case "Task":
        return task(reply.task)
      case "Sent":
        return { task: task(reply.task) }
      case "Page":
        return { tasks: reply.page.tasks.map(task), nextPageToken: reply.page.nextPageToken }
      case "Push":
        return config(reply.config)
      case "Pushes":
        return { configs: reply.configs.map(config), nextPageToken: "" }
      case "Card":
        return reply.card
      case "Nothing":
        return {}
    }
  }
}

/** The body of an error: clients of 0.3 read the code of JSON-RPC from it. */
export const toError = (error: A2aError.A2aError): Json.Object => ({
  ...A2aError.toRpc(error),
  ...A2aError.toStatus(error)
})
