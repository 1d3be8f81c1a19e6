// What a request gives a run beside its input, for functions of the author.
import * as Json from "@svc-runtime/domain/Json"
import * as RunOption from "@svc-runtime/domain/RunOption"

export type RunContextOptions = { readonly [Name in keyof typeof RunOption.given]: Json.Object }

/** What a request keeps with its run, for the factory of its component. */
export const requested = ({ metadata }: { readonly metadata?: Json.Object | undefined }): Json.Object => metadata ?? {}

/** What is kept with a run that is started for another one. */
export const adding = (options: Parameters<typeof requested>[0], added: Json.Object) => ({
  metadata: { ...requested(options), ...added }
})

/** The same of a stored run. */
export const stored = ({ command }: { readonly command: Json.Object | null }): Json.Object => {
  const metadata = command?.["metadata"]
  return Json.isObject(metadata) ? metadata : {}
}

/** The metadata with which a run continues. Undefined if the request changes none. */
export const changed = (
  run: { readonly command: Json.Object | null },
  { metadata }: { readonly metadata?: Json.Object | undefined }
): Json.Object | undefined => metadata === undefined ? undefined : { ...stored(run), ...metadata }

/** What a run keeps of them in its output. */
export const kept = ({ metadata }: Pick<RunContextOptions, "metadata">): Partial<Pick<RunContextOptions, "metadata">> =>
  Object.keys(metadata).length === 0 ? {} : { metadata }

/** The metadata of the component is overridden by the request, and that by a decision. */
export const of = (
  options: RunOption.Values<typeof RunOption.given>,
  component: { readonly metadata?: Json.Object | undefined },
  decided?: Json.Object
): RunContextOptions => {
  const given = RunOption.valuesOf(RunOption.given, options)
  return { ...given, metadata: { ...component.metadata, ...given.metadata, ...decided } }
}
