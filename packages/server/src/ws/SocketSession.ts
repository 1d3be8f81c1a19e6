// One conversation on a workflow socket: who is on the other side, and what they may do. A socket is accepted from
// anybody and authenticated by a message, because browsers cannot send headers with it; until then nothing is done for
// it where the service asks who is calling. A refusal leaves the socket open: the next message may be better. The token
// is kept and authenticated anew for each message, so that one that is revoked or has expired ends the socket.
import { CurrentPrincipal } from "@svc/api"
import type { AuthenticationFailure, Authenticator } from "@svc/auth"
import * as Principal from "@svc/domain/Principal"
import * as Run from "@svc/domain/Run"
import * as Session from "@svc/domain/Session"
import type { RunService } from "@svc/runtime/service/RunService"
import { Data, Effect, Redacted } from "effect"
import * as Caller from "../authorization/Caller.ts"
import * as CloseCode from "./CloseCode.ts"
import { authError, decode, error, type Frame, type SocketMessage } from "./SocketMessage.ts"
import type { Place } from "./SocketPlaces.ts"
import * as SocketRuns from "./SocketRuns.ts"

export interface Connection {
  /** Where it comes from: failures are counted by it. */
  readonly address: string | undefined
  /** The workflow that the path names, if it does. A message may name another one. */
  readonly workflowId: string | undefined
  readonly place: Place
}

/** The socket is closed, after a last frame. */
export class Closing extends Data.TaggedError("Closing")<{
  readonly frame?: Frame
  readonly code: number
  readonly reason: string
}> {}

export interface Handled {
  readonly frames: ReadonlyArray<Frame>
  /** A run to be shown from now on. */
  readonly followed?: SocketRuns.Followed
}

export interface SocketSession {
  readonly greeting: Frame
  /** `canFollow`: whether there is room to show one more run. */
  readonly handle: (text: string, canFollow: boolean) => Effect.Effect<Handled, Closing>
  /** Whether nothing is missing that has to be there before anything else is done. */
  readonly isAuthenticated: () => boolean
  /** Fails when the token that the socket authenticated with is no longer accepted. */
  readonly verify: Effect.Effect<void, Closing>
}

/** Runs that one socket follows at a time. */
export const maxFollowed = 32

/** Messages that are answered before the socket has authenticated. */
const maxBeforeAuthentication = 32

const rejected = (failure: AuthenticationFailure) =>
  new Closing({
    frame: refusal(failure),
    code: CloseCode.policyViolation,
    reason: failure.message.slice(0, CloseCode.longestReason)
  })

const refusal = (failure: AuthenticationFailure): Frame => {
  switch (failure._tag) {
    case "TokenRejected":
      return authError(failure.message, failure.reason === "expired" ? "expired" : "invalid_token")
    case "KeyRejected":
      return authError("Invalid token")
    case "StorageUnavailable":
      return authError("Authentication is temporarily unavailable")
    default:
      return authError(failure.message)
  }
}

/** A user's token has two answers: that it is valid, and the user's id. */
const welcome = ({ credential, user_id }: Principal.Principal): ReadonlyArray<Frame> => {
  const first = { event: "authenticated", message: "Authentication successful. You can now send commands." }
  const name = credential === "jwt" ? "JWT" : credential === "service_account" ? "Service account" : undefined
  return name === undefined
    ? [first]
    : [first, {
      event: "authenticated",
      message: `${name} authentication successful.`,
      ...(user_id === undefined ? {} : { user_id })
    }]
}

const isGiven = (value: string | null | undefined): value is string =>
  value !== undefined && value !== null && value !== ""

interface Command {
  readonly caller: Principal.Principal
  readonly workflowId: string | undefined
  readonly message: SocketMessage
}

const mayRun = ({ caller, workflowId }: Command) =>
  Principal.may(
    caller,
    "workflows:run",
    workflowId === undefined ? undefined : { resource: "workflows", id: workflowId }
  )

type Answering = Effect.Effect<SocketRuns.Reply, never, CurrentPrincipal>

const refuse = (text: string): Effect.Effect<SocketRuns.Reply> => Effect.succeed({ frame: error(text) })

const idOf = (value: string | null | undefined) => isGiven(value) ? value : undefined
const runOf = ({ message: { run_id } }: Command) => isGiven(run_id) ? Run.Id.make(run_id) : undefined
const sessionOf = ({ caller, message }: Command) => {
  const session_id = caller.session_id ?? idOf(message.session_id)
  return session_id === undefined ? undefined : Session.Id.make(session_id)
}

type Act = (service: RunService["Service"], command: Command) => Answering

const start: Act = Effect.fnUntraced(function*(service, command) {
  const { message, workflowId } = command
  if (!mayRun(command)) return yield* refuse("Insufficient permissions to run this workflow")
  if (workflowId === undefined) return yield* refuse("workflow_id is required")
  return yield* SocketRuns.start(service, workflowId, message)
})

const resume: Act = Effect.fnUntraced(function*(service, command) {
  const { message, workflowId } = command
  if (!mayRun(command)) return yield* refuse("Insufficient permissions to continue this workflow")
  if (workflowId === undefined) return yield* refuse("workflow_id is required")
  const run_id = runOf(command)
  if (run_id === undefined) return yield* refuse("run_id is required")
  const session_id = sessionOf(command)
  if (session_id === undefined) return yield* refuse("session_id is required for this action")
  return yield* SocketRuns.resume(service, { workflowId, run_id, session_id }, message)
})

const reconnect: Act = Effect.fnUntraced(function*(service, command) {
  const { caller, message, workflowId } = command
  if (!mayRun(command)) return yield* refuse("Insufficient permissions to reconnect to this workflow")
  const session_id = sessionOf(command)
  if (caller.isIsolated) {
    if (workflowId === undefined) return yield* refuse("workflow_id is required to reconnect to a workflow run")
    if (session_id === undefined) return yield* refuse("session_id is required to reconnect to a workflow run")
  }
  const run_id = runOf(command)
  if (run_id === undefined) return yield* refuse("run_id is required for subscription")
  return yield* SocketRuns.reconnect(service, { run_id, session_id, workflowId }, message)
})

const cancel: Act = Effect.fnUntraced(function*(service, command) {
  const { caller, workflowId } = command
  if (!mayRun(command)) return yield* refuse("Insufficient permissions to cancel this workflow")
  if (workflowId === undefined) return yield* refuse("workflow_id is required")
  const run_id = runOf(command)
  if (run_id === undefined) return yield* refuse("run_id is required")
  const session_id = sessionOf(command)
  if (caller.isIsolated && session_id === undefined) return yield* refuse("session_id is required for this action")
  return yield* SocketRuns.cancel(service, { workflowId, run_id, session_id })
})

const commands: Readonly<Record<string, Act>> = {
  "start-workflow": start,
  "continue-workflow": resume,
  "cancel-workflow": cancel,
  reconnect
}

/** What follows a run needs room for it, and is refused before anything is done. */
const following: ReadonlySet<string> = new Set(["start-workflow", "continue-workflow", "reconnect"])

const notJson = new Closing({ code: CloseCode.invalidData, reason: "Messages are JSON" })

export const make = (
  { authenticatePresented, reauthenticate, settings }: Authenticator["Service"],
  service: RunService["Service"],
  { address, place, workflowId }: Connection
): SocketSession => {
  const requiresAuth = settings.mode !== "none"
  let accepted: Redacted.Redacted | undefined
  let strangersMessages = 0

  const isAuthenticated = () => accepted !== undefined || !requiresAuth

  const authenticate = Effect.fnUntraced(function*(token: string | null | undefined) {
    if (!isGiven(token)) return [authError("Token is required")]
    const presented = Redacted.make(token, { label: "token" })
    return yield* Effect.matchEffect(authenticatePresented(presented, address), {
      onFailure: (failure) => Effect.succeed([refusal(failure)]),
      onSuccess: (principal) =>
        place.countFor(Caller.keyOfPrincipal(principal, address)).pipe(
          Effect.mapError(({ message }) =>
            new Closing({ frame: authError(message), code: CloseCode.tryAgainLater, reason: message })
          ),
          Effect.map(() => {
            accepted = presented
            return welcome(principal)
          })
        )
    })
  })

  const required = Effect.suspend(() => {
    const what = settings.mode === "jwt" ? "valid JWT" : "bearer token"
    const text = `Authentication required. Send authenticate action with ${what}.`
    return Effect.succeed<Handled>({ frames: [{ event: "auth_required", error: text }] })
  })

  const perform = Effect.fnUntraced(function*(caller: Principal.Principal, message: SocketMessage, canFollow: boolean) {
    const action = message.action ?? ""
    if (action === "ping") return { frames: [{ event: "pong" }] }
    const act = Object.hasOwn(commands, action) ? commands[action] : undefined
    if (act === undefined) return { frames: [error(`Unknown action: ${action}`)] }
    if (!canFollow && following.has(action)) {
      return { frames: [error(`A socket follows ${maxFollowed} runs at the most`)] }
    }
    const named = idOf(message.workflow_id) ?? workflowId
    const command = { caller, workflowId: named, message }
    const reply = yield* Effect.provideService(act(service, command), CurrentPrincipal, caller)
    return "frame" in reply ? { frames: [reply.frame] } : { frames: [], followed: reply.followed }
  })

  return {
    greeting: {
      event: "connected",
      message: requiresAuth
        ? "Connected. Send an authenticate action with your token."
        : "Connected. You can send commands.",
      requires_auth: requiresAuth
    },
    isAuthenticated,
    verify: Effect.suspend(() =>
      accepted === undefined ? Effect.void : Effect.matchEffect(reauthenticate(accepted, address), {
        onFailure: (failure) => failure._tag === "StorageUnavailable" ? Effect.void : Effect.fail(rejected(failure)),
        onSuccess: () => Effect.void
      })
    ),
    handle: Effect.fnUntraced(function*(text, canFollow) {
      if (!isAuthenticated() && ++strangersMessages > maxBeforeAuthentication) {
        const reason = `More than ${maxBeforeAuthentication} messages before authentication`
        return yield* new Closing({ frame: authError(reason), code: CloseCode.policyViolation, reason })
      }
      const message = yield* decode(text)
      if (message.action === "authenticate") return { frames: yield* authenticate(message.token) }
      if (!isAuthenticated()) return yield* required
      if (accepted === undefined) return yield* perform(Principal.open, message, canFollow)
      return yield* Effect.matchEffect(authenticatePresented(accepted, address), {
        onFailure: (failure) =>
          failure._tag === "StorageUnavailable"
            ? Effect.succeed<Handled>({ frames: [refusal(failure)] })
            : Effect.fail(rejected(failure)),
        onSuccess: (caller) => perform(caller, message, canFollow)
      })
    }, (handled) =>
      Effect.catchTags(handled, {
        NotJson: () => notJson,
        NotAMessage: ({ message }) => Effect.succeed<Handled>({ frames: [error(message)] })
      }))
  }
}
