// The resources that a config can name. What the application declares wins over what components have.
import * as Agent from "@svc-runtime/agents/agent/define/Agent"
import type { Given } from "@svc-runtime/agents/agent/define/AgentTools"
import type { Hook } from "@svc-runtime/agents/agent/define/Hook"
import { ModelCatalog, type ModelRef } from "@svc-runtime/agents/Models"
import * as ReachedComponents from "@svc-runtime/agents/registry/ReachedComponents"
import type { FunctionExecutor } from "@svc-runtime/agents/workflow/define/Node"
import type { Shape } from "@svc-runtime/engine/schema/AnySchema"
import { Effect } from "effect"
import type { Knowledge } from "../knowledge/KnowledgeBase.ts"
import { type Instance, KnowledgeRegistry } from "../knowledge/KnowledgeRegistry.ts"
import type { Skill } from "../skills/Skills.ts"
import { DeclaredResources } from "./DeclaredResources.ts"

/** Several if components have different ones of one name. */
type Find<A> = (name: string) => ReadonlyArray<A>

export interface ResourceNames {
  /** Also those of a provider, and all of an MCP server by its name. */
  readonly tool: Find<Given>
  readonly hook: Find<Hook>
  readonly schema: Find<Shape<unknown>>
  readonly knowledge: Find<Knowledge>
  /** Those of the code. */
  readonly skill: Find<Skill>
  readonly function: Find<FunctionExecutor>
  /** The options of an agent or a team in code, by its id. */
  readonly base: Readonly<Record<"agent" | "team", Find<Agent.Options>>>
  /** A model of the application or of a component, by what `GET /registry` shows of it. */
  readonly model: (id: string, provider: string | undefined) => ModelRef | undefined
}

export interface Parts {
  readonly reached: ReachedComponents.ReachedComponents
  readonly declared: DeclaredResources["Service"]
  readonly models: ModelCatalog["Service"]
  readonly knowledge: ReadonlyArray<Instance>
}

const finder = <A>(declared: ReadonlyMap<string, A>, reached: Iterable<readonly [name: string, value: A]>): Find<A> => {
  const found = new Map<string, Set<A>>()
  for (const [name, value] of reached) found.set(name, (found.get(name) ?? new Set()).add(value))
  for (const [name, value] of declared) found.set(name, new Set([value]))
  return (name) => [...found.get(name) ?? []]
}

const named = <A extends { readonly name: string }>(values: ReadonlyArray<A>) =>
  values.map((value) => [value.name, value] as const)

export const make = ({ declared, knowledge, models, reached }: Parts): ResourceNames => {
  const agents = [...reached.agents.keys()]
  const refs = [...declared.models, ...agents.flatMap(({ model }) => model ?? [])]
  const schemas = agents.flatMap(({ inputSchema, outputSchema }) =>
    [inputSchema, outputSchema].flatMap((shape) => shape?.title === undefined ? [] : [[shape.title, shape] as const])
  )
  const bases = (kind: "agent" | "team") =>
    finder<Agent.Options>(
      new Map(),
      [...reached.agents].flatMap(([agent, of]) => {
        const options = of === kind ? Agent.optionsOf(agent) : undefined
        return options === undefined ? [] : [[agent.id, options] as const]
      })
    )
  return {
    base: { agent: bases("agent"), team: bases("team") },
    tool: finder<Given>(
      declared.tools,
      agents.flatMap(({ providerTools, toolSources, tools }) => [...tools, ...providerTools, ...named(toolSources)])
    ),
    hook: finder(
      new Map(named(declared.hooks)),
      agents.flatMap(({ postHooks, preHooks }) => named([...preHooks, ...postHooks]))
    ),
    schema: finder(declared.schemas, schemas),
    function: finder(
      new Map([...declared.functions].map(([name, run]) => [name, { type: "function", name, run, effects: "once" }])),
      [...reached.functions].map((executor) => [executor.name, executor] as const)
    ),
    knowledge: finder(new Map(), knowledge.map(({ knowledge, name }) => [name, knowledge] as const)),
    skill: finder(new Map(), agents.flatMap(({ skills }) => [...skills?.own ?? []])),
    model: (id, provider) =>
      refs.find((ref) => {
        const shown = models.describe(ref)
        return shown.id === id && (provider === undefined || provider === shown.provider || provider === shown.name)
      })
  }
}

/** Those of the service. */
export const ofService = Effect.gen(function*() {
  return make({
    reached: yield* ReachedComponents.ofService,
    declared: yield* DeclaredResources.declared,
    models: yield* ModelCatalog,
    knowledge: yield* KnowledgeRegistry.instances
  })
})
