// Resolves the ids of components in steps. Ids allow a workflow to be defined before its components. Unknown ids and
// cycles of workflows stop the start, with the path to the mistake.
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import { Effect, Schema } from "effect"
import type { Agent } from "../agent/define/Agent.ts"
import { type Component, type Factory, isFactory } from "../factory/Factory.ts"
import type { Team } from "../team/Team.ts"
import * as Executor from "./define/Executor.ts"
import type { AnyWorkflow, Node } from "./define/Node.ts"

export class UnknownReference extends Schema.TaggedError<UnknownReference>()("UnknownReference", {
  path: Schema.Array(Schema.String),
  kind: ComponentKind.ComponentKind,
  id: Schema.String
}) {
  override get message() {
    return `There is no ${this.kind} '${this.id}'. It is named in ${this.path.join(" → ")}.`
  }
}

/** A component of a factory exists for one request only. */
export class FactoryReference extends Schema.TaggedError<FactoryReference>()("FactoryReference", {
  path: Schema.Array(Schema.String),
  kind: ComponentKind.ComponentKind,
  id: Schema.String
}) {
  override get message() {
    return `The ${this.kind} '${this.id}' is made by a factory for each request, and cannot be a step by its id. It is ` +
      `named in ${this.path.join(" → ")}.`
  }
}

export class CircularWorkflows extends Schema.TaggedError<CircularWorkflows>()("CircularWorkflows", {
  path: Schema.Array(Schema.String)
}) {
  override get message() {
    return `Workflows call each other in a circle: ${this.path.join(" → ")}`
  }
}

export interface Components {
  readonly agent: (id: string) => Agent | Factory<Agent> | undefined
  readonly team: (id: string) => Team | Factory<Team> | undefined
  readonly workflow: (id: string) => AnyWorkflow | Factory<AnyWorkflow> | undefined
}

type Path = ReadonlyArray<string>
export type Refusal = UnknownReference | FactoryReference | CircularWorkflows

const ready = <C extends Component>(
  found: C | Factory<C> | undefined,
  named: { readonly path: Path; readonly kind: ComponentKind.ComponentKind; readonly id: string }
): Effect.Effect<C, UnknownReference | FactoryReference> => {
  if (found === undefined) return Effect.fail(new UnknownReference(named))
  return isFactory(found) ? Effect.fail(new FactoryReference(named)) : Effect.succeed(found)
}

const resolveExecutor = (
  executor: Executor.Executor,
  components: Components,
  path: Path
): Effect.Effect<Executor.Executor, Refusal> => {
  const unchanged = () => Effect.succeed(executor)
  return Executor.match<Effect.Effect<Executor.Executor, Refusal>>(executor, {
    function: unchanged,
    named: (kind, id) =>
      Effect.flatMap(
        ready<Executor.Component>(components[kind](id), { path, kind, id }),
        (found) => resolveExecutor(Executor.of(found), components, path)
      ),
    agent: unchanged,
    team: unchanged,
    workflow: (workflow) => Effect.map(resolve(workflow, components, path), Executor.of)
  })
}

const resolveAll = (nodes: ReadonlyArray<Node>, components: Components, path: Path) =>
  Effect.forEach(nodes, (node) => resolveNode(node, components, path))

const resolveNode = Effect.fnUntraced(function*(
  node: Node,
  components: Components,
  before: Path
): Effect.fn.Return<Node, Refusal> {
  const path = [...before, `step '${node.name}'`]
  switch (node.type) {
    case "Step":
      return { ...node, executor: yield* resolveExecutor(node.executor, components, path) }
    case "Condition":
      return {
        ...node,
        steps: yield* resolveAll(node.steps, components, path),
        elseSteps: yield* resolveAll(node.elseSteps, components, path)
      }
    case "Router":
      return { ...node, choices: yield* resolveAll(node.choices, components, path) }
    default:
      return { ...node, steps: yield* resolveAll(node.steps, components, path) }
  }
})

/** The workflow with all ids resolved. */
export const resolve = Effect.fnUntraced(function*(
  workflow: AnyWorkflow,
  components: Components,
  before: Path = []
): Effect.fn.Return<AnyWorkflow, Refusal> {
  const here = `workflow '${workflow.id}'`
  const path = [...before, here]
  if (before.includes(here)) return yield* new CircularWorkflows({ path: path.slice(path.indexOf(here)) })
  return { ...workflow, steps: yield* resolveAll(workflow.steps, components, path) }
})
