// Makes components of configs.
import type { AgentRegistry } from "@svc-runtime/agents/agent/define/AgentRegistry"
import type * as ConfigProblem from "@svc-runtime/agents/component/ConfigProblem"
import type { ModelCatalog } from "@svc-runtime/agents/Models"
import { registries } from "@svc-runtime/agents/modules/ComponentModules"
import type { AnyComponent, Registered } from "@svc-runtime/agents/runService/Components"
import type { TeamRegistry } from "@svc-runtime/agents/team/TeamRegistry"
import type { WorkflowRegistry } from "@svc-runtime/agents/workflow/WorkflowRegistry"
import type * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Json from "@svc-runtime/domain/Json"
import { DatabaseIds } from "@svc-runtime/engine/database/DatabaseIds"
import { Context, Effect, Layer, type Result } from "effect"
import * as ResourceNames from "../registry/ResourceNames.ts"
import { AgentConfigModule } from "./AgentConfig.ts"
import type { ConfigModule, Identity } from "./ConfigModule.ts"
import type { Children, Reference } from "./ConfigReferences.ts"
import { TeamConfigModule } from "./TeamConfig.ts"
import { WorkflowConfigModule } from "./WorkflowConfig.ts"

const modules: Readonly<Record<ComponentKind.ComponentKind, ConfigModule>> = {
  agent: AgentConfigModule,
  team: TeamConfigModule,
  workflow: WorkflowConfigModule
}

export class ConfigResolver extends Context.Service<ConfigResolver, {
  /** The component that a config describes, or all problems of the config. */
  readonly resolve: (
    kind: ComponentKind.ComponentKind,
    identity: Identity,
    config: Json.Object,
    children: Children
  ) => Result.Result<AnyComponent, ReadonlyArray<ConfigProblem.ConfigProblem>>
  /** The values of wrong types, the unknown keys and another database. A request that saves them is refused. */
  readonly check: (kind: ComponentKind.ComponentKind, config: Json.Object) => ReadonlyArray<ConfigProblem.ConfigProblem>
  /** The components that a config names: members, and those of steps. */
  readonly references: (kind: ComponentKind.ComponentKind, config: Json.Object) => ReadonlyArray<Reference>
  /** Registered components and factories. */
  readonly registered: (reference: Reference) => Registered | undefined
}>()("@svc-runtime/features/components/ConfigResolver") {
  static readonly layer: Layer.Layer<
    ConfigResolver,
    never,
    AgentRegistry | DatabaseIds | ModelCatalog | TeamRegistry | WorkflowRegistry
  > = Layer.effect(ConfigResolver, Effect.suspend(() => make))
}

/** Another database is refused, because the runs of stored components are in the service's own. */
const databaseProblems = ({ db }: Json.Object, [own, ...others]: DatabaseIds["Service"]) => {
  const id = Json.isObject(db) ? db["id"] : undefined
  if (typeof id !== "string" || id === own) return []
  const message = others.some((other) => other === id)
    ? `Runs of stored components are in the database '${own}'. Only a component in code can have the database '${id}'`
    : `There is no database '${id}'. Runs of stored components are in the database '${own}'`
  return [{ path: ["db", "id"], message }]
}

const make = Effect.gen(function*() {
  const databases = yield* DatabaseIds
  const all = yield* registries
  const names = yield* ResourceNames.ofService
  return ConfigResolver.of({
    resolve: (kind, identity, config, children) => modules[kind].resolve(names, identity, config, children),
    check: (kind, config) => [...modules[kind].check(config), ...databaseProblems(config, databases)],
    references: (kind, config) => modules[kind].references(config),
    registered: ({ id, kind }) => {
      const registered: ReadonlyArray<Registered> = all[kind].registered
      return registered.find((each) => each.id === id)
    }
  })
})
