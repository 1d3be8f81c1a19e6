// The client packages of providers that a project installs itself. Each is imported when its first model is resolved.
import { Data, Effect, Option, Predicate } from "effect"
import { type AiSdkLanguageModel, isAiSdkModel } from "./AiSdkModel.ts"

/** The client of a provider cannot be used: its package is not installed, or does not fit. */
export class ModelPackageMissing extends Data.TaggedError("ModelPackageMissing")<{
  readonly ref: string
  readonly message: string
}> {
  readonly error_type = "model_provider_error"
}

export interface ProviderPackage {
  /** The name of the package on npm. */
  readonly name: string
  /** The name of the function that makes the client. */
  readonly make: string
}

const find = Option.liftThrowable((name: string) => import.meta.resolve(name))

const isInstalled = ({ name }: ProviderPackage): boolean => Option.isSome(find(name))

const notInstalled = (ref: string, { name }: ProviderPackage): string =>
  `The model ${ref} needs the package ${name}, which is not installed. ` +
  `Install it in the project of the service: npm install ${name}`

/** Why the package cannot be imported. Undefined if it can. Imports nothing. */
export const problem = (ref: string, client: ProviderPackage): string | undefined =>
  isInstalled(client) ? undefined : notInstalled(ref, client)

type Client = { readonly languageModel: (modelId: string) => unknown }

const hasModels = (client: unknown): client is Client =>
  Predicate.hasProperty(client, "languageModel") && typeof client.languageModel === "function"

const imported = (name: string): Promise<Readonly<Record<string, unknown>>> => import(name)

/** The model of a client that is made with these options. */
export const model = (
  ref: string,
  modelId: string,
  client: ProviderPackage,
  options: Readonly<Record<string, unknown>>
): Effect.Effect<AiSdkLanguageModel, ModelPackageMissing> => {
  const misfit = (reason: string) =>
    new ModelPackageMissing({
      ref,
      message: `The package ${client.name} cannot be used for the model ${ref}: ${reason}. Install a newer version: ` +
        `npm install ${client.name}@latest`
    })
  if (!isInstalled(client)) return new ModelPackageMissing({ ref, message: notInstalled(ref, client) })
  return Effect.tryPromise({
    try: () => imported(client.name),
    catch: (cause) => misfit(Predicate.isError(cause) ? cause.message : String(cause))
  }).pipe(
    Effect.flatMap((module) =>
      Effect.try({
        try: () => {
          const make = module[client.make]
          const made: unknown = typeof make === "function" ? make(options) : undefined
          return hasModels(made) ? made.languageModel(modelId) : undefined
        },
        catch: (cause) => misfit(Predicate.isError(cause) ? cause.message : String(cause))
      })
    ),
    Effect.flatMap((made) =>
      isAiSdkModel(made)
        ? Effect.succeed(made)
        : Effect.fail(
          misfit(`its export ${client.make} makes no language model of the AI SDK's specification v3 or v4`)
        )
    )
  )
}
