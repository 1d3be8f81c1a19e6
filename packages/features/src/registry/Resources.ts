// What a service is made of: the tools, models, databases, schemas, functions and knowledge that its components reach,
// and what the application declares beside them.
import type { Agent } from "@svc-runtime/agents/agent/define/Agent"
import type { Hook } from "@svc-runtime/agents/agent/define/Hook"
import type { ModelCatalog, ModelRef } from "@svc-runtime/agents/Models"
import type { ReachedComponents } from "@svc-runtime/agents/registry/ReachedComponents"
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Json from "@svc-runtime/domain/Json"
import type * as Registry from "@svc-runtime/domain/Registry"
import type * as Service from "@svc-runtime/domain/Service"
import type { Shape } from "@svc-runtime/engine/schema/AnySchema"
import type { ProviderTool } from "@svc-runtime/engine/tool/ProviderTool"
import type { Tool } from "@svc-runtime/engine/tool/Tool"
import type { ToolSource } from "@svc-runtime/engine/tool/ToolSource"
import { type JsonSchema, Predicate } from "effect"
import type { Instance } from "../knowledge/KnowledgeRegistry.ts"
import type { DeclaredResources } from "./DeclaredResources.ts"

// The arguments of a tool in one line, for people.

const typeOf = (schema: unknown): string => {
  const type = Predicate.hasProperty(schema, "type") ? schema.type : undefined
  return Predicate.isString(type) ? type : Array.isArray(type) ? type.join(" | ") : "any"
}

/** Such as `(city: string, days?: integer)`. */
const toolSignatureOf = ({ properties, required }: JsonSchema.JsonSchema): string => {
  const needed: ReadonlyArray<unknown> = Array.isArray(required) ? required : []
  const texts = Object.entries(Predicate.isObject(properties) ? properties : {}).map(([name, schema]) =>
    `${name}${needed.includes(name) ? "" : "?"}: ${typeOf(schema)}`
  )
  return `(${texts.join(", ")})`
}

export interface Parts {
  readonly reached: ReachedComponents
  readonly declared: DeclaredResources["Service"]
  readonly models: ModelCatalog["Service"]
  readonly knowledge: ReadonlyArray<Instance>
  /** The first is the service's own. */
  readonly databases: ReadonlyArray<Ids.DatabaseId>
}

/** The package from which authors import the classes. */
const module = "@svc-runtime/server"

const classPath = (name: string) => `${module}/${name}`

const chunkTable = "svc_chunks"

const withoutMissing = (fields: Readonly<Record<string, unknown>>): Json.Object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => Predicate.isNotNullish(value))) as Json.Object

const resource = (
  type: Registry.ResourceType,
  name: string,
  metadata: Readonly<Record<string, unknown>>,
  { description, id }: { readonly id?: string | undefined; readonly description?: string | undefined } = {}
): Registry.Resource => ({
  name,
  type,
  ...(id === undefined ? {} : { id }),
  ...(description === undefined ? {} : { description }),
  metadata: withoutMissing(metadata)
})

/** Its provider knows its parameters. */
const ofProviderTool = ({ id, name }: ProviderTool) =>
  resource("tool", name, {
    class_path: classPath("ProviderTool"),
    is_toolkit: false,
    module,
    qualname: id,
    has_entrypoint: false,
    parameters: {},
    requires_confirmation: false,
    external_execution: false
  })

/** Its tools are known when a run asks it. */
const ofToolSource = ({ name }: ToolSource) =>
  resource("tool", name, {
    class_path: classPath("McpTools"),
    is_toolkit: true,
    module,
    qualname: name,
    has_entrypoint: true,
    parameters: {},
    requires_confirmation: false,
    external_execution: false
  })

/** `isOfFeature`: an option of its agent brings it, so that no config names it. */
const ofTool = (
  { description, externalExecution, name, parameters, requiresConfirmation }: Tool,
  isOfFeature?: boolean
) =>
  resource("tool", name, {
    class_path: classPath("Tool"),
    is_toolkit: false,
    module,
    qualname: name,
    has_entrypoint: !externalExecution,
    parameters,
    requires_confirmation: requiresConfirmation,
    external_execution: externalExecution,
    signature: toolSignatureOf(parameters),
    is_of_feature: isOfFeature === true ? true : undefined
  }, { description })

const ofFunction = (kind: "Hook" | "Step", name: string) =>
  resource("function", name, {
    name,
    class_path: classPath(kind),
    qualname: name,
    has_entrypoint: true,
    requires_confirmation: false,
    external_execution: false,
    signature: "(input)"
  })

const ofHook = ({ name }: Pick<Hook, "name">) => ofFunction("Hook", name)

const ofSchema = (name: string, { jsonSchema, title }: Shape<unknown>) =>
  resource("schema", title ?? name, { class_path: "JsonSchema", schema: jsonSchema })

/** The models that an agent calls in runs and in background jobs. */
const modelsOfAgent = (
  { models }: Parts,
  {
    fallbackModels,
    hooks,
    learning,
    memory,
    model = models.defaultModel,
    offeredModels,
    reasoningModel,
    sessionSummaries
  }: Agent
): ReadonlyArray<ModelRef> =>
  [
    model,
    ...fallbackModels,
    ...offeredModels,
    reasoningModel,
    ...hooks.map((hook) => hook.model),
    memory?.model,
    learning?.model,
    sessionSummaries?.model
  ].filter(Predicate.isNotUndefined)

const ofModel = ({ models }: Parts) => (ref: ModelRef) => {
  const { id, provider } = models.describe(ref)
  return resource("model", id, { class_path: classPath("Model"), provider, model_id: id })
}

const classOf = (value: object, otherwise: string): string => {
  const { name } = value.constructor
  return name === "" || name === "Object" ? otherwise : name
}

const ofKnowledge = ({ database, id, knowledge, name }: Instance) => {
  const { description, maxResults, readers, vectorStore } = knowledge
  const store = vectorStore === undefined ? "DatabaseHandle" : classOf(vectorStore, "VectorStore")
  const vectors = vectorStore === undefined
    ? resource("vector_db", database, {
      class_path: classPath(store),
      vector_db_id: database,
      table_name: chunkTable
    })
    : resource("vector_db", name, { class_path: store, collection: name })
  return [
    resource("knowledge", name, {
      class_path: classPath("Knowledge"),
      vector_db_class: store,
      contents_db_class: "DatabaseHandle",
      max_results: maxResults,
      num_readers: readers.length
    }, { id, description }),
    vectors
  ]
}

const ofManagers = ({ models }: Parts, agent: Agent, owner_type: "agent" | "team") => {
  const { id, memory, sessionSummaries } = agent
  const manager = (
    type: "memory_manager" | "session_summary_manager",
    own: ModelRef | undefined,
    metadata: Readonly<Record<string, unknown>>
  ) => {
    const name = `${id}-${type.replaceAll("_", "-")}`
    return resource(type, name, {
      class_path: classPath(owner_type === "agent" ? "Agent" : "Team"),
      owner_id: id,
      owner_type,
      model_class: "Model",
      model_id: models.describe(own ?? agent.model ?? models.defaultModel).id,
      ...metadata
    }, { id: name })
  }
  return [
    ...(memory === undefined ? [] : [manager("memory_manager", memory.model, {
      db_class: "DatabaseHandle",
      add_memories: memory.update !== "off" || memory.tools,
      update_memories: memory.update !== "off" || memory.tools,
      delete_memories: memory.update !== "off" || memory.tools,
      clear_memories: false
    })]),
    ...(sessionSummaries === undefined ? [] : [manager("session_summary_manager", sessionSummaries.model, {
      last_n_runs: sessionSummaries.threshold.runs
    })])
  ]
}

const ofAgent = (parts: Parts, agent: Agent, kind: "agent" | "team"): ReadonlyArray<Registry.Resource> => {
  const { description, id, inputSchema, name, outputSchema } = agent
  return [
    resource(kind, name, { id, class_path: classPath(kind === "agent" ? "Agent" : "Team") }, { id, description }),
    ...modelsOfAgent(parts, agent).map(ofModel(parts)),
    ...[...agent.tools.values()].map((tool) => ofTool(tool, agent.featureTools.has(tool.name))),
    ...[...agent.providerTools.values()].map(ofProviderTool),
    ...agent.toolSources.map(ofToolSource),
    ...[...agent.preHooks, ...agent.postHooks, ...agent.hooks].map(ofHook),
    ...(inputSchema === undefined ? [] : [ofSchema(`${id}_input`, inputSchema)]),
    ...(outputSchema === undefined ? [] : [ofSchema(`${id}_output`, outputSchema)]),
    ...ofManagers(parts, agent, kind)
  ]
}

/** The models that components reach and the application declares, each once. */
export const modelsOf = (parts: Parts): ReadonlyArray<Service.Model> => {
  const { declared, models, reached } = parts
  const used = [...[...reached.agents.keys()].flatMap((agent) => modelsOfAgent(parts, agent)), ...declared.models]
    .map((ref) => {
      const { id, provider } = models.describe(ref)
      return { id, provider }
    })
  return [...new Map(used.map((model) => [`${model.provider}\n${model.id}`, model])).values()]
}

const compare = (left: string, right: string): number => left === right ? 0 : left < right ? -1 : 1

/** Each resource once, in order of their types and names. */
export const of = (parts: Parts): ReadonlyArray<Registry.Resource> => {
  const { databases, declared, knowledge, reached } = parts
  const all = [
    ...[...reached.agents].flatMap(([agent, kind]) => ofAgent(parts, agent, kind)),
    ...[...reached.workflows].flatMap(({ id, inputSchema }) =>
      inputSchema === undefined ? [] : [ofSchema(`${id}_input`, inputSchema)]
    ),
    ...[...reached.functions].map(({ name }) => ofFunction("Step", name)),
    ...[...declared.tools.values()].map((tool) => ofTool(tool)),
    ...declared.models.map(ofModel(parts)),
    ...[...declared.schemas].map(([name, shape]) => ofSchema(name, { ...shape, title: name })),
    ...[...declared.functions.keys()].map((name) => ofFunction("Step", name)),
    ...declared.hooks.map(ofHook),
    ...databases.map((id) => resource("db", id, { class_path: classPath("DatabaseHandle"), db_id: id })),
    ...knowledge.flatMap(ofKnowledge)
  ]
  return [...new Map(all.map((each) => [JSON.stringify(each), each])).values()]
    .sort((left, right) => compare(left.type, right.type) || compare(left.name, right.name))
}
