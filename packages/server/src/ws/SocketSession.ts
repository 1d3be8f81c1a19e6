// A workflow socket: its caller and their rights. Every socket is accepted and then authenticated by a message, because
// browsers cannot send headers with it. If the service requires authentication, other messages are refused before that.
// A refusal does not close the socket. The token is kept and authenticated again for each message: a revoked or expired
// token closes the socket.
import type { RunService } from "@svc-runtime/agents/runService/RunService"
import { CurrentPrincipal } from "@svc-runtime/api"
import type { AuthenticationFailure, Authenticator } from "@svc-runtime/auth"
import * as Principal from "@svc-runtime/domain/Principal"
import * as CallerKey from "@svc-runtime/http/authorization/CallerKey"
import * as OperationSpan from "@svc-runtime/telemetry/OperationSpan"
import { Data, Effect, Redacted } from "effect"
import * as CloseCode from "./CloseCode.ts"
import * as SocketActions from "./SocketActions.ts"
import { authError, decode, error, type Frame, type SocketMessage } from "./SocketMessage.ts"
import type { Permit } from "./SocketPermits.ts"
import type * as SocketRuns from "./SocketRuns.ts"

export interface Connection {
  /** The address of the client. Failed authentications are counted by it. */
  readonly address: string | undefined
  /** The workflow in the path of the socket, if any. A message can name another one. */
  readonly workflowId: string | undefined
  readonly permit: Permit
  /** The maximum number of JSON values of a message. */
  readonly maxValues: number
}

/** The socket is closed, after a last frame. */
export class Closing extends Data.TaggedError("Closing")<{
  readonly frame?: Frame
  readonly code: number
  readonly reason: string
}> {}

export interface Handled {
  readonly frames: ReadonlyArray<Frame>
  /** A run that the socket follows from now on. */
  readonly followed?: SocketRuns.Followed
  /** Fails when the token that the run is followed with is no longer accepted. The socket can have another one then. */
  readonly verify?: Effect.Effect<void, Closing>
}

export interface SocketSession {
  readonly greeting: Frame
  /** `canFollow`: whether the socket can follow one more run. */
  readonly handle: (text: string, canFollow: boolean) => Effect.Effect<Handled, Closing>
  /** Whether the socket is authenticated, or does not need to be. */
  readonly isAuthenticated: () => boolean
  /** Fails when the token that the socket authenticated with last is no longer accepted. */
  readonly verify: Effect.Effect<void, Closing>
}

/** Runs that one socket follows at a time. */
export const maxFollowed = 32

/** Messages that get a reply before the socket has authenticated. */
const maxBeforeAuthentication = 32

const rejected = (failure: AuthenticationFailure) =>
  new Closing({
    frame: refusal(failure),
    code: CloseCode.policyViolation,
    reason: failure.message.slice(0, CloseCode.maxReasonLength)
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

/** The reply to a valid token: two frames, the second one with the user's id. */
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

const withoutRuns: ReadonlySet<string> = new Set(["authenticate", "ping"])

/** A line of the log. An action that does not exist is a text of the caller. */
const note = (action: string) =>
  Effect.annotateLogs(Effect.logDebug("A message of a socket"), {
    part: "http",
    action: withoutRuns.has(action) || Object.hasOwn(SocketActions.actions, action) ? action : "unknown"
  })

const notJson = new Closing({ code: CloseCode.invalidData, reason: "Messages are JSON" })

export const make = (
  { authenticatePresented, reauthenticate, settings }: Authenticator["Service"],
  service: RunService["Service"],
  { address, maxValues, permit, workflowId }: Connection
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
        permit.countFor(CallerKey.ofPrincipal(principal, address)).pipe(
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

  const verified = (
    token: Redacted.Redacted | undefined,
    refusalOf: (caller: Principal.Principal) => string | undefined = () => undefined
  ): Effect.Effect<void, Closing> =>
    token === undefined ? Effect.void : Effect.matchEffect(reauthenticate(token, address), {
      onFailure: (failure) => failure._tag === "StorageUnavailable" ? Effect.void : Effect.fail(rejected(failure)),
      onSuccess: (caller) => {
        const reason = refusalOf(caller)
        return reason === undefined
          ? Effect.void
          : Effect.fail(new Closing({ frame: authError(reason), code: CloseCode.policyViolation, reason }))
      }
    })

  const required = Effect.suspend(() => {
    const what = settings.mode === "jwt" ? "valid JWT" : "bearer token"
    const text = `Authentication required. Send authenticate action with ${what}.`
    return Effect.succeed<Handled>({ frames: [{ event: "auth_required", error: text }] })
  })

  const perform = Effect.fnUntraced(function*(caller: Principal.Principal, message: SocketMessage, canFollow: boolean) {
    const action = message.action ?? ""
    if (action === "ping") return { frames: [{ event: "pong" }] }
    const chosen = Object.hasOwn(SocketActions.actions, action) ? SocketActions.actions[action] : undefined
    if (chosen === undefined) return { frames: [error(`Unknown action: ${action}`)] }
    // refused before anything is done
    if (!canFollow && chosen.isFollowing) {
      return { frames: [error(`A socket follows ${maxFollowed} runs at the most`)] }
    }
    const performing = OperationSpan.message(
      SocketActions.perform(chosen, { service, caller, message, workflowId }),
      { name: `socket ${action}`, attributes: { "svc.socket.action": action }, fields: message },
      (reply) => "frame" in reply && reply.frame.event === "error"
    )
    const reply = yield* Effect.provideService(performing, CurrentPrincipal, caller)
    return "frame" in reply
      ? { frames: [reply.frame] }
      : {
        frames: [],
        followed: reply.followed,
        verify: verified(accepted, (caller) => SocketActions.refusalOf(chosen, caller, message, workflowId))
      }
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
    verify: Effect.suspend(() => verified(accepted)),
    handle: Effect.fnUntraced(function*(text, canFollow) {
      if (!isAuthenticated() && ++strangersMessages > maxBeforeAuthentication) {
        const reason = `More than ${maxBeforeAuthentication} messages before authentication`
        return yield* new Closing({ frame: authError(reason), code: CloseCode.policyViolation, reason })
      }
      const message = yield* decode(text, maxValues)
      yield* note(message.action ?? "")
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
