// One conversation on a workflow socket: who is on the other side, and what they may do. A socket is accepted from
// anybody and authenticated by a message, because browsers cannot send headers with it; until then nothing is done for it
// where the service asks who is calling. A refusal leaves the socket open: the next message may be better.
import type { AuthenticationFailure, Authenticator } from "@svc/auth"
import { Principal } from "@svc/domain"
import { Effect, Redacted, Ref } from "effect"
import { authError, error, type Frame, type SocketMessage } from "./SocketMessage.ts"

export interface Connection {
  /** Where it comes from: failures are counted by it. */
  readonly address: string | undefined
  /** The workflow that the path names, if it does. A message may name another one. */
  readonly workflowId: string | undefined
}

export interface SocketSession {
  readonly greeting: Frame
  readonly handle: (message: SocketMessage) => Effect.Effect<ReadonlyArray<Frame>>
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

const start = (command: Command): Frame => {
  if (!mayRun(command)) return error("Insufficient permissions to run this workflow")
  if (command.workflowId === undefined) return error("workflow_id is required")
  return error(`Workflow ${command.workflowId} not found`)
}

const resume = (command: Command): Frame => {
  const { caller, message: { run_id, session_id }, workflowId } = command
  if (!mayRun(command)) return error("Insufficient permissions to continue this workflow")
  if (workflowId === undefined) return error("workflow_id is required")
  if (!isGiven(run_id)) return error("run_id is required")
  if (caller.isIsolated && !isGiven(session_id)) return error("session_id is required for this action")
  return error(`Run ${run_id} not found`)
}

const reconnect = (command: Command): Frame => {
  const { caller, message: { run_id, session_id }, workflowId } = command
  if (!mayRun(command)) return error("Insufficient permissions to reconnect to this workflow")
  if (caller.isIsolated) {
    if (workflowId === undefined) return error("workflow_id is required to reconnect to a workflow run")
    if (!isGiven(session_id)) return error("session_id is required to reconnect to a workflow run")
  }
  if (!isGiven(run_id)) return error("run_id is required for subscription")
  return error(caller.isIsolated ? `Run ${run_id} not found` : `Run ${run_id} not found in buffer or database`)
}

const commands: Readonly<Record<string, (command: Command) => Frame>> = {
  "start-workflow": start,
  "continue-workflow": resume,
  reconnect
}

export const make = Effect.fnUntraced(function*(
  { authenticatePresented, settings }: Authenticator["Service"],
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
      if (action === "authenticate") return yield* authenticate(message.token)
      const caller = yield* Ref.get(known)
      if (caller === undefined) {
        const what = settings.mode === "jwt" ? "valid JWT" : "bearer token"
        return [{ event: "auth_required", error: `Authentication required. Send authenticate action with ${what}.` }]
      }
      if (action === "ping") return [{ event: "pong" }]
      const command = Object.hasOwn(commands, action) ? commands[action] : undefined
      if (command === undefined) return [error(`Unknown action: ${action}`)]
      const named = isGiven(message.workflow_id) ? message.workflow_id : workflowId
      return [command({ caller, workflowId: named, message })]
    })
  }
  return session
})
