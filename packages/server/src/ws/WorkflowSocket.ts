// `/workflows/ws` and `/workflows/{id}/ws`. The socket's life: greeted, read message by message, closed when it does not
// speak the protocol or does not say who it is in time. What is said is decided in `SocketSession.ts`.
import { Authenticator } from "@svc/auth"
import { Effect, Option } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { Socket } from "effect/socket"
import { simple } from "../middleware/ErrorResponses.ts"
import { isUpgrade } from "./isUpgrade.ts"
import * as SocketMessage from "./SocketMessage.ts"
import * as SocketSession from "./SocketSession.ts"

/** These authenticate by themselves. */
export const paths = ["/workflows/ws", "/workflows/:workflow_id/ws"] as const

/** How long a socket may stay silent about who it is. */
const patience = "30 seconds"

/** RFC 6455 §7.4.1. */
const policyViolation = 1008
const invalidData = 1007

const upgradeRequired = simple(426, "BAD_REQUEST", "This is a WebSocket: ask for an upgrade", { upgrade: "websocket" })

const converse = Effect.fnUntraced(function*(socket: Socket.Socket, session: SocketSession.SocketSession) {
  const writer = yield* socket.writer
  const pull = yield* Socket.readerString(socket)
  const say = (frame: SocketMessage.Frame) => writer.write(JSON.stringify(frame))
  const close = (code: number, reason: string) => writer.write(new Socket.CloseEvent(code, reason))

  yield* say(session.greeting)
  yield* Effect.sleep(patience).pipe(
    Effect.andThen(session.isAuthenticated),
    Effect.flatMap((isKnown) => isKnown ? Effect.void : close(policyViolation, "Nobody said who is calling")),
    Effect.forkScoped
  )

  const answer = (text: string) =>
    SocketMessage.decode(text).pipe(
      Effect.flatMap(session.handle),
      Effect.catchTag("NotAMessage", ({ message }) => Effect.succeed([SocketMessage.error(message)])),
      Effect.flatMap((frames) => Effect.forEach(frames, say, { discard: true })),
      Effect.catchTag("NotJson", () => close(invalidData, "Messages are JSON"))
    )

  return yield* Effect.forever(Effect.flatMap(pull, (texts) => Effect.forEach(texts, answer, { discard: true })))
})

export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const authenticator = yield* Authenticator
  const serve = Effect.fnUntraced(function*(request: HttpServerRequest.HttpServerRequest) {
    if (!isUpgrade(request)) return upgradeRequired
    const { workflow_id } = yield* HttpRouter.params
    const address = Option.getOrUndefined(request.remoteAddress)
    const session = yield* SocketSession.make(authenticator, { address, workflowId: workflow_id })
    const socket = yield* request.upgrade
    // every end of a socket is an error to those who read from it
    yield* Effect.catchIf(converse(socket, session), Socket.isSocketError, () => Effect.void)
    return HttpServerResponse.empty()
  })
  for (const path of paths) yield* router.add("GET", path, serve)
}))
