// Makes components of configs.
import type * as ComponentKind from "@svc/domain/ComponentKind"
import type * as Json from "@svc/domain/Json"
import { Context, Effect, Layer, Result } from "effect"
import { AgentRegistry } from "../agent/AgentRegistry.ts"
import type { ConfigProblem } from "../component/ConfigProblem.ts"
import { KnowledgeRegistry } from "../knowledge/KnowledgeRegistry.ts"
import { ModelCatalog } from "../Models.ts"
import { DeclaredResources } from "../registry/DeclaredResources.ts"
import * as ReachedComponents from "../registry/ReachedComponents.ts"
import * as ResourceNames from "../registry/ResourceNames.ts"
import type { AnyComponent } from "../service/Components.ts"
import { TeamRegistry } from "../team/TeamRegistry.ts"
import { WorkflowRegistry } from "../workflow/WorkflowRegistry.ts"
import * as AgentConfig from "./AgentConfig.ts"

type Resolution = Result.Result<AnyComponent, ReadonlyArray<ConfigProblem>>

export class ConfigResolver extends Context.Service<ConfigResolver, {
  /** The component of a config, or everything that prevents it. */
  readonly resolve: (
    kind: ComponentKind.ComponentKind,
    identity: AgentConfig.Identity,
    config: Json.Object
  ) => Resolution
}>()("@svc/runtime/stored/ConfigResolver") {
  static readonly layer: Layer.Layer<
    ConfigResolver,
    never,
    AgentRegistry | KnowledgeRegistry | ModelCatalog | TeamRegistry | WorkflowRegistry
  > = Layer.effect(ConfigResolver, Effect.suspend(() => make))
}

const make = Effect.gen(function*() {
  const [agents, teams, workflows] = [yield* AgentRegistry, yield* TeamRegistry, yield* WorkflowRegistry]
  const names = ResourceNames.make({
    reached: ReachedComponents.of([...agents.all, ...teams.all, ...workflows.all]),
    declared: yield* DeclaredResources,
    models: yield* ModelCatalog,
    knowledge: (yield* KnowledgeRegistry).all
  })
  return ConfigResolver.of({
    resolve: (kind, identity, config) =>
      kind === "agent"
        ? AgentConfig.resolve(names, identity, config)
        : Result.fail([{ path: [], message: `A stored ${kind} cannot be executed` }])
  })
})
