// Components with other models for some of their agents. What the author has made stays as it is: another service may
// have it too.
import { type Agent, isAgent } from "@svc-runtime/agents/agent/define/Agent"
import * as Factory from "@svc-runtime/agents/factory/Factory"
import type { ModelRef } from "@svc-runtime/agents/Models"
import { isComponentTool } from "@svc-runtime/agents/nested/ComponentTool"
import { isTeam, type Team } from "@svc-runtime/agents/team/Team"
import * as Executor from "@svc-runtime/agents/workflow/define/Executor"
import type { AnyWorkflow, FunctionExecutor, Node } from "@svc-runtime/agents/workflow/define/Node"
import { isWorkflow } from "@svc-runtime/agents/workflow/Workflow"
import type * as Durable from "@svc-runtime/engine/durable/Durable"
import type { Host } from "@svc-runtime/engine/durable/DurableHost"
import type { Tool } from "@svc-runtime/engine/tool/Tool"
import { Effect, Predicate } from "effect"

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
  /** Whether functions of tools and steps can run agents that are not known yet. */
  readonly hasFunctions: () => boolean
}

/** The id of what `generate()` asks. */
export const generateId = "generate"

/** Replaces the models of agents, and of leaders of teams, by their ids. */
export const make = (models: ReadonlyMap<string, ModelRef>): Replaced => {
  const known = new WeakMap<Component, Component>()
  const ids = new Set<string>()
  let hasFunctions = false

  // authors can give anything, and the call says what is wrong with it
  const changeAny = <C extends Durable.Component>(component: C): C => {
    const given: unknown = component
    return Predicate.isObject(given) ? change(component as C & Component) : component
  }
  const questionOf = <Q extends { readonly model?: ModelRef | undefined }>(question: Q): Q => {
    const model = models.get(generateId)
    return model === undefined ? question : { ...question, model }
  }
  const inside = <W>(host: Host<W>): Host<W> => ({
    ...host,
    run: (key, component, input, ...given) => host.run(key, changeAny(component), input, ...given),
    generate: (key, question) => host.generate(key, questionOf(question))
  })
  const ofTool = (tool: Tool): Tool => {
    if (isComponentTool(tool)) return { ...tool, component: change(tool.component) } as Tool
    hasFunctions = true
    return {
      ...tool,
      call: (input, { durable, ...context }) =>
        tool.call(input, durable === undefined ? context : { ...context, durable: inside(durable) })
    }
  }
  const ofFunction = (called: FunctionExecutor["run"]): FunctionExecutor["run"] => {
    hasFunctions = true
    return (input) => {
      const { asEffect, generate, run } = input
      return called(Object.assign(
        input,
        {
          run: (component, ...rest) => run(changeAny(component), ...rest),
          generate: (question) => generate(questionOf(question)),
          asEffect: {
            ...asEffect,
            run: (component, ...rest) => asEffect.run(changeAny(component), ...rest),
            generate: (question) => asEffect.generate(questionOf(question))
          }
        } satisfies Pick<Durable.Durable, "asEffect" | "generate" | "run">
      ))
    }
  }

  const ofAgent = (agent: Agent): Agent => {
    ids.add(agent.id)
    return changed(agent, { model: models.get(agent.id) ?? agent.model, tools: mapped(agent.tools, ofTool) })
  }
  const ofTeam = (team: Team): Team =>
    changed(team, { leader: ofAgent(team.leader), members: mapped(team.members, change) })
  const ofNode = (node: Node): Node => {
    switch (node.type) {
      case "Step": {
        const { executor } = node
        if (executor.type === "function") {
          return { ...node, executor: { ...executor, run: ofFunction(executor.run) } }
        }
        const component = Executor.component(executor)
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
  const ofWorkflow = (workflow: AnyWorkflow): AnyWorkflow =>
    changed(workflow, {
      steps: workflow.steps.map(ofNode),
      body: workflow.body === undefined ? undefined : ofFunction(workflow.body)
    })
  const anew = (component: Component): Component =>
    isAgent(component)
      ? ofAgent(component)
      : isTeam(component)
      ? ofTeam(component)
      : isWorkflow(component)
      ? ofWorkflow(component)
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
  return { change, changeAll: (components) => components?.map(ofRegistered), ids, hasFunctions: () => hasFunctions }
}
