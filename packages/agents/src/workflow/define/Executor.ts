// What executes a step: a function, or a component.
import type * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import { Predicate } from "effect"
import type { Agent } from "../../agent/define/Agent.ts"
import * as Team from "../../team/Team.ts"
import type { AnyWorkflow, Executor, FunctionExecutor } from "./Node.ts"

export type { Executor, FunctionExecutor }

export interface Cases<A> {
  readonly function: (executor: FunctionExecutor) => A
  /** A component that only its id names. */
  readonly named: (kind: ComponentKind.ComponentKind, id: string) => A
  readonly agent: (agent: Agent) => A
  readonly team: (team: Team.Team) => A
  readonly workflow: (workflow: AnyWorkflow) => A
}

/** The one place that tells executors apart. */
export const match = <A>(executor: Executor, cases: Cases<A>): A => {
  switch (executor.type) {
    case "function":
      return cases.function(executor)
    case "agent":
      return typeof executor.agent === "string" ? cases.named("agent", executor.agent) : cases.agent(executor.agent)
    case "team":
      return typeof executor.team === "string" ? cases.named("team", executor.team) : cases.team(executor.team)
    case "workflow":
      return typeof executor.workflow === "string"
        ? cases.named("workflow", executor.workflow)
        : cases.workflow(executor.workflow)
  }
}

export type Component = Team.Member | AnyWorkflow

const isWorkflow = (component: Component): component is AnyWorkflow =>
  Predicate.hasProperty(component, "type") && component.type === "Workflow"

export const of = (component: Component): Executor => {
  if (isWorkflow(component)) return { type: "workflow", workflow: component }
  return Team.isTeam(component) ? { type: "team", team: component } : { type: "agent", agent: component }
}

const itself = (component: Component): Component => component
const none = () => undefined

/** Undefined for a function, and for a component that only its id names. */
export const component = (executor: Executor): Component | undefined =>
  match<Component | undefined>(executor, { function: none, named: none, agent: itself, team: itself, workflow: itself })
