// The config of an agent or a team: what its fields are called, and what a stored component gets of one in code.
import type { AgentResponse, JsonObject, Kind, RegistryContentResponse, TeamResponse } from "@svc-runtime/client"
import type { Component } from "../service/components.ts"

export type Config = JsonObject

type Value = Config[string]

export type Resource = RegistryContentResponse

export const isObject = (value: Value | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Without the fields that have no value. */
const present = (fields: Readonly<Record<string, unknown>>): Config =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null)) as Config

/** A field that is empty is left out of the config. */
export const withValue = (config: Config, name: string, value: Value | undefined): Config => {
  const { [name]: _, ...rest } = config
  return value === undefined || value === "" || (Array.isArray(value) && value.length === 0) ||
      (isObject(value) && Object.keys(value).length === 0)
    ? rest
    : { ...rest, [name]: value }
}

/** The config has the same fields with the same values, in any order. */
export const isSame = (one: Value | undefined, other: Value | undefined): boolean => textOf(one) === textOf(other)

const textOf = (value: Value | undefined): string =>
  JSON.stringify(value, (_, each: unknown) =>
    typeof each === "object" && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([one], [other]) => one < other ? -1 : 1))
      : each) ?? ""

/** A list of instructions has one in each line. */
export const instructionsOf = ({ instructions }: Config): string =>
  Array.isArray(instructions) ? instructions.join("\n") : typeof instructions === "string" ? instructions : ""

/** A list stays one, unless one of its instructions had several lines. */
export const withInstructions = (config: Config, text: string): Config => {
  const { instructions: before } = config
  const isList = Array.isArray(before) && before.every((each) => typeof each === "string" && !each.includes("\n"))
  return withValue(config, "instructions", isList ? text.split("\n") : text)
}

// Models are written as `provider:name`, or as an object with the two.

export interface ModelChoice {
  readonly key: string
  readonly title: string
  readonly value: Value
}

export const modelKeyOf = (model: Value | undefined): string =>
  typeof model === "string"
    ? model.toLowerCase()
    : isObject(model)
    ? `${typeof model.provider === "string" ? `${model.provider}:` : ""}${String(model.id)}`.toLowerCase()
    : ""

export const modelTitleOf = (model: Value | undefined): string =>
  typeof model === "string"
    ? model
    : isObject(model)
    ? `${String(model.id)}${typeof model.provider === "string" ? ` (${model.provider})` : ""}`
    : "the model of the service"

/** The models of the registry, and that of the config. */
export const modelChoices = (
  resources: ReadonlyArray<Resource>,
  model: Value | undefined
): ReadonlyArray<ModelChoice> => {
  const known = resources.filter(({ type }) => type === "model").map(({ metadata, name }): Value =>
    typeof metadata?.provider === "string" ? { id: name, provider: metadata.provider } : name
  )
  const all = model === undefined || model === null ? known : [model, ...known]
  const byKey = new Map(all.toReversed().map((value) => [modelKeyOf(value), value]))
  return [...byKey].toReversed().map(([key, value]) => ({ key, title: modelTitleOf(value), value }))
}

/** Without the tools that an option of the config brings again. */
const namesOf = (resources: ReadonlyArray<Resource>, type: Resource["type"]): ReadonlySet<string> =>
  new Set(
    resources.filter((each) => each.type === type && each.metadata?.["is_of_feature"] !== true).map(({ name }) => name)
  )

const modelOf = (model: AgentResponse["model"]) =>
  model?.model === undefined ? undefined : present({ id: model.model, provider: model.provider })

const memberOf = (member: AgentResponse | TeamResponse): Config =>
  "mode" in member ? { type: "team", team_id: member.id } : { type: "agent", agent_id: member.id }

/** What the service shows of a component in code, as a config. What only code can say is not in it. */
export const configOfCode = (
  component: AgentResponse | TeamResponse,
  resources: ReadonlyArray<Resource>
): Config => {
  const {
    introduction,
    knowledge,
    memory,
    metadata,
    model,
    model_options,
    reasoning,
    response_settings,
    role,
    sessions
  } = component
  const { output_schema_name: schema, ...responses } = response_settings ?? {}
  const tools = component.tools
  const [known, schemas] = [namesOf(resources, "tool"), namesOf(resources, "schema")]
  const bases = [...namesOf(resources, "knowledge")]
  const { fallback_models, ...options } = model_options ?? {}
  const { reasoning_model, ...steps } = reasoning ?? {}
  const named = [
    ...(tools?.tools ?? []).map(({ name }) => name).filter((name) => known.has(name)),
    ...(tools?.tool_sources ?? []).map(({ name }) => name)
  ]
  return present({
    introduction,
    role,
    ...component.system_message,
    ...options,
    ...responses,
    add_history_to_context: sessions?.add_history_to_context,
    num_history_runs: sessions?.num_history_runs,
    search_past_sessions: sessions?.search_past_sessions,
    ...steps,
    model: modelOf(model),
    reasoning_model: modelOf(reasoning_model),
    fallback_models: fallback_models?.map(modelOf),
    tools: named.length === 0 ? undefined : named,
    tool_call_limit: tools?.tool_call_limit,
    tool_choice: tools?.tool_choice,
    output_schema: schema !== undefined && schemas.has(schema) ? schema : undefined,
    // the service does not say which one it is
    knowledge: knowledge !== undefined && bases.length === 1 ? bases : undefined,
    memory: memory === undefined ? undefined : true,
    session_summaries: sessions?.enable_session_summaries,
    metadata,
    ...("mode" in component
      ? { mode: component.mode, members: component.members?.map(memberOf), ...component.streaming }
      : {})
  })
}

// A config that is based on a component in code has only what differs from it. People see and change all of it.

/** Undefined: it is based on none, or on one that is not there. */
export const baseOf = (
  { base }: Config,
  kind: Kind,
  components: ReadonlyArray<Component>,
  resources: ReadonlyArray<Resource>
): Config | undefined => {
  const found = components.find((each) => each.kind === kind && each.id === base && !each.is_component)
  return found === undefined || found.kind === "workflow"
    ? undefined
    : { base: found.id, ...configOfCode(found as AgentResponse | TeamResponse, resources) }
}

/** What the config says, over what the code has. */
export const withBase = (config: Config, base: Config): Config => present({ ...base, ...config })

/** An empty value is one: what is left out is as in code. */
const emptyOf = (value: Value | undefined): Value =>
  Array.isArray(value) ? [] : typeof value === "string" ? "" : typeof value === "boolean" ? false : null

/** What differs from the code. */
export const overBase = (config: Config, base: Config): Config =>
  Object.fromEntries(
    [...new Set(["base", ...Object.keys(config), ...Object.keys(base)])].flatMap((
      name
    ): ReadonlyArray<[string, Value]> =>
      name !== "base" && isSame(config[name], base[name])
        ? []
        : [[name, config[name] ?? emptyOf(base[name])]]
    )
  )

// What changes between two configs, for people: instructions as a text, and everything else as a table.

export interface Change {
  readonly name: string
  readonly before: Value | undefined
  readonly after: Value | undefined
}

/** The settings of the model are compared one by one. */
const flat = (config: Config): Config => {
  const { instructions: _, model_settings, ...rest } = config
  return isObject(model_settings) ? { ...rest, ...model_settings } : rest
}

export const changesOf = (before: Config, after: Config): ReadonlyArray<Change> => {
  const [one, other] = [flat(before), flat(after)]
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].toSorted().flatMap((name) =>
    isSame(one[name], other[name]) ? [] : [{ name, before: one[name], after: other[name] }]
  )
}

/** `max_output_tokens` as `Max output tokens`. */
export const titleOfField = (name: string): string => {
  const text = name.replaceAll("_", " ")
  return `${text[0]?.toUpperCase() ?? ""}${text.slice(1)}`
}
