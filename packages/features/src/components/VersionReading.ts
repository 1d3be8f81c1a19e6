// Reads what components are made of. What many of them name is read in a few statements: for each level of nested
// components the current versions, and then the configs.
import type { ComponentStore, Definition, Head, VersionKey } from "@svc-runtime/agents/component/ComponentStore"
import type { CheckedConfig } from "@svc-runtime/agents/component/StoredComponents"
import * as Component from "@svc-runtime/domain/Component"
import type * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Effect, Option } from "effect"
import type { BuiltComponents } from "./BuiltComponents.ts"
import type { ConfigResolver } from "./ConfigResolver.ts"

/** How many components are loaded for one component. */
export const maxComponents = 100

type Made = Pick<CheckedConfig, "config" | "kind" | "links">

interface Named {
  readonly kind: ComponentKind.ComponentKind
  readonly id: Component.Id
  readonly version: number | undefined
}

export interface VersionReading {
  /** Reads the heads of components, with their current versions, in one statement. */
  readonly heads: (ids: ReadonlyArray<string>) => Effect.Effect<void, StorageUnavailable>
  readonly head: (id: string) => Effect.Effect<Option.Option<Head>, StorageUnavailable>
  readonly definition: (id: string, version: number) => Effect.Effect<Option.Option<Definition>, StorageUnavailable>
  /** Reads these versions, and what is named in them and in what they name. */
  readonly ahead: (keys: ReadonlyArray<VersionKey>) => Effect.Effect<void, StorageUnavailable>
  /** Reads what is named in a config, and in what it names. */
  readonly aheadOf: (made: Made) => Effect.Effect<void, StorageUnavailable>
}

export interface Options {
  readonly store: ComponentStore["Service"]
  readonly resolver: ConfigResolver["Service"]
  readonly kept: BuiltComponents["Service"]
  /** Of configs, in each statement. */
  readonly bytes: number
  /** The versions with which a run began. */
  readonly given?: Component.Versions["numbers"] | undefined
  /** What was not read ahead is not found: a list shows many components, and no config has to be there. */
  readonly isList?: boolean
}

export const linkedVersions = ({ links }: Pick<Made, "links">): ReadonlyMap<string, number> =>
  new Map(links.map(({ child_component_id, child_version }) => [child_component_id, child_version]))

/** A component can have the name of what each object has, such as `constructor`. */
export const numberOf = (numbers: Component.Versions["numbers"], id: string): number | undefined =>
  Object.hasOwn(numbers, id) ? numbers[id] : undefined

const keyOf = ({ id, version }: VersionKey) => `${version} ${id}`

const madeOf = ({ component: { component_type: kind }, config: { config, links } }: Definition): Made => ({
  kind,
  config,
  links
})

const sizeOf = ({ config: { config, links } }: Definition) =>
  JSON.stringify(config).length + JSON.stringify(links).length

export const make = ({ bytes, given = {}, isList = false, kept, resolver, store }: Options): VersionReading => {
  const heads = new Map<string, Option.Option<Head>>()
  const definitions = new Map<string, Option.Option<Definition>>()
  const isAgain = Object.keys(given).length > 0
  let left = bytes

  const namedIn = (made: Made): ReadonlyArray<Named> => {
    const linked = linkedVersions(made)
    return resolver.references(made.kind, made.config)
      .filter((reference) => resolver.registered(reference) === undefined)
      .slice(0, maxComponents)
      .map(({ id, kind }) => ({ kind, id: Component.Id.make(id), version: linked.get(id) ?? numberOf(given, id) }))
  }

  const readHeads = Effect.fnUntraced(function*(ids: ReadonlyArray<string>) {
    const unread = new Set(ids.filter((id) => !heads.has(id)).map((id) => Component.Id.make(id)))
    if (unread.size === 0) return
    const found = new Map((yield* store.heads([...unread])).map((head) => [head.component_id, head]))
    for (const id of unread) heads.set(id, Option.fromUndefinedOr(found.get(id)))
  })

  const versionOf = ({ id, version }: Named) =>
    version ?? Option.getOrUndefined(Option.flatten(Option.fromUndefinedOr(heads.get(id))))?.current_version ??
      undefined

  const readDefinitions = Effect.fnUntraced(function*(keys: ReadonlyArray<VersionKey>) {
    const unread = new Map(keys.flatMap((key) => definitions.has(keyOf(key)) ? [] : [[keyOf(key), key] as const]))
    if (unread.size === 0 || left <= 0) return []
    const found = yield* store.definitions([...unread.values()], left)
    for (const definition of found) {
      const { component: { component_id: id }, config: { version } } = definition
      definitions.set(keyOf({ id, version }), Option.some(definition))
      if (isList) left -= sizeOf(definition)
    }
    return found
  })

  const readNamed = Effect.fnUntraced(function*(made: ReadonlyArray<Made>) {
    let level = made
    while (level.length > 0) {
      const named = level.flatMap(namedIn)
      yield* readHeads(named.flatMap(({ id, version }) => version === undefined || !isAgain ? [id] : []))
      const keys = named.flatMap((each) => {
        const version = versionOf(each)
        return version === undefined || kept.get({ ...each, version }) !== undefined ? [] : [{ id: each.id, version }]
      })
      level = (yield* readDefinitions(keys)).map(madeOf)
    }
  })

  return {
    heads: readHeads,
    head: Effect.fnUntraced(function*(id) {
      if (!isList) yield* readHeads([id])
      return Option.flatten(Option.fromUndefinedOr(heads.get(id)))
    }),
    definition: Effect.fnUntraced(function*(id, version) {
      const key = { id: Component.Id.make(id), version }
      const known = definitions.get(keyOf(key))
      if (known !== undefined || isList) return known ?? Option.none()
      const found = yield* store.definition(key.id, version)
      definitions.set(keyOf(key), found)
      return found
    }),
    ahead: (keys) => Effect.flatMap(readDefinitions(keys), (found) => readNamed(found.map(madeOf))),
    aheadOf: (made) => isList ? Effect.void : readNamed([made])
  }
}
