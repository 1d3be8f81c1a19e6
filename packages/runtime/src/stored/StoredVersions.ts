// Loads the versions of stored components from their database, and makes components of them.
import * as Component from "@svc/domain/Component"
import type * as ComponentKind from "@svc/domain/ComponentKind"
import { Context, Effect, Layer, Option } from "effect"
import { ComponentStore, type Definition } from "../component/ComponentStore.ts"
import { ComponentUnusable } from "../component/StoredComponentErrors.ts"
import { type StoredComponent, StoredComponents } from "../component/StoredComponents.ts"
import { ServedDatabases } from "../database/ServedDatabases.ts"
import type { AnyComponent, ComponentRef } from "../service/Components.ts"
import { ConfigResolver } from "./ConfigResolver.ts"

/** Built components, the least recently used first. Published versions do not change. */
const maximumKept = 500

const keyOf = (kind: ComponentKind.ComponentKind, id: string, version: number) => `${kind} ${version} ${id}`

const keeping = () => {
  const kept = new Map<string, AnyComponent>()
  return {
    get: (key: string): AnyComponent | undefined => {
      const found = kept.get(key)
      if (found === undefined) return undefined
      kept.delete(key)
      kept.set(key, found)
      return found
    },
    put: (key: string, component: AnyComponent) => {
      kept.set(key, component)
      const [oldest] = kept.keys()
      if (kept.size > maximumKept && oldest !== undefined) kept.delete(oldest)
    }
  }
}

/** What the stores of all databases share. */
export class BuiltComponents extends Context.Service<BuiltComponents, ReturnType<typeof keeping>>()(
  "@svc/runtime/stored/StoredVersions/BuiltComponents"
) {
  static readonly layer: Layer.Layer<BuiltComponents> = Layer.sync(BuiltComponents, keeping)
}

export const make = Effect.fnUntraced(function*(store: ComponentStore["Service"]) {
  const resolver = yield* ConfigResolver
  const kept = yield* BuiltComponents

  const build = (kind: ComponentKind.ComponentKind, { component, config }: Definition) => {
    const { component_id: id, name } = component
    return Effect.mapError(
      Effect.fromResult(resolver.resolve(kind, { id, name }, config.config)),
      (problems) => new ComponentUnusable({ kind, id, version: config.version, problems })
    )
  }

  /** The kind is that of the run: the type of a component can change. */
  const load = Effect.fnUntraced(function*({ id, kind }: ComponentRef, version: number, isChosen: boolean) {
    const key = keyOf(kind, id, version)
    const stored = (component: AnyComponent, isDraft = false) =>
      Option.some<StoredComponent>({ component, isDraft, versions: { [id]: version } })
    // a version that a request names can be removed, unlike the current one
    const known = isChosen ? undefined : kept.get(key)
    if (known !== undefined) return stored(known)
    const found = yield* store.definition(Component.Id.make(id), version)
    if (Option.isNone(found) || (isChosen && found.value.isRemoved)) return Option.none()
    const component = yield* build(kind, found.value)
    const isDraft = found.value.config.stage === "draft"
    if (!isDraft) kept.put(key, component)
    return stored(component, isDraft)
  })

  const ofKind = ({ id, kind }: ComponentRef) =>
    Effect.map(
      store.find(Component.Id.make(id)),
      Option.filter(({ component_type }) => component_type === kind)
    )

  const stored: StoredComponents = {
    find: Effect.fnUntraced(function*(ref, chosen) {
      const found = yield* ofKind(ref)
      const version = Option.flatMap(found, ({ current_version }) => Option.fromNullishOr(chosen ?? current_version))
      return Option.isNone(version) ? Option.none() : yield* load(ref, version.value, chosen !== undefined)
    }),
    again: Effect.fnUntraced(function*(ref, versions) {
      const version = versions[ref.id]
      return version === undefined ? Option.none() : yield* load(ref, version, false)
    }),
    exists: Effect.fnUntraced(function*(ref) {
      if (Option.isSome(yield* ofKind(ref))) return true
      return Option.isSome(yield* store.definition(Component.Id.make(ref.id), 1))
    })
  }
  return stored
})

/** For requests: a statement fails if the database does not answer for some seconds. */
export const layerRequests: Layer.Layer<never, never, BuiltComponents | ConfigResolver | ServedDatabases> = Layer
  .effect(
    StoredComponents,
    Effect.flatMap(ServedDatabases, ({ own }) => make(own.database.components))
  )

export const layer: Layer.Layer<never, never, BuiltComponents | ComponentStore | ConfigResolver> = Layer.effect(
  StoredComponents,
  Effect.flatMap(ComponentStore, make)
)
