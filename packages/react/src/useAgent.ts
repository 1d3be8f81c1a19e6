import { type ContinueInput, newIdempotencyKey, type RunInput, type Svc } from "@svc-runtime/client"
import { useEffect, useMemo, useState, useSyncExternalStore } from "react"
import { type Agent, Conversation, type State } from "./Conversation.ts"

export interface UseAgentOptions {
  /** Needed if the agent is an id. */
  readonly client?: Svc | undefined
  /** A session that exists, or the id of a new one. It is read when the component mounts. Default: a new session. */
  readonly sessionId?: string | undefined
}

export interface UseAgent extends State {
  readonly sessionId: string
  /** Sends a message, and resolves when the run ends or pauses. What fails is in `error`. */
  readonly send: (input: string | RunInput) => Promise<void>
  /** Cancels the run. The text so far stays. */
  readonly stop: () => Promise<void>
  /** Answers the last message again. */
  readonly regenerate: () => Promise<void>
  /** Continues a paused run with decisions about `requirements`. */
  readonly decide: (decisions: ContinueInput) => Promise<void>
  /** Confirms all requirements. */
  readonly approve: () => Promise<void>
  /** Rejects all requirements, with a reason for the model. */
  readonly reject: (note?: string) => Promise<void>
  /** Reads the session again. */
  readonly refresh: () => Promise<void>
}

const handleOf = (agent: string | Agent, client: Svc | undefined): Agent => {
  if (typeof agent !== "string") return agent
  if (client === undefined) throw new TypeError("useAgent with an id needs the option client")
  return client.agent(agent)
}

/**
 * A conversation with an agent or a team. `agent` is an id, `svc.agent(id)` or `svc.team(id)`. The client of the first
 * render is used until the id or the session changes.
 *
 * @example
 * const { messages, send, status } = useAgent("assistant", { client: svc, sessionId })
 */
export const useAgent = (agent: string | Agent, { client, sessionId: given }: UseAgentOptions = {}): UseAgent => {
  const [own] = useState(newIdempotencyKey)
  const sessionId = given ?? own
  const name = typeof agent === "string" ? `agent ${agent}` : `${agent.kind} ${agent.id}`
  // a client or a handle that is made in each render is the same conversation
  const conversation = useMemo(
    () => new Conversation(handleOf(agent, client), sessionId, given !== undefined),
    [name, sessionId]
  )
  useEffect(conversation.open, [conversation])
  const state = useSyncExternalStore(conversation.subscribe, conversation.state, conversation.state)
  const { approve, decide, refresh, regenerate, reject, send, stop } = conversation
  return { ...state, sessionId, approve, decide, refresh, regenerate, reject, send, stop }
}
