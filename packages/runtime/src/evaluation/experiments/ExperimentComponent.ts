// The registered component of an experiment. Components of factories exist for one caller only.
import * as ComponentKind from "@svc/domain/ComponentKind"
import type * as Experiment from "@svc/domain/Experiment"
import type { AgentRegistry } from "../../agent/AgentRegistry.ts"
import type { AnyComponent } from "../../service/Components.ts"
import type { TeamRegistry } from "../../team/TeamRegistry.ts"
import type { WorkflowRegistry } from "../../workflow/WorkflowRegistry.ts"

export interface Registries {
  readonly agents: AgentRegistry["Service"]
  readonly teams: TeamRegistry["Service"]
  readonly workflows: WorkflowRegistry["Service"]
}

type Ref = Pick<Experiment.Stored, "component_id" | "kind">

export const find = (
  { agents, teams, workflows }: Registries,
  { component_id, kind }: Ref
): AnyComponent | undefined => {
  const all: ReadonlyArray<AnyComponent> = { agent: agents.all, team: teams.all, workflow: workflows.all }[kind]
  return all.find(({ id }) => id === component_id)
}

export const notFound = ({ component_id, kind }: Ref): string =>
  `${ComponentKind.descriptions[kind].label} with id '${component_id}' not found`
