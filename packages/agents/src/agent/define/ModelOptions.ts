// The models of an agent: settings of their requests, models that replace one that fails, and what a request for a run
// may choose.
import * as Wire from "@svc-runtime/domain/ModelSettings"
import { Mistake } from "@svc-runtime/engine/userCode/Mistake"
import type * as AuthorOptions from "@svc-runtime/engine/userCode/Options"
import * as Validate from "@svc-runtime/engine/userCode/Validate"
import type { ModelRef } from "@svc-runtime/models/ModelCatalog"
import * as ModelSettings from "@svc-runtime/models/ModelSettings"
import { Option, Result, Schema } from "effect"
import type { AgentRunOptions } from "./AgentRunOptions.ts"

export interface Options {
  /** Of each request to its models: `temperature`, `maxOutputTokens`, `reasoning` and others. */
  readonly modelSettings?: ModelSettings.ModelSettings | undefined
  /**
   * Models that are requested one after the other if the model fails: it cannot be reached, limits the rate, answers
   * too late or refuses the content. A request that is invalid for the first model is not sent to others.
   */
  readonly fallbackModels?: ReadonlyArray<ModelRef> | undefined
  /** The models, as `provider:model`, that a request may choose for its run. Default: none. */
  readonly offeredModels?: ReadonlyArray<string> | undefined
  /** The settings, by their names on the wire, that a request may choose for its run. Default: none. */
  readonly offeredSettings?: ReadonlyArray<Wire.Name> | undefined
}

export interface ModelOptions {
  readonly modelSettings: ModelSettings.ModelSettings | undefined
  readonly fallbackModels: ReadonlyArray<ModelRef>
  readonly offeredModels: ReadonlyArray<string>
  readonly offeredSettings: ReadonlyArray<Wire.Name>
}

const decode = Schema.decodeUnknownResult(Wire.ModelSettings)

export const settingsKinds: AuthorOptions.Kinds<keyof ModelSettings.ModelSettings> = {
  temperature: "number",
  maxOutputTokens: "number",
  topP: "number",
  topK: "number",
  presencePenalty: "number",
  frequencyPenalty: "number",
  seed: "number",
  stopSequences: "list",
  reasoning: { oneOf: Wire.ReasoningEffort.literals },
  sendReasoning: { oneOf: ModelSettings.sentReasoning },
  headers: "object",
  providerOptions: "object",
  startTimeout: "any",
  answerTimeout: "any"
}

const checkedSettings = (
  owner: string,
  settings: ModelSettings.ModelSettings
): ModelSettings.ModelSettings | undefined => {
  const decoded = decode(ModelSettings.toWire(settings))
  for (const name of ["startTimeout", "answerTimeout"] as const) {
    const limit = settings[name]
    if (limit !== undefined) Validate.duration(owner, `modelSettings.${name}`, limit)
  }
  if (Result.isSuccess(decoded)) return Object.keys(settings).length === 0 ? undefined : settings
  const reason = decoded.failure.message.replaceAll(/\s*\n\s*/g, " ")
  throw new Mistake(`${owner}: modelSettings cannot be used. ${ModelSettings.withOwnNames(reason)}`)
}

const checkedName = (owner: string, name: Wire.Name): Wire.Name => {
  if (Wire.names.includes(name)) return name
  throw new Mistake(`${owner}: offeredSettings names '${name}', which is not one of ${Wire.names.join(", ")}`)
}

/** Throws an `Error` with the owner and the option for a value that cannot be used. */
export const make = (owner: string, options: Options): ModelOptions => ({
  modelSettings: options.modelSettings === undefined ? undefined : checkedSettings(owner, options.modelSettings),
  fallbackModels: (options.fallbackModels ?? []).flatMap((ref, index) =>
    Validate.model(owner, `fallbackModels[${index}]`, ref) ?? []
  ),
  offeredModels: (options.offeredModels ?? []).flatMap((ref, index) => {
    Validate.model(owner, `offeredModels[${index}]`, ref)
    return ref
  }),
  offeredSettings: (options.offeredSettings ?? []).map((name) => checkedName(owner, name))
})

type Chosen = Pick<AgentRunOptions, "model" | "model_settings">

/** The agent with the model and the settings of a run. */
export const withChosen = <A extends Pick<ModelOptions, "modelSettings"> & { readonly model: ModelRef | undefined }>(
  agent: A,
  { model, model_settings: settings }: Chosen
): A => {
  if (model === undefined && settings === undefined) return agent
  return {
    ...agent,
    ...(model === undefined ? {} : { model }),
    ...(settings === undefined ? {} : {
      modelSettings: ModelSettings.merge(agent.modelSettings ?? {}, ModelSettings.fromWire(settings))
    })
  }
}

export interface NotOffered {
  readonly option: "model" | "model_settings"
  readonly message: string
}

/** The first choice of a run of a workflow, which has no model of its own. */
export const withoutModel = (
  { id }: { readonly id: string },
  { model, model_settings }: Chosen
): Option.Option<NotOffered> => {
  if (model === undefined && model_settings === undefined) return Option.none()
  return Option.some({
    option: model === undefined ? "model_settings" : "model",
    message: `'${id}' is a workflow. The agents and teams of its steps have models and settings of their own`
  })
}

const listed = (names: ReadonlyArray<string>) => names.length === 0 ? "It offers none" : `It offers ${names.join(", ")}`

/** The first choice of a run that the agent does not offer. */
export const notOffered = (
  { id, offeredModels, offeredSettings }: ModelOptions & { readonly id: string },
  { model, model_settings: settings = {} }: Chosen
): Option.Option<NotOffered> => {
  if (model !== undefined && !offeredModels.includes(model)) {
    return Option.some({
      option: "model",
      message: `'${id}' does not offer the model '${model}'. ${listed(offeredModels)}`
    })
  }
  const refused = Wire.names.find((name) => settings[name] !== undefined && !offeredSettings.includes(name))
  return refused === undefined ? Option.none() : Option.some({
    option: "model_settings",
    message: `'${id}' does not offer the setting '${refused}'. ${listed(offeredSettings)}`
  })
}
