// Components with other models for some of their agents. What the author has made stays as it is: another service may
// have it too.
import { type Agent, isAgent } from "@svc-runtime/agents/agent/define/Agent"
import * as Factory from "@svc-runtime/agents/factory/Factory"
import type { ModelRef } from "@svc-runtime/agents/Models"
import { isComponentTool } from "@svc-runtime/agents/nested/ComponentTool"
import { isTeam, type Team } from "@svc-runtime/agents/team/Team"
import * as Executor from "@svc-runtime/agents/workflow/define/Executor"
import type { AnyWorkflow, Node } from "@svc-runtime/agents/workflow/define/Node"
import { isWorkflow } from "@svc-runtime/agents/workflow/Workflow"
import { Effect } from "effect"

type Component = Agent | AnyWorkflow | Team

/** The object with other fields. Its methods stay. */
const changed = <A extends object>(object: A, fields: Partial<A>): A =>
  Object.assign(Object.create(Object.getPrototypeOf(object) as object), object, fields) as A

const mapped = <A>(all: ReadonlyMap<string, A>, change: (each: A) => A): ReadonlyMap<string, A> =>
  new Map([...all].map(([name, each]) => [name, change(each)]))

export interface Replaced {
  /** A component that is given twice is changed once. */
  readonly change: <C extends Component>(component: C) => C
  readonly changeAll: <C extends Component>(
    components: ReadonlyArray<C | Factory.Factory<C>> | undefined
  ) => ReadonlyArray<C | Factory.Factory<C>> | undefined
  /** The ids of agents and teams so far. */
  readonly ids: ReadonlySet<string>
}

/** Replaces the models of agents, and of leaders of teams, by their ids. */
export const make = (models: ReadonlyMap<string, ModelRef>): Replaced => {
  const known = new Map<Component, Component>()
  const ids = new Set<string>()

  const ofAgent = (agent: Agent): Agent => {
    ids.add(agent.id)
    const tools = mapped(
      agent.tools,
      (tool) => isComponentTool(tool) ? { ...tool, component: change(tool.component) } : tool
    )
    return changed(agent, { model: models.get(agent.id) ?? agent.model, tools })
  }
  const ofTeam = (team: Team): Team =>
    changed(team, { leader: ofAgent(team.leader), members: mapped(team.members, change) })
  const ofNode = (node: Node): Node => {
    switch (node.type) {
      case "Step": {
        const component = Executor.component(node.executor)
        return component === undefined ? node : { ...node, executor: Executor.of(change(component)) }
      }
      case "Condition":
        return { ...node, steps: node.steps.map(ofNode), elseSteps: node.elseSteps.map(ofNode) }
      case "Router":
        return { ...node, choices: node.choices.map(ofNode) }
      default:
        return { ...node, steps: node.steps.map(ofNode) }
    }
  }
  const anew = (component: Component): Component =>
    isAgent(component)
      ? ofAgent(component)
      : isTeam(component)
      ? ofTeam(component)
      : isWorkflow(component)
      ? changed(component, { steps: component.steps.map(ofNode) })
      : component
  const change = <C extends Component>(component: C): C => {
    const made = known.get(component) ?? anew(component)
    known.set(component, made)
    return made as C
  }
  const ofRegistered = <C extends Component>(registered: C | Factory.Factory<C>): C | Factory.Factory<C> => {
    if (!Factory.isFactory<C>(registered)) return change(registered)
    ids.add(registered.id)
    return Factory.completed(registered, "gave what has no model", (component) => Effect.sync(() => change(component)))
  }
  return { change, changeAll: (components) => components?.map(ofRegistered), ids }
}
