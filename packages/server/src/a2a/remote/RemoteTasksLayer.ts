// Calls remote agents over A2A, for runs.
import { type Remote, RemoteFailed, RemoteTasks, type Sent } from "@svc-runtime/agents/remote/RemoteTasks"
import { SafeFetch, type SafeFetchOptions } from "@svc-runtime/fetch"
import { Effect, Fiber, Layer } from "effect"
import type { CallFailed } from "./CallFailed.ts"
import * as Connections from "./Connections.ts"
import * as Following from "./Following.ts"
import * as RemoteRequests from "./RemoteRequests.ts"
import * as Retrying from "./Retrying.ts"
import * as Sending from "./Sending.ts"

/** How long the response to a message of a cancelled run is waited for. */
const withdrawing = "1 minute"

/** Its task does not execute any more. */
const isOver = ({ reason }: CallFailed): boolean => reason === "TASK_NOT_CANCELABLE" || reason === "TASK_NOT_FOUND"

const make = Effect.gen(function*() {
  const calls = yield* RemoteRequests.make
  const connections = yield* Connections.make
  const cancel = (remote: Remote, id: string) =>
    Effect.flatMap(calls.endpoint(remote), (endpoint) => calls.call(remote, endpoint, { _tag: "Cancel", id })).pipe(
      (cancelling) => Retrying.retry(cancelling, Retrying.isTransient),
      Effect.catchIf(isOver, () => Effect.void),
      Effect.mapError(({ message }) => new RemoteFailed({ message })),
      Effect.asVoid
    )
  const scope = yield* Effect.scope
  const sending = Sending.make(calls, connections)

  /** Cancels the task of a message that was being sent. */
  const withdraw = (remote: Remote, fiber: Fiber.Fiber<Sent, unknown>) =>
    Fiber.await(fiber).pipe(
      Effect.flatMap((sent) =>
        sent._tag === "Success" && sent.value.task_id !== undefined ? cancel(remote, sent.value.task_id) : Effect.void
      ),
      Effect.timeoutOption(withdrawing),
      Effect.andThen(Fiber.interrupt(fiber)),
      Effect.ignore({ log: true })
    )

  const send: RemoteTasks["Service"]["send"] = (remote, message, isCancelled) =>
    Effect.uninterruptibleMask(Effect.fnUntraced(function*(restore) {
      const fiber = yield* Effect.forkIn(Effect.interruptible(sending(remote, message)), scope)
      return yield* restore(Fiber.join(fiber)).pipe(
        Effect.onInterrupt(() =>
          isCancelled()
            ? Effect.forkIn(Effect.interruptible(withdraw(remote, fiber)), scope)
            : Fiber.interrupt(fiber)
        )
      )
    }))

  return {
    send,
    follow: Following.make(calls, connections, cancel),
    cancel
  }
})

/** Each call has a time limit of its own. */
export const layerWith = (options?: SafeFetchOptions) =>
  Layer.effect(RemoteTasks, make).pipe(Layer.provide(SafeFetch.layer({ ...options, timeout: "1 day" })))
