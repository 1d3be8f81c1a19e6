// Sends messages to remote agents. A message that was not accepted is sent again, and one that may have been accepted
// only if the remote agent recognizes it.
import { type Outgoing, type Remote, RemoteFailed, type Sent } from "@svc-runtime/agents/remote/RemoteTasks"
import { ByteLimits, bytesOf } from "@svc-runtime/engine/limits/ByteLimits"
import { OutcomeLost } from "@svc-runtime/engine/tool/OutcomeLost"
import type { Message } from "@svc-runtime/protocols/a2a/Model"
import { Effect } from "effect"
import { type CallFailed, lost } from "./CallFailed.ts"
import * as Connections from "./Connections.ts"
import * as MessageId from "./MessageId.ts"
import type { Endpoint, RemoteRequests, Replied } from "./RemoteRequests.ts"
import * as Retrying from "./Retrying.ts"

const messageOf = ({ context_id, message_id, parts, task_id }: Outgoing): Message => ({
  messageId: MessageId.of(message_id),
  role: "ROLE_USER",
  parts,
  ...(context_id === undefined ? {} : { contextId: context_id }),
  ...(task_id === undefined ? {} : { taskId: task_id })
})

/** The card says otherwise: nothing was accepted. */
const isMisplaced = ({ kind, reason }: CallFailed): boolean =>
  kind === "refused" && (reason === "METHOD_NOT_FOUND" || reason === "VERSION_NOT_SUPPORTED")

/** Beside the parts of an answer, its ids are in the result. */
const idBytes = 4096

export const make = (calls: RemoteRequests, connections: Connections.Connections) => {
  /** The first reply of a stream. The others are for the reader of the task. */
  const stream = Effect.fnUntraced(function*(remote: Remote, endpoint: Endpoint, message: Message) {
    const connection = yield* Connections.open(calls.stream(remote, endpoint, { _tag: "Stream", message }))
    const first: Effect.Effect<ReadonlyArray<Replied>, CallFailed> = Effect.flatMap(connection.next, (replies) => {
      if (replies === undefined) {
        return Effect.fail(lost(`The remote agent ${remote.id} ended its response at its start`))
      }
      return replies.length === 0 ? first : Effect.succeed(replies)
    })
    const replies = yield* first.pipe(
      Effect.timeoutOrElse({
        duration: remote.timeout,
        orElse: () => Effect.fail(lost(`The remote agent ${remote.id} did not respond in time`))
      }),
      Effect.onExit((exit) => exit._tag === "Failure" ? connection.close : Effect.void)
    )
    const [reply] = replies
    let unread: ReadonlyArray<Replied> | undefined = replies
    const next = Effect.suspend(() => {
      const given = unread
      unread = undefined
      return given === undefined ? connection.next : Effect.succeed(given)
    })
    if (reply?._tag === "Message") yield* connection.close
    else yield* connections.keep(message.messageId, { ...connection, next })
    return reply as Replied
  })

  const once = Effect.fnUntraced(function*(remote: Remote, message: Message) {
    const endpoint = yield* calls.endpoint(remote)
    if (!endpoint.isStreaming) return yield* calls.call(remote, endpoint, { _tag: "Send", message })
    return yield* Effect.catchIf(
      stream(remote, endpoint, message),
      // it does not stream, whatever its card says
      ({ kind, reason }) => kind === "refused" && reason === "UNSUPPORTED_OPERATION" && message.taskId === undefined,
      () => calls.call(remote, endpoint, { _tag: "Send", message })
    )
  })

  const withFreshCard = (remote: Remote, message: Message) =>
    Effect.catchIf(
      once(remote, message),
      isMisplaced,
      () => Effect.andThen(calls.forget(remote), once(remote, message))
    )

  const sentOf = Effect.fnUntraced(function*(remote: Remote, { message_id, task_id }: Outgoing, reply: Replied) {
    if (reply._tag === "Message") {
      const { contextId, parts } = reply.message
      const { toolResult } = yield* ByteLimits
      if (bytesOf(JSON.stringify(parts)) + idBytes > toolResult) {
        return yield* new RemoteFailed({
          message:
            `The answer of the remote agent ${remote.id} is larger than ${toolResult} bytes (TOOL_RESULT_MAX_BYTES)`
        })
      }
      const answered: Sent = { message_id, ...(contextId === undefined ? {} : { context_id: contextId }), parts }
      return answered
    }
    const { contextId, taskId } = reply
    if (task_id !== undefined && task_id !== taskId) {
      return yield* new RemoteFailed({ message: `The remote agent ${remote.id} sent a response about another task` })
    }
    const sent: Sent = {
      message_id,
      task_id: taskId,
      ...(contextId === undefined ? {} : { context_id: contextId })
    }
    return sent
  })

  return Effect.fnUntraced(function*(
    remote: Remote,
    outgoing: Outgoing
  ): Effect.fn.Return<Sent, OutcomeLost | RemoteFailed> {
    const { message_id, task_id } = outgoing
    const sending = Retrying.retry(
      withFreshCard(remote, messageOf(outgoing)),
      ({ kind }) => kind === "unsent" || (kind === "lost" && remote.deduplicates)
    )
    const reply = yield* Effect.result(sending)
    if (reply._tag === "Success") return yield* sentOf(remote, outgoing, reply.success)
    const { kind, message, reason } = reply.failure
    // an answer that arrived before: its task does not wait any more
    if (remote.deduplicates && task_id !== undefined && reason === "UNSUPPORTED_OPERATION") {
      return { message_id, task_id }
    }
    return yield* kind === "lost" ? new OutcomeLost({ message }) : new RemoteFailed({ message })
  })
}
