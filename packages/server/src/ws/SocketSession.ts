// One conversation on a workflow socket: who is on the other side, and what they may do. A socket is accepted from
// anybody and authenticated by a message, because browsers cannot send headers with it; until then nothing is done for it
// where the service asks who is calling. A refusal leaves the socket open: the next message may be better.
import { CurrentPrincipal } from "@svc/api"
import type { AuthenticationFailure, Authenticator } from "@svc/auth"
import { Principal, Run, Session } from "@svc/domain"
import { Effect, Option, Redacted, Ref } from "effect"
import { authError, error, type Frame, type SocketMessage } from "./SocketMessage.ts"
import * as SocketRuns from "./SocketRuns.ts"

export interface Connection {
  /** Where it comes from: failures are counted by it. */
  readonly address: string | undefined
  /** The workflow that the path names, if it does. A message may name another one. */
  readonly workflowId: string | undefined
}

export interface Handled {
  readonly frames: ReadonlyArray<Frame>
  /** A run to be shown from now on. */
  readonly followed?: SocketRuns.Followed
}

export interface SocketSession {
  readonly greeting: Frame
  readonly handle: (message: SocketMessage) => Effect.Effect<Handled>
  /** Whether nothing is missing that has to be there before anything else is done. */
  readonly isAuthenticated: Effect.Effect<boolean>
}

const refusal = (failure: AuthenticationFailure): Frame => {
  switch (failure._tag) {
    case "TokenRefused":
      return authError(failure.message, failure.reason === "expired" ? "expired" : "invalid_token")
    case "KeyRefused":
      return authError("Invalid token")
    case "StorageUnavailable":
      return authError("Authentication is temporarily unavailable")
    default:
      return authError(failure.message)
  }
}

/** Tokens of somebody are answered twice: that they are good, and whose they are. */
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

type Act = (services: SocketRuns.Services, command: Command) => Answering

const start: Act = Effect.fnUntraced(function*(services, command) {
  const { message, workflowId } = command
  if (!mayRun(command)) return yield* refuse("Insufficient permissions to run this workflow")
  if (workflowId === undefined) return yield* refuse("workflow_id is required")
  const workflow = yield* SocketRuns.find(services, workflowId)
  if (Option.isNone(workflow)) return yield* refuse(`Workflow ${workflowId} not found`)
  return yield* SocketRuns.start(services, workflow.value, message)
})

const resume: Act = Effect.fnUntraced(function*(services, command) {
  const { message, workflowId } = command
  if (!mayRun(command)) return yield* refuse("Insufficient permissions to continue this workflow")
  if (workflowId === undefined) return yield* refuse("workflow_id is required")
  const run_id = runOf(command)
  if (run_id === undefined) return yield* refuse("run_id is required")
  const session_id = sessionOf(command)
  if (session_id === undefined) return yield* refuse("session_id is required for this action")
  const workflow = yield* SocketRuns.find(services, workflowId)
  if (Option.isNone(workflow)) return yield* refuse(`Run ${run_id} not found`)
  return yield* SocketRuns.proceed(services, workflow.value, { run_id, session_id }, message)
})

const reconnect: Act = Effect.fnUntraced(function*(services, command) {
  const { caller, message, workflowId } = command
  if (!mayRun(command)) return yield* refuse("Insufficient permissions to reconnect to this workflow")
  const session_id = sessionOf(command)
  if (caller.isIsolated) {
    if (workflowId === undefined) return yield* refuse("workflow_id is required to reconnect to a workflow run")
    if (session_id === undefined) return yield* refuse("session_id is required to reconnect to a workflow run")
  }
  const run_id = runOf(command)
  if (run_id === undefined) return yield* refuse("run_id is required for subscription")
  return yield* SocketRuns.reconnect(services, { run_id, session_id, workflowId }, message)
})

const cancel: Act = Effect.fnUntraced(function*(services, command) {
  const { caller, workflowId } = command
  if (!mayRun(command)) return yield* refuse("Insufficient permissions to cancel this workflow")
  if (workflowId === undefined) return yield* refuse("workflow_id is required")
  const run_id = runOf(command)
  if (run_id === undefined) return yield* refuse("run_id is required")
  const session_id = sessionOf(command)
  if (caller.isIsolated && session_id === undefined) return yield* refuse("session_id is required for this action")
  const workflow = yield* SocketRuns.find(services, workflowId)
  if (Option.isNone(workflow)) return yield* refuse(`Workflow ${workflowId} not found`)
  return yield* SocketRuns.cancel(services, workflow.value, { run_id, session_id })
})

const commands: Readonly<Record<string, Act>> = {
  "start-workflow": start,
  "continue-workflow": resume,
  "cancel-workflow": cancel,
  reconnect
}

export const make = Effect.fnUntraced(function*(
  { authenticatePresented, settings }: Authenticator["Service"],
  runs: SocketRuns.Services,
  { address, workflowId }: Connection
) {
  const requiresAuth = settings.mode !== "none"
  const known = yield* Ref.make<Principal.Principal | undefined>(requiresAuth ? undefined : Principal.open)

  const authenticate = Effect.fnUntraced(function*(token: string | null | undefined) {
    if (!isGiven(token)) return [authError("Token is required")]
    return yield* Effect.matchEffect(authenticatePresented(Redacted.make(token, { label: "token" }), address), {
      onFailure: (failure) => Effect.succeed([refusal(failure)]),
      onSuccess: (principal) => Effect.as(Ref.set(known, principal), welcome(principal))
    })
  })

  const session: SocketSession = {
    greeting: {
      event: "connected",
      message: requiresAuth
        ? "Connected. Send an authenticate action with your token."
        : "Connected. You can send commands.",
      requires_auth: requiresAuth
    },
    isAuthenticated: Effect.map(Ref.get(known), (caller) => caller !== undefined),
    handle: Effect.fnUntraced(function*(message) {
      const action = message.action ?? ""
      if (action === "authenticate") return { frames: yield* authenticate(message.token) }
      const caller = yield* Ref.get(known)
      if (caller === undefined) {
        const what = settings.mode === "jwt" ? "valid JWT" : "bearer token"
        const required = `Authentication required. Send authenticate action with ${what}.`
        return { frames: [{ event: "auth_required", error: required }] }
      }
      if (action === "ping") return { frames: [{ event: "pong" }] }
      const act = Object.hasOwn(commands, action) ? commands[action] : undefined
      if (act === undefined) return { frames: [error(`Unknown action: ${action}`)] }
      const named = idOf(message.workflow_id) ?? workflowId
      const reply = yield* Effect.provideService(
        act(runs, { caller, workflowId: named, message }),
        CurrentPrincipal,
        caller
      )
      return "frame" in reply ? { frames: [reply.frame] } : { frames: [], followed: reply.followed }
    })
  }
  return session
})
