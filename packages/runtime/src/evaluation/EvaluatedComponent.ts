// The registered component that is evaluated. What factories make is not: it exists for one caller only.
import type * as EvalRun from "@svc/domain/EvalRun"
import type { ModelRef } from "@svc/models/ModelCatalog"
import type { Agent } from "../agent/Agent.ts"
import type { AgentRegistry } from "../agent/AgentRegistry.ts"
import { isTeam, type Team } from "../team/Team.ts"
import type { TeamRegistry } from "../team/TeamRegistry.ts"

export interface Registries {
  readonly agents: AgentRegistry["Service"]
  readonly teams: TeamRegistry["Service"]
}

type Ref = Pick<EvalRun.Request, "component_id" | "kind">

export const find = ({ agents, teams }: Registries, { component_id, kind }: Ref): Agent | Team | undefined =>
  kind === "agent"
    ? agents.all.find(({ id }) => id === component_id)
    : teams.all.find(({ id }) => id === component_id)

export const notFound = ({ component_id, kind }: Ref): string =>
  `${kind === "agent" ? "Agent" : "Team"} with id '${component_id}' not found`

/** Without an override. */
export const modelOf = (component: Agent | Team, byDefault: string): ModelRef =>
  (isTeam(component) ? component.leader.model : component.model) ?? byDefault

/** A component with another model is judged by its own one. */
export const judgeOf = (
  component: Agent | Team,
  { model }: Pick<EvalRun.Request, "model">,
  byDefault: string
): ModelRef => model === null ? byDefault : modelOf(component, byDefault)
