// Resolves the names of embedding models. Names are `provider:model`; an embedding model of the AI SDK or an `Embedder`
// is used unchanged. As with models, nothing is checked or loaded before the first `resolve`.
import { Context, Effect, Layer } from "effect"
import * as AuthorEmbedder from "./AuthorEmbedder.ts"
import * as DemoEmbedder from "./DemoEmbedder.ts"
import * as Embedder from "./Embedder.ts"
import * as EmbeddingProviders from "./EmbeddingProviders.ts"
import type * as EmbeddingRate from "./EmbeddingRate.ts"
import { defaultModel, ModelNotConfigured, ModelNotFound } from "./ModelCatalog.ts"
import type * as ModelRetry from "./ModelRetry.ts"
import { type Credentials, settingName } from "./ProviderSettings.ts"

/** `provider:model`, an embedding model of the AI SDK, or an `Embedder`. */
export type EmbedderRef = string | Embedder.AiSdkEmbeddingModel | Embedder.Embedder

export interface Options extends Credentials {
  /**
   * The reference of the default embedder; `none` for no embedder. Unset: that of the first provider whose key is set,
   * and with the demo model the demo embedder.
   */
  readonly embedder?: EmbedderRef | undefined
  /** The length of the vectors of the default embedder. Unset: that of the model. */
  readonly embedderDimensions?: number | undefined
  /** The limits of each embedding model. An `Embedder` limits itself. */
  readonly embedderRate?: EmbeddingRate.Limits | undefined
  readonly model?: string | undefined
  readonly retry?: ModelRetry.Options | undefined
}

const providers = EmbeddingProviders.providers

const knownProviders = [...Object.keys(providers), "demo"]

const split = (ref: string): readonly [provider: string, id: string] => {
  const at = ref.indexOf(":")
  return at === -1 ? [ref.trim(), ""] : [ref.slice(0, at).trim(), ref.slice(at + 1).trim()]
}

const findProvider = (name: string) => Object.hasOwn(providers, name) ? providers[name] : undefined

const notFound = (ref: string): ModelNotFound => {
  const [name, id] = split(ref)
  const known = `Known: ${knownProviders.join(", ")}.`
  const message = findProvider(name) === undefined && id !== ""
    ? `The provider '${name}' has no embedding models here. ${known}`
    : `The embedder '${ref}' is not written as provider:model, for example openai:text-embedding-3-small. ${known}`
  return new ModelNotFound({ ref, message })
}

/** Why a name can never be an embedder, with any settings. Undefined if it can. */
export const embedderNameProblem = (ref: string): string | undefined => {
  const [name, id] = split(ref)
  return name === "demo" || name === "none" || (findProvider(name) !== undefined && id !== "")
    ? undefined
    : notFound(ref).message
}

const notConfigured = (ref: string, needs: keyof typeof settingName): ModelNotConfigured => {
  const setting = settingName[needs]
  const message = `${setting} is not set, and the embedder ${ref} needs it. ` +
    `Set ${setting}, or choose another embedder with EMBEDDER (for example EMBEDDER=demo).`
  return new ModelNotConfigured({ ref, setting, message })
}

/** Why an embedder cannot be used with these settings, as an upload says it. Undefined if it can. Loads nothing. */
export const embedderProblem = (options: Options, ref: EmbedderRef): string | undefined => {
  if (typeof ref !== "string") return undefined
  const provider = findProvider(split(ref)[0])
  return embedderNameProblem(ref) ??
    (provider === undefined || options[provider.needs] !== undefined
      ? undefined
      : notConfigured(ref, provider.needs).message)
}

/** The reference of the default embedder. Undefined: none. */
export const defaultEmbedder = (options: Options): EmbedderRef | undefined => {
  const { embedder } = options
  if (embedder !== undefined && typeof embedder !== "string") return embedder
  if (embedder !== undefined && embedder.trim() !== "") {
    return embedder.trim() === "none" ? undefined : embedder.trim()
  }
  if (options.openaiApiKey !== undefined) return "openai:text-embedding-3-small"
  if (options.googleApiKey !== undefined) return "google:gemini-embedding-001"
  return split(defaultModel(options))[0] === "demo" ? "demo" : undefined
}

export class EmbedderCatalog extends Context.Service<EmbedderCatalog, {
  /** The default embedder, if the service has one. */
  readonly defaultEmbedder: EmbedderRef | undefined
  /** The embedder of a reference. Each is made once. */
  readonly resolve: (ref: EmbedderRef) => Effect.Effect<Embedder.Embedder, ModelNotFound | ModelNotConfigured>
}>()("@svc-runtime/models/EmbedderCatalog") {
  static readonly layer = (options: Options): Layer.Layer<EmbedderCatalog> =>
    Layer.sync(EmbedderCatalog, () => make(options))
}

const make = (options: Options): EmbedderCatalog["Service"] => {
  const known = new Map<EmbedderRef, Embedder.Embedder>()
  const byDefault = defaultEmbedder(options)
  const dimensionsOf = (ref: EmbedderRef) => ref === byDefault ? options.embedderDimensions : undefined

  const fromName = Effect.fnUntraced(function*(ref: string) {
    const [name, id] = split(ref)
    if (name === "demo") return DemoEmbedder.embedder
    const provider = findProvider(name)
    if (provider === undefined || id === "") return yield* notFound(ref)
    if (options[provider.needs] === undefined) return yield* notConfigured(ref, provider.needs)
    const load = yield* provider.load(options)
    const key = provider.key(options)
    const embedder = yield* Embedder.ofAiSdk(load(id), {
      provider: provider.provider,
      dimensions: dimensionsOf(ref),
      rate: options.embedderRate,
      retry: options.retry,
      secrets: key === undefined ? [] : [key]
    })
    return { ...embedder, id: `${name}:${id}` }
  })

  const fresh = (ref: EmbedderRef): Effect.Effect<Embedder.Embedder, ModelNotFound | ModelNotConfigured> => {
    if (typeof ref === "string") return fromName(ref)
    return Embedder.isAiSdkEmbeddingModel(ref)
      ? Embedder.ofAiSdk(ref, { dimensions: dimensionsOf(ref), rate: options.embedderRate, retry: options.retry })
      : Effect.succeed(ref === DemoEmbedder.embedder ? ref : AuthorEmbedder.make(ref))
  }

  return EmbedderCatalog.of({
    defaultEmbedder: byDefault,
    resolve: Effect.fnUntraced(function*(ref) {
      const found = known.get(ref)
      if (found !== undefined) return found
      const embedder = yield* fresh(ref)
      known.set(ref, embedder)
      return embedder
    })
  })
}
