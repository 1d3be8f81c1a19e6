// `/workflows/ws` and `/workflows/{id}/ws`. The socket's life: greeted, read message by message, shown the runs that it
// follows, closed when it does not speak the protocol, does not say who it is in time, or does not take what it is told.
// What is said is decided in `SocketSession.ts`.
import { Authenticator } from "@svc/auth"
import { Databases, FactoryResolver, IdempotencyStore, RunEngine, WorkflowRegistry } from "@svc/runtime"
import { Effect, FiberMap, Option, Stream } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { Socket } from "effect/socket"
import { simple } from "../middleware/ErrorResponses.ts"
import { ServerSettings } from "../Settings.ts"
import * as Backpressure from "./Backpressure.ts"
import type { HasRoom } from "./Backpressure.ts"
import { isUpgrade } from "./isUpgrade.ts"
import * as SocketMessage from "./SocketMessage.ts"
import type { Followed } from "./SocketRuns.ts"
import type * as SocketRuns from "./SocketRuns.ts"
import * as SocketSession from "./SocketSession.ts"

/** These authenticate by themselves. */
export const paths = ["/workflows/ws", "/workflows/:workflow_id/ws"] as const

/** How long a socket may stay silent about who it is. */
const patience = "30 seconds"

/** RFC 6455 §7.4.1. */
const policyViolation = 1008
const invalidData = 1007
/** Registered with the IANA. */
const tryAgainLater = 1013

const upgradeRequired = simple(426, "BAD_REQUEST", "This is a WebSocket: ask for an upgrade", { upgrade: "websocket" })

/** Runs that one socket follows at a time. */
const mostFollowed = 32

/** As in streams of events: so that nobody in between takes a run that thinks for a connection that is dead. */
const heartbeat = Stream.tick("15 seconds").pipe(
  Stream.drop(1),
  Stream.map(() => JSON.stringify({ event: "heartbeat" }))
)

interface Line {
  readonly write: (text: string) => Effect.Effect<void, Socket.SocketError>
  readonly close: (code: number, reason: string) => Effect.Effect<void, Socket.SocketError>
}

/** Shows a run as fast as the client takes it. A run that is followed a second time is followed by the latest alone. */
const follower = Effect.fnUntraced(function*({ write }: Line, hasRoom: HasRoom) {
  const followed = yield* FiberMap.make<string>()
  return Effect.fnUntraced(function*({ onGone, run_id, texts }: Followed) {
    if ((yield* FiberMap.size(followed)) >= mostFollowed) {
      return yield* write(JSON.stringify(SocketMessage.error(`A socket follows ${mostFollowed} runs at the most`)))
    }
    const shown = Stream.merge(texts, heartbeat, { haltStrategy: "left" }).pipe(
      Stream.runForEach((text) => Effect.andThen(hasRoom, write(text))),
      Effect.onInterrupt(() => onGone),
      Effect.catchIf(Socket.isSocketError, () => onGone)
    )
    yield* FiberMap.run(followed, run_id, shown)
  })
})

const converse = Effect.fnUntraced(function*(
  socket: Socket.Socket,
  session: SocketSession.SocketSession,
  roomOf: (close: Effect.Effect<void>) => HasRoom
) {
  const writer = yield* socket.writer
  const pull = yield* Socket.readerString(socket)
  const close = (code: number, reason: string) => writer.write(new Socket.CloseEvent(code, reason))
  const line: Line = { write: (text) => writer.write(text), close }
  const say = (frame: SocketMessage.Frame) => writer.write(JSON.stringify(frame))
  const giveUp = Effect.andThen(
    Effect.logInfo("A socket is closed: its client reads too slowly"),
    Effect.ignore(close(tryAgainLater, "The client reads too slowly"))
  )
  const follow = yield* follower(line, roomOf(giveUp))

  yield* say(session.greeting)
  yield* Effect.sleep(patience).pipe(
    Effect.andThen(session.isAuthenticated),
    Effect.flatMap((isKnown) => isKnown ? Effect.void : close(policyViolation, "Nobody said who is calling")),
    Effect.forkScoped
  )

  const answer = (text: string) =>
    SocketMessage.decode(text).pipe(
      Effect.flatMap(session.handle),
      Effect.catchTag("NotAMessage", ({ message }) =>
        Effect.succeed<SocketSession.Handled>({ frames: [SocketMessage.error(message)] })),
      Effect.flatMap(({ followed, frames }) =>
        Effect.andThen(
          Effect.forEach(frames, say, { discard: true }),
          followed === undefined ? Effect.void : follow(followed)
        )
      ),
      Effect.catchTag("NotJson", () =>
        close(invalidData, "Messages are JSON"))
    )

  return yield* Effect.forever(Effect.flatMap(pull, (texts) => Effect.forEach(texts, answer, { discard: true })))
})

export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const authenticator = yield* Authenticator
  const runs: SocketRuns.Services = {
    engine: yield* RunEngine,
    registry: yield* WorkflowRegistry,
    database: (yield* Databases).all[0],
    idempotency: yield* IdempotencyStore,
    resolution: {
      resolver: yield* FactoryResolver,
      largestInput: (yield* ServerSettings).limits.jsonBody
    }
  }
  const serve = Effect.fnUntraced(function*(request: HttpServerRequest.HttpServerRequest) {
    if (!isUpgrade(request)) return upgradeRequired
    const { workflow_id } = yield* HttpRouter.params
    const address = Option.getOrUndefined(request.remoteAddress)
    const session = yield* SocketSession.make(authenticator, runs, { address, workflowId: workflow_id })
    const room = Backpressure.of(request)
    const socket = yield* request.upgrade
    // every end of a socket is an error to those who read from it
    yield* Effect.catchIf(Effect.scoped(converse(socket, session, room)), Socket.isSocketError, () => Effect.void)
    return HttpServerResponse.empty()
  })
  for (const path of paths) yield* router.add("GET", path, serve)
}))
