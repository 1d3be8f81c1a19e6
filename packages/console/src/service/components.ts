// The agents, teams and workflows of the service.
import { type AgentResponse, SvcError, type TeamResponse, type WorkflowResponse } from "@svc/client"
import { svc } from "./Service.ts"

export type Kind = "agent" | "team" | "workflow"

export type Component = (AgentResponse | TeamResponse | WorkflowResponse) & { readonly kind: Kind }

export const kinds: ReadonlyArray<Kind> = ["agent", "team", "workflow"]

/** A filter of an address. Undefined: it is none of the kinds. */
export const kindOf = (text: string | undefined): Kind | undefined => kinds.find((kind) => kind === text)

/** A token may be allowed to read some kinds only. */
export const loadComponents = async (signal: AbortSignal): Promise<ReadonlyArray<Component>> => {
  const client = svc()
  const lists = await Promise.allSettled([
    client.agents.list({ signal }),
    client.teams.list({ signal }),
    client.workflows.list({ signal })
  ])
  const failed = lists.filter((list) => list.status === "rejected").map(({ reason }) => reason as unknown)
  const other = failed.find((reason) => !(reason instanceof SvcError && reason.status === 403))
  if (other !== undefined || failed.length === lists.length) throw other ?? failed[0]
  return lists.flatMap((list, index) =>
    list.status === "rejected" ? [] : list.value.map((component) => ({ ...component, kind: kinds[index] ?? "agent" }))
  )
}
