// Reads settings from the environment: says which one cannot be read, and which names are misspelt.
import * as Misspelling from "@svc-runtime/domain/Misspelling"
import * as Redaction from "@svc-runtime/telemetry/Redaction"
import { type Config as Env, ConfigProvider, Effect } from "effect"
import { InvalidConfig } from "./InvalidConfig.ts"

/** Names of settings whose values are not shown. */
const secret = /(KEY|KEY_ID|TOKEN|TOKEN_BEDROCK|SECRET|PASSWORD|HEADERS)$|^DATABASE_URL$/

const maxShownLength = 80

/** The value of a setting in a sentence. */
export const shown = (name: string, value: string): string => {
  if (secret.test(name)) return " (its value is not shown)"
  const text = Redaction.redact(value)
  return `=${text.length > maxShownLength ? `${text.slice(0, maxShownLength)}…` : text}`
}

const leafOf = (node: ConfigProvider.Node | undefined): string | undefined => node?.value

/** The text of a schema error ends with its path, which is the name of a setting. */
const pathInError = /(?<!\s)\s+at \["([^"]+)"\]/

/** A sentence with the name of the setting, its value and what it has to be. */
const unreadable = Effect.fnUntraced(function*({ cause }: Env.ConfigError) {
  const [line = ""] = cause.message.split("\n")
  const name = pathInError.exec(cause.message)?.[1]
  const problem = line.replace(pathInError, "").replace(/^Expected/, "expected")
  if (name === undefined) return `A setting cannot be read: ${problem}`
  const provider = yield* ConfigProvider.ConfigProvider
  const value = leafOf(yield* Effect.orElseSucceed(provider.load([name]), () => undefined))
  return `A setting cannot be read. ${name}${value === undefined ? "" : shown(name, value)}: ${problem}`
})

/** The values, or what stops the start. */
export const orInvalid = <A>(
  config: Env.Config<A>,
  provider: ConfigProvider.ConfigProvider
): Effect.Effect<A, InvalidConfig> =>
  config.parse(provider).pipe(
    Effect.catch((error) => Effect.flatMap(unreadable(error), (message) => Effect.fail(new InvalidConfig({ message }))))
  )

/** Providers leave out empty values, but not their names, which can be parts of a tree. */
const isEmpty = Effect.fnUntraced(function*(provider: ConfigProvider.ConfigProvider, name: string) {
  const node = yield* provider.load([name])
  if (node !== undefined) return leafOf(node)?.trim() === ""
  const isIn = (path: ReadonlyArray<string>, key: string) =>
    Effect.map(provider.load(path), (parent) => parent?._tag === "Record" && parent.keys.has(key))
  if (yield* isIn([], name)) return true
  const parts = name.split("_")
  for (const [at, part] of parts.entries()) if (!(yield* isIn(parts.slice(0, at), part))) return false
  return (yield* provider.load(parts)) === undefined
})

/** A setting that closes the service and whose substitution failed must not leave it open. */
export const refuseEmpty = Effect.fnUntraced(function*(provider: ConfigProvider.ConfigProvider, name: string) {
  if (yield* Effect.orElseSucceed(isEmpty(provider, name), () => false)) {
    return yield* new InvalidConfig({ message: `${name} is set and empty. Give it a value, or unset it` })
  }
})

const nameOf = (path: ConfigProvider.Path) => path.map(String).join("_")

/** A provider that keeps the names of the settings that are read. */
export const recording = (provider: ConfigProvider.ConfigProvider) => {
  const names = new Set<string>()
  return {
    names,
    provider: ConfigProvider.make((path) => {
      names.add(nameOf(path))
      return provider.load(path)
    })
  }
}

/** The names in the environment, which a provider shows as a tree. */
const namesIn = (
  provider: ConfigProvider.ConfigProvider,
  path: ReadonlyArray<string> = []
): Effect.Effect<ReadonlyArray<string>, ConfigProvider.SourceError> =>
  Effect.flatMap(provider.load(path), (node) => {
    const own = leafOf(node) === undefined ? [] : [nameOf(path)]
    if (node?._tag !== "Record") return Effect.succeed(own)
    return Effect.map(
      Effect.forEach(node.keys, (key) => namesIn(provider, [...path, key])),
      (names) => [...own, ...names.flat()]
    )
  })

const prefix = "SVC_"

const withoutPrefix = (name: string, known: ReadonlySet<string>): string | undefined => {
  const rest = name.startsWith(prefix) ? name.slice(prefix.length) : ""
  return known.has(rest) ? rest : undefined
}

const ending = "_API_KEY"

const stemOf = (name: string): string | undefined => name.endsWith(ending) ? name.slice(0, -ending.length) : undefined

/** Keys of providers are compared by what differs: EXA_API_KEY is of another provider than XAI_API_KEY. */
const meantAmong = (known: ReadonlySet<string>): (name: string) => string | undefined => {
  const amongNames = Misspelling.among(known)
  const amongStems = Misspelling.among(new Set([...known].flatMap((each) => stemOf(each) ?? [])))
  return (name) => {
    const stem = stemOf(name)
    if (stem === undefined) return amongNames(name)
    const meant = amongStems(stem)
    return meant === undefined ? undefined : `${meant}${ending}`
  }
}

/** Sentences about names that are like those of settings. */
export const misspelt = (
  provider: ConfigProvider.ConfigProvider,
  known: ReadonlySet<string>
): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(Effect.orElseSucceed(namesIn(provider), () => []), (names) => {
    const meantBy = meantAmong(known)
    return names.flatMap((name) => {
      const meant = withoutPrefix(name, known) ?? meantBy(name)
      return meant === undefined ? [] : [`${name} is no setting and is ignored. If ${meant} is meant, rename it`]
    })
  })
