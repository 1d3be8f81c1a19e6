// Reads a remote task until it has ended or asks something: from a stream, and where there is none, again and again.
import {
  type Followed,
  type Remote,
  RemoteFailed,
  type RemoteTask,
  type RemoteTasks
} from "@svc-runtime/agents/remote/RemoteTasks"
import * as TaskProgress from "@svc-runtime/protocols/a2a/client/TaskProgress"
import { Duration, Effect } from "effect"
import type { CallFailed } from "./CallFailed.ts"
import * as Connections from "./Connections.ts"
import * as MessageId from "./MessageId.ts"
import type { Endpoint, RemoteRequests, Replied } from "./RemoteRequests.ts"
import * as Retrying from "./Retrying.ts"

/** A stream without anything for so long is cut. */
const idleTimeout = "90 seconds"

/** Between two polls of a task, in seconds. */
const firstDelay = 1
const maxDelay = 10

/** Characters of what a remote agent says of its failure. */
const maxReason = 2000

/** Of an answer, with its files. More cannot be stored. */
const maxSize = 64 * 1024 * 1024

type OnText = Parameters<RemoteTasks["Service"]["follow"]>[2]

/** The task can be read again. A stream that is too large, or cannot be read, would be so again. */
const isCut = ({ kind, reason }: CallFailed): boolean =>
  kind !== "refused" || (reason !== undefined && reason !== "INVALID_AGENT_RESPONSE")

const failed = (message: string) => new RemoteFailed({ message })

const outcome = (
  { id }: Remote,
  progress: TaskProgress.TaskProgress,
  onText: OnText
): Effect.Effect<Followed, RemoteFailed> => {
  const text = progress.statusText().slice(0, maxReason)
  const reason = text === "" ? "" : `: ${text}`
  switch (progress.state()) {
    case "TASK_STATE_COMPLETED":
      return Effect.as(Effect.suspend(() => onText(progress.rest())), { _tag: "Answered", files: progress.files() })
    case "TASK_STATE_INPUT_REQUIRED": {
      const question = text === "" ? `The remote agent ${id} needs an answer` : progress.statusText()
      return Effect.succeed({ _tag: "Asks", question, context_id: progress.contextId() })
    }
    case "TASK_STATE_REJECTED":
      return Effect.fail(failed(`The remote agent ${id} rejected the message${reason}`))
    case "TASK_STATE_AUTH_REQUIRED":
      return Effect.fail(
        failed(`The remote agent ${id} requires an authorization that this service cannot give${reason}`)
      )
    case "TASK_STATE_CANCELED":
      return Effect.fail(failed(`The remote agent ${id} cancelled its task${reason}`))
    default:
      return Effect.fail(failed(`The remote agent ${id} failed${reason}`))
  }
}

export const make = (
  calls: RemoteRequests,
  connections: Connections.Connections,
  cancel: (remote: Remote, task_id: string) => Effect.Effect<void, RemoteFailed>
) => {
  const settle = Effect.fnUntraced(function*(
    remote: Remote,
    { message_id, task_id }: RemoteTask,
    progress: TaskProgress.TaskProgress,
    onText: OnText
  ) {
    const take = Effect.fnUntraced(function*(replies: ReadonlyArray<Replied>) {
      for (const reply of replies) {
        const text = progress.push(reply)
        if (text === undefined) return yield* failed(`The remote agent ${remote.id} sent a response about another task`)
        if (progress.size() > maxSize) {
          return yield* failed(`The answer of the remote agent ${remote.id} is too large`)
        }
        if (text !== "") yield* onText(text)
      }
    })

    /** Reads a stream to its end, or until it is cut. Its scope is that of the reading. */
    const drain = (connection: Connections.Connection) =>
      Effect.gen(function*() {
        while (!TaskProgress.isSettled(progress)) {
          const next = yield* Effect.timeoutOption(connection.next, idleTimeout)
          if (next._tag === "None" || next.value === undefined) return
          yield* take(next.value)
        }
      }).pipe(
        Effect.catchIf(
          (error): error is CallFailed => error._tag === "CallFailed" && isCut(error),
          () => Effect.void
        ),
        Effect.ensuring(connection.close)
      )

    const look = Effect.fnUntraced(function*() {
      const reading = Effect.flatMap(
        calls.endpoint(remote),
        (endpoint) => calls.call(remote, endpoint, { _tag: "Get", id: task_id })
      )
      yield* take([yield* Retrying.retry(reading, Retrying.isTransient)])
    })

    const subscribe = (endpoint: Endpoint) =>
      Connections.open(calls.stream(remote, endpoint, { _tag: "Subscribe", id: task_id }))

    const opened = connections.take(MessageId.of(message_id))
    if (opened !== undefined) yield* drain(opened)
    if (TaskProgress.isSettled(progress)) return
    let canSubscribe = true
    for (let delay = firstDelay;; delay = Math.min(delay * 1.5, maxDelay)) {
      yield* look()
      if (TaskProgress.isSettled(progress)) return
      const endpoint = yield* calls.endpoint(remote)
      if (canSubscribe && endpoint.isStreaming) {
        const connection = yield* Effect.option(subscribe(endpoint))
        canSubscribe = connection._tag === "Some"
        if (connection._tag === "Some") yield* drain(connection.value)
        // changes between the look and the subscription are in the task
        if (TaskProgress.isSettled(progress)) return yield* look()
      }
      yield* Effect.sleep(Duration.seconds(delay))
    }
  })

  return Effect.fnUntraced(function*(
    remote: Remote,
    task: RemoteTask,
    onText: OnText
  ) {
    const progress = TaskProgress.make(task.task_id)
    const { id, timeout } = remote
    yield* settle(remote, task, progress, onText).pipe(
      Effect.catchTag("CallFailed", ({ message }) => Effect.fail(failed(message))),
      Effect.timeoutOrElse({
        duration: timeout,
        orElse: () => Effect.fail(failed(`The remote agent ${id} did not finish within ${Duration.format(timeout)}`))
      }),
      // its answer is not read any more
      Effect.tapError(() => Effect.ignore(cancel(remote, task.task_id), { log: true }))
    )
    return yield* outcome(remote, progress, onText)
  })
}
