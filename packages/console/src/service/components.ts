// The agents, teams and workflows of the service.
import { type AgentResponse, type Kind, SvcError, type TeamResponse, type WorkflowResponse } from "@svc-runtime/client"
import { Bot, type IconNode, Users, Waypoints } from "lucide"
import { svc } from "./Service.ts"

interface Description {
  /** Whether its runs have messages, so that runs and sessions can be forked. */
  readonly hasConversations: boolean
  /** Whether its runs are shown as a graph. */
  readonly hasSteps: boolean
}

/** What differs between the kinds on the page. */
export const descriptions = {
  agent: { hasConversations: true, hasSteps: false },
  team: { hasConversations: true, hasSteps: false },
  workflow: { hasConversations: false, hasSteps: true }
} as const satisfies Readonly<Record<Kind, Description>>

/** The kinds with conversations. */
export type Conversing = { [K in Kind]: (typeof descriptions)[K]["hasConversations"] extends true ? K : never }[Kind]

export const isConversing = (kind: Kind): kind is Conversing => descriptions[kind].hasConversations

export type Component = (AgentResponse | TeamResponse | WorkflowResponse) & { readonly kind: Kind }

export const kindIcons: Readonly<Record<Kind, IconNode>> = { agent: Bot, team: Users, workflow: Waypoints }

export const kinds = Object.keys(descriptions) as ReadonlyArray<Kind>

/** A filter of an address. Undefined: it is none of the kinds. */
export const kindOf = (text: string | undefined): Kind | undefined => kinds.find((kind) => kind === text)

/** A token may be allowed to read some kinds only. */
export const loadComponents = async (signal: AbortSignal): Promise<ReadonlyArray<Component>> => {
  const client = svc()
  const lists = await Promise.allSettled(kinds.map((kind) => client[`${kind}s`].list({ signal })))
  const failed = lists.filter((list) => list.status === "rejected").map(({ reason }) => reason as unknown)
  const other = failed.find((reason) => !(reason instanceof SvcError && reason.status === 403))
  if (other !== undefined || failed.length === lists.length) throw other ?? failed[0]
  return lists.flatMap((list, index) =>
    list.status === "rejected" ? [] : list.value.map((component) => ({ ...component, kind: kinds[index] ?? "agent" }))
  )
}
