// Resolves the names of models. Names are `provider:model`; a model object of the AI SDK or a `Model` is used
// unchanged. Nothing is checked or loaded before the first `resolve`: a service whose model has no key starts and shows
// the model in discovery, and the first run fails with the setting to change.
import * as NameList from "@svc-runtime/domain/NameList"
import { Context, Data, Effect, Layer, Predicate } from "effect"
import * as AiSdkModel from "./AiSdkModel.ts"
import * as BoundedFetch from "./BoundedFetch.ts"
import * as CircuitBreaker from "./CircuitBreaker.ts"
import * as DemoModel from "./DemoModel.ts"
import * as FixedModel from "./FixedModel.ts"
import type { Model } from "./Model.ts"
import { type ProviderName, providers } from "./ModelProviders.ts"
import type * as ModelRetry from "./ModelRetry.ts"
import type { Provider } from "./Provider.ts"
import * as ProviderPackage from "./ProviderPackage.ts"
import { type Credentials, secretName, settingName } from "./ProviderSettings.ts"

export type ModelRef = string | AiSdkModel.AiSdkLanguageModel | Model

type LocalName = "demo" | "fixed"

/** What the compiler accepts: a text that it knows has a provider. Other texts are checked when a component is made. */
export type Checked<Ref> = Ref extends string ? NonNullable<unknown> extends Readonly<Record<Ref, unknown>> ? Ref
  : Ref extends LocalName | `${LocalName | ProviderName}:${string}` ? Ref
  : { readonly refused: `The model '${Ref}' has no known provider` }
  : Ref

export type ModelName = Pick<Model, "id" | "name" | "provider">

export interface Options extends Credentials {
  /** The reference of the default model. Unset: the first provider whose key is set, else the demo model. */
  readonly model?: string | undefined
  /** The model of judges. Unset: the default model. */
  readonly judge?: ModelRef | undefined
  readonly retry?: ModelRetry.Options | undefined
  /** When requests to a provider that fails are stopped. */
  readonly breaker?: CircuitBreaker.Options | undefined
  /** Models that are used for these references, for tests. */
  readonly given?: Readonly<Record<string, ModelRef>> | undefined
  /** What sends the requests of the clients of providers, for tests. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** The reference is not a valid name of a model. */
export class ModelNotFound extends Data.TaggedError("ModelNotFound")<{
  readonly ref: string
  readonly message: string
}> {
  readonly error_type = "model_provider_error"
}

/** The provider is known, but a setting it needs is missing. */
export class ModelNotConfigured extends Data.TaggedError("ModelNotConfigured")<{
  readonly ref: string
  readonly setting: string
  readonly message: string
}> {
  get error_type(): "model_provider_error" | "model_authentication_error" {
    return isSecret(this.setting) ? "model_authentication_error" : "model_provider_error"
  }
}

const isSecret = (setting: string): boolean => (Object.values(secretName) as ReadonlyArray<string>).includes(setting)

const local: Readonly<Record<LocalName, ModelName> & Record<string, ModelName>> = {
  demo: DemoModel.name,
  fixed: FixedModel.name
}

/** Whether the model answers inside of this process, and costs nothing. */
export const isLocal = ({ provider }: Pick<Model, "provider">): boolean =>
  Object.values(local).some((each) => each.provider === provider)

const knownProviders = [...Object.keys(providers), ...Object.keys(local)]

const split = (ref: string): readonly [provider: string, id: string] => {
  const at = ref.indexOf(":")
  return at === -1 ? [ref.trim(), ""] : [ref.slice(0, at).trim(), ref.slice(at + 1).trim()]
}

const isModel = (ref: object): ref is Model => Predicate.hasProperty(ref, "languageModel")

export const isModelRef = (value: unknown): value is ModelRef =>
  Predicate.isString(value) || (Predicate.isObject(value) && isModel(value)) || AiSdkModel.isAiSdkModel(value)

const findProvider = (name: string): Provider | undefined =>
  Object.hasOwn(providers, name) ? providers[name] : undefined

const findLocal = (name: string): ModelName | undefined => Object.hasOwn(local, name) ? local[name] : undefined

/** The names to show for a reference. It needs no key and never fails: an unknown provider is shown unchanged. */
export const describe = (ref: ModelRef): ModelName => {
  if (typeof ref !== "string") {
    return isModel(ref)
      ? { id: ref.id, name: ref.name, provider: ref.provider }
      : { id: ref.modelId, name: ref.provider, provider: ref.provider }
  }
  const [name, id] = split(ref)
  const provider = findProvider(name)
  return findLocal(name) ?? (provider === undefined
    ? { id: id === "" ? name : id, name, provider: name }
    : { id, name: provider.name, provider: provider.provider })
}

/** The reference of the default model. */
export const defaultModel = (options: Options): string => {
  if (options.model !== undefined && options.model.trim() !== "") return options.model.trim()
  if (options.openaiApiKey !== undefined) return "openai:gpt-5"
  if (options.anthropicApiKey !== undefined) return "anthropic:claude-sonnet-4-5"
  if (options.googleApiKey !== undefined) return "google:gemini-2.5-pro"
  return "demo"
}

const notFound = (ref: string): ModelNotFound => {
  const [name, id] = split(ref)
  const known = `Known: ${knownProviders.join(", ")}.`
  const message = findProvider(name) !== undefined
    ? `The model reference '${ref}' names no model. Write it as ${name}:<model>, for example openai:gpt-5.`
    : id === ""
    ? `Unknown model '${ref}'. Write it as provider:model, for example openai:gpt-5. ${known}`
    : `Unknown model provider '${name}'. ${known}`
  return new ModelNotFound({ ref, message })
}

/** Why a name can never be a model, with any settings. Undefined if it can. */
export const nameProblem = (ref: string): string | undefined => {
  const [name, id] = split(ref)
  if (findLocal(name) !== undefined || (findProvider(name) !== undefined && id !== "")) return undefined
  return notFound(ref).message
}

/** The settings that are not set, of the list that lacks the fewest. */
const missing = (options: Options, { needs }: Provider): ReadonlyArray<string> =>
  needs.map((names) => names.filter((name) => options[name] === undefined).map((name) => settingName[name]))
    .reduce((fewest, names) => names.length < fewest.length ? names : fewest)

const notConfigured = (ref: string, names: ReadonlyArray<string>): ModelNotConfigured => {
  const [verb, object] = names.length === 1 ? ["is", "it"] : ["are", "them"]
  const message = `${NameList.all(names)} ${verb} not set, and the model ${ref} needs ${object}. ` +
    `Set ${
      NameList.all(names)
    }, or choose another model, such as demo, where this one is named: in MODEL, in JUDGE_MODEL or in the component.`
  return new ModelNotConfigured({ ref, setting: names[0] ?? "", message })
}

/** Why a model cannot be used with these settings, as a run says it. Undefined if it can. Loads nothing. */
export const modelProblem = (options: Options, ref: ModelRef): string | undefined => {
  if (typeof ref !== "string") return undefined
  const provider = findProvider(split(ref)[0])
  const unusable = nameProblem(ref)
  if (unusable !== undefined || provider === undefined) return unusable
  const names = missing(options, provider)
  if (names.length > 0) return notConfigured(ref, names).message
  return provider.client === undefined ? undefined : ProviderPackage.problem(ref, provider.client)
}

export type ResolveError = ModelNotFound | ModelNotConfigured | ProviderPackage.ModelPackageMissing

export class ModelCatalog extends Context.Service<ModelCatalog, {
  readonly defaultModel: string
  /** The model of judges. Undefined: the default model. */
  readonly judge: ModelRef | undefined
  /** The model of a reference, which is made once. */
  readonly resolve: (ref: ModelRef) => Effect.Effect<Model, ResolveError>
  readonly describe: (ref: ModelRef) => ModelName
}>()("@svc-runtime/models/ModelCatalog") {
  static readonly layer = (options: Options): Layer.Layer<ModelCatalog> => Layer.sync(ModelCatalog, () => make(options))
}

const make = (options: Options): ModelCatalog["Service"] => {
  const named = new Map<string, Model>()
  const given = new WeakMap<object, Model>()
  const breakerOf = CircuitBreaker.registry(options.breaker)
  const { fetch = BoundedFetch.make() } = options
  const replaced = new Map(Object.entries(options.given ?? {}))

  const fromName = Effect.fnUntraced(function*(ref: string): Effect.fn.Return<Model, ResolveError> {
    const [name, id] = split(ref)
    if (name === "fixed") return FixedModel.model
    if (name === "demo") return yield* DemoModel.make
    const provider = findProvider(name)
    if (provider === undefined || id === "") return yield* notFound(ref)
    const names = missing(options, provider)
    if (names.length > 0) return yield* notConfigured(ref, names)
    return yield* AiSdkModel.make({
      model: yield* provider.load(options, ref, id, fetch),
      name: provider.name,
      provider: provider.provider,
      settings: provider.settings,
      format: provider.format,
      retry: options.retry,
      breaker: breakerOf(provider.provider),
      secrets: provider.secrets.flatMap((name) => options[name] ?? [])
    })
  })

  const fromObject = (ref: AiSdkModel.AiSdkLanguageModel): Effect.Effect<Model, ResolveError> =>
    AiSdkModel.isAiSdkModel(ref)
      ? AiSdkModel.make({ model: ref, retry: options.retry, breaker: breakerOf(ref.provider) })
      : Effect.fail(
        new ModelNotFound({
          ref: String((ref as { readonly modelId?: unknown }).modelId),
          message: "The model object is not a language model of the AI SDK's specification v3 or v4."
        })
      )

  const resolve = Effect.fnUntraced(
    function*(reference: ModelRef): Effect.fn.Return<Model, ResolveError> {
      const ref = typeof reference === "string" ? replaced.get(reference) ?? reference : reference
      if (typeof ref !== "string" && isModel(ref)) return ref
      const known = typeof ref === "string" ? named.get(ref) : given.get(ref)
      if (known !== undefined) return known
      const model = yield* (typeof ref === "string" ? fromName(ref) : fromObject(ref))
      if (typeof ref === "string") named.set(ref, model)
      else given.set(ref, model)
      return model
    }
  )

  return ModelCatalog.of({ defaultModel: defaultModel(options), judge: options.judge, resolve, describe })
}
