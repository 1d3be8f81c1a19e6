// `/workflows/ws` and `/workflows/{id}/ws`. Greets a socket, reads its messages, sends it the runs that it follows, and
// closes it if it breaks the protocol, does not authenticate in time, or does not read its messages. `SocketSession.ts`
// handles the messages.
import { RunService } from "@svc-runtime/agents/runService/RunService"
import { Authenticator } from "@svc-runtime/auth"
import * as CallerKey from "@svc-runtime/http/authorization/CallerKey"
import { isUpgrade } from "@svc-runtime/http/authorization/isUpgrade"
import { Forms } from "@svc-runtime/http/forms/Forms"
import { errorResponse } from "@svc-runtime/http/middleware/ErrorResponses"
import { Stopping } from "@svc-runtime/http/requests/Shutdown"
import { ServerSettings } from "@svc-runtime/http/Settings"
import { Deferred, Effect, FiberMap, Option, Semaphore, Stream } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { Socket } from "effect/socket"
import * as Backpressure from "./Backpressure.ts"
import * as CloseCode from "./CloseCode.ts"
import type * as SocketEvents from "./SocketEvents.ts"
import * as SocketFlowControl from "./SocketFlowControl.ts"
import type * as SocketMessage from "./SocketMessage.ts"
import * as SocketPermits from "./SocketPermits.ts"
import type * as SocketRuns from "./SocketRuns.ts"
import * as SocketSession from "./SocketSession.ts"

// Checks the opening handshake of a WebSocket (RFC 6455 §4.2.1). The WebSocket library refuses a bad handshake in HTML,
// so this check comes first.

/** 16 bytes in base64. */
const keyForm = /^[+/0-9A-Za-z]{22}==$/

const versions = ["13", "8"]

const tokenForm = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

/** With this subprotocol, all messages to the client are JSON. Without one, live events are server-sent events. */
export const subprotocol = "json"

const protocolsOf = (header: string): ReadonlyArray<string> => header.split(",").map((name) => name.trim())

const isProtocolList = (names: ReadonlyArray<string>): boolean =>
  names.every((name) => tokenForm.test(name)) && new Set(names).size === names.length

const formOf = ({ headers }: HttpServerRequest.HttpServerRequest): SocketEvents.Form =>
  headers["sec-websocket-protocol"] === undefined ? "text" : "json"

/** Undefined: the handshake can be completed. */
const handshakeProblem = ({ headers }: HttpServerRequest.HttpServerRequest): string | undefined => {
  if (!keyForm.test(headers["sec-websocket-key"] ?? "")) {
    return "The WebSocket handshake is invalid: Sec-WebSocket-Key must be 16 bytes in base64"
  }
  if (!versions.includes(headers["sec-websocket-version"] ?? "")) {
    return "The WebSocket handshake is invalid: Sec-WebSocket-Version must be 13"
  }
  const header = headers["sec-websocket-protocol"]
  if (header === undefined) return undefined
  const protocols = protocolsOf(header)
  if (!isProtocolList(protocols)) {
    return "The WebSocket handshake is invalid: Sec-WebSocket-Protocol must list different protocols"
  }
  return protocols.includes(subprotocol)
    ? undefined
    : `This socket has no such subprotocol. Ask for "${subprotocol}", or for none`
}

/** These authenticate by themselves. */
export const paths = ["/workflows/ws", "/workflows/:workflow_id/ws"] as const

/** How long a socket may stay unauthenticated. */
const authenticationTimeout = "30 seconds"

/** How often the token of a socket without messages is checked again. */
const verifyInterval = "30 seconds"

const upgradeRequired = errorResponse(426, "BAD_REQUEST", "This is a WebSocket: ask for an upgrade", {
  upgrade: "websocket"
})

/** So that no proxy disconnects during a run without events. */
const heartbeat = JSON.stringify({ event: "heartbeat" })
const heartbeatInterval = "15 seconds"

type Write = (text: string) => Effect.Effect<void, Socket.SocketError>

/** Sends a run as fast as the client reads it. A second follower of the same run replaces the first. */
const follower = Effect.fnUntraced(function*(write: Write, form: SocketEvents.Form) {
  const followed = yield* FiberMap.make<string, void, never>()
  const follow = ({ onGone, run_id, texts }: SocketRuns.Followed, verify: Effect.Effect<void>) => {
    const send = (text: string) => Effect.andThen(verify, write(text))
    const beats = Effect.forever(Effect.andThen(Effect.sleep(heartbeatInterval), send(heartbeat)))
    // no merge of streams: it would read pages that the client has no room for
    const shown = Effect.raceFirst(Stream.runForEach(texts(form), send), beats).pipe(
      Effect.onInterrupt(() => onGone),
      Effect.catchIf(Socket.isSocketError, () => onGone)
    )
    return FiberMap.run(followed, run_id, shown)
  }
  return { follow, count: FiberMap.size(followed), untilNone: FiberMap.awaitEmpty(followed) }
})

const timedOut = new SocketSession.Closing({
  code: CloseCode.policyViolation,
  reason: "Authentication timeout"
})
const tooSlow = new SocketSession.Closing({ code: CloseCode.tryAgainLater, reason: "The client reads too slowly" })
const stopping = new SocketSession.Closing({ code: CloseCode.goingAway, reason: "The service is stopping" })
const tooMuch = new SocketSession.Closing({
  code: CloseCode.tooLarge,
  reason: "More was sent before authentication than a token needs"
})

const unfinished = new SocketSession.Closing({
  code: CloseCode.policyViolation,
  reason: "The message did not end in time"
})
const crowded = new SocketSession.Closing({
  code: CloseCode.tryAgainLater,
  reason: "Too many bytes are uploaded at once (MAX_UPLOAD_BYTES_IN_FLIGHT)"
})

const converse = Effect.fnUntraced(function*(
  socket: Socket.Socket,
  request: HttpServerRequest.HttpServerRequest,
  { begun, flow, session }: {
    /** Returns when the service begins to stop. */
    readonly begun: Effect.Effect<void>
    readonly flow: Pick<SocketFlowControl.Options, "largest" | "receiveMillis" | "room">
    readonly session: SocketSession.SocketSession
  }
) {
  const writer = yield* socket.writer
  const pull = yield* Socket.readerString(socket)
  const ended = yield* Deferred.make<never, SocketSession.Closing>()
  /** Closes the socket from a background fiber, and does not return. */
  const end = (closing: SocketSession.Closing) => Effect.andThen(Deferred.fail(ended, closing), Effect.never)
  const slow = Effect.andThen(Effect.logInfo("A socket is closed: its client reads too slowly"), end(tooSlow))
  const hasRoom = Backpressure.of(request)(slow)
  const flowControl = yield* SocketFlowControl.make(request, {
    ...flow,
    hasRoom,
    isAuthenticated: session.isAuthenticated
  })
  const turn = yield* Semaphore.make(1)
  const write: Write = (text) => turn.withPermits(1)(Effect.andThen(hasRoom, writer.write(text)))
  const say = (frame: SocketMessage.Frame) => write(JSON.stringify(frame))
  const orEnd = Effect.catch(end)
  const { count, follow, untilNone } = yield* follower(write, formOf(request))

  yield* say(session.greeting)
  yield* Effect.forkScoped(
    Effect.andThen(
      Effect.sleep(authenticationTimeout),
      Effect.suspend(() => session.isAuthenticated() ? Effect.void : end(timedOut))
    )
  )
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(verifyInterval), orEnd(session.verify))))
  yield* Effect.forkScoped(Effect.andThen(flowControl.flooded, end(tooMuch)))
  yield* Effect.forkScoped(
    Effect.catchTags(flowControl.unfinished, {
      TimeoutError: () => end(unfinished),
      TooManyRequests: () => end(crowded)
    })
  )

  const handling = yield* Semaphore.make(1)
  const handle = Effect.fnUntraced(function*(text: string) {
    const { followed, frames, verify = Effect.void } = yield* session.handle(
      text,
      (yield* count) < SocketSession.maxFollowed
    )
    for (const frame of frames) yield* say(frame)
    if (followed !== undefined) yield* follow(followed, orEnd(verify))
  }, handling.withPermits(1))
  // when the runs that this node executes have ended, or their time is over
  const leave: Effect.Effect<void> = Effect.andThen(
    untilNone,
    handling.withPermits(1)(Effect.flatMap(count, (left) => left === 0 ? end(stopping) : Effect.void))
  )
  yield* Effect.forkScoped(Effect.andThen(begun, Effect.forever(leave)))
  const conversation = Effect.forever(
    Effect.flatMap(flowControl.next(pull), (texts) => Effect.forEach(texts, handle, { discard: true }))
  )
  const untilEnded = Effect.raceFirst(conversation, Deferred.await(ended))
  return yield* Effect.catchIf(
    untilEnded,
    (error) => error instanceof SocketSession.Closing,
    ({ code, frame, reason }) =>
      Effect.andThen(
        frame === undefined ? Effect.void : writer.write(JSON.stringify(frame)),
        writer.write(new Socket.CloseEvent(code, reason))
      )
  )
})

/** A limit is reached before the handshake: the client gets a plain response. */
const full = (refused: SocketPermits.SocketsFull) =>
  refused.setting === "MAX_SOCKETS"
    ? errorResponse(503, "SERVICE_UNAVAILABLE", refused.message, { "retry-after": "30" })
    : errorResponse(429, "TOO_MANY_REQUESTS", refused.message, { "retry-after": "30" })

export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const authenticator = yield* Authenticator
  const { limits } = yield* ServerSettings
  const permits = SocketPermits.make(limits)
  const forms = yield* Forms
  const service = yield* RunService
  const { begun } = yield* Stopping
  const serve = Effect.fnUntraced(function*(request: HttpServerRequest.HttpServerRequest) {
    if (!isUpgrade(request)) return upgradeRequired
    const problem = handshakeProblem(request)
    if (problem !== undefined) {
      return errorResponse(400, "BAD_REQUEST", problem, { "sec-websocket-version": "13" })
    }
    const { workflow_id } = yield* HttpRouter.params
    const address = Option.getOrUndefined(request.remoteAddress)
    return yield* Effect.scoped(Effect.gen(function*() {
      const permit = yield* permits.acquire(CallerKey.ofAddress(address))
      const session = SocketSession.make(authenticator, service, {
        address,
        permit,
        workflowId: workflow_id,
        maxValues: limits.jsonValues
      })
      const flow = {
        largest: limits.jsonBody,
        receiveMillis: limits.receiveMillis,
        room: () => forms.reservation(permit.caller())
      }
      const socket = yield* request.upgrade
      // the library reports every end of a socket as an error
      yield* Effect.catchIf(
        converse(socket, request, { begun, flow, session }),
        Socket.isSocketError,
        () => Effect.void
      )
      return HttpServerResponse.empty()
    })).pipe(Effect.catchTag("SocketsFull", (refused) => Effect.succeed(full(refused))))
  })
  for (const path of paths) yield* router.add("GET", path, serve)
}))
