// Loads the versions of stored components from their database, and makes components of them.
import * as Component from "@svc/domain/Component"
import type * as ComponentKind from "@svc/domain/ComponentKind"
import * as Json from "@svc/domain/Json"
import type { StorageUnavailable } from "@svc/domain/StorageUnavailable"
import { Context, Effect, Layer, Option, Result } from "effect"
import { ComponentStore, type Definition } from "../component/ComponentStore.ts"
import * as ConfigProblem from "../component/ConfigProblem.ts"
import { ComponentUnusable } from "../component/StoredComponentErrors.ts"
import { type CheckedConfig, type StoredComponent, StoredComponents } from "../component/StoredComponents.ts"
import { ServedDatabases } from "../database/ServedDatabases.ts"
import { isFactory } from "../factory/Factory.ts"
import type { AnyComponent, ComponentRef } from "../service/Components.ts"
import { ConfigResolver } from "./ConfigResolver.ts"
import { keyOf, type Reference } from "./References.ts"

/** How many built components are kept. Published versions do not change, so a kept component stays valid. */
const maximumKept = 500

const versionKey = (kind: ComponentKind.ComponentKind, id: string, version: number) => `${kind} ${version} ${id}`

interface Sized {
  readonly component: AnyComponent
  /** Executions of components in one of its runs, if each is executed as often as it is named. */
  readonly size: number
}

const keeping = () => {
  const kept = new Map<string, Sized>()
  return {
    get: (key: string): Sized | undefined => {
      const found = kept.get(key)
      if (found === undefined) return undefined
      kept.delete(key)
      kept.set(key, found)
      return found
    },
    put: (key: string, built: Sized) => {
      kept.set(key, built)
      const [oldest] = kept.keys()
      if (kept.size > maximumKept && oldest !== undefined) kept.delete(oldest)
    }
  }
}

/** The kept components, which the stores of all databases share. */
export class BuiltComponents extends Context.Service<BuiltComponents, ReturnType<typeof keeping>>()(
  "@svc/runtime/stored/StoredVersions/BuiltComponents"
) {
  static readonly layer: Layer.Layer<BuiltComponents> = Layer.sync(BuiltComponents, keeping)
}

/** The newest components: `GET /agents`, `/teams` and `/workflows` have no pages. `GET /components` lists all. */
const allListed = { page: 1, limit: 500 }

/** How many components are loaded for one component. */
const maximumComponents = 100

/** The largest `size`. If each component names the next one twice, each level doubles the executions of a run. */
const maximumSize = 1000

interface Loading {
  /** The versions with which the run began. Empty for a new run. */
  readonly given: Component.Versions["numbers"]
  /** The current versions that are used. Linked versions are not among them. */
  readonly versions: Map<string, number>
  /** The keys of the components that contain this one, from the outermost. */
  readonly path: ReadonlyArray<string>
  readonly count: { loaded: number }
}

interface Built extends Sized {
  /** Whether it has linked versions and registered components only, so that it can be kept. */
  readonly isFixed: boolean
}

type BuildResult = Result.Result<Built, ReadonlyArray<ConfigProblem.ConfigProblem>>

const refused = (path: ConfigProblem.ConfigProblem["path"], message: string) => Result.fail({ path, message })

/** Whether a team has no members yet, or a workflow no steps. It can be saved, but not run. */
const isUnfinished = ({ config, kind }: CheckedConfig): boolean => {
  const parts = kind === "agent" ? undefined : config[kind === "team" ? "members" : "steps"]
  return kind !== "agent" && (parts === undefined || parts === null || (Json.isList(parts) && parts.length === 0))
}

export const make = Effect.fnUntraced(function*(store: ComponentStore["Service"]) {
  const resolver = yield* ConfigResolver
  const kept = yield* BuiltComponents

  const ofKind = ({ id, kind }: ComponentRef) =>
    Effect.map(
      store.find(Component.Id.make(id)),
      Option.filter(({ component_type }) => component_type === kind)
    )

  const build = Effect.fnUntraced(
    function*(made: CheckedConfig, loading: Loading): Effect.fn.Return<BuildResult, StorageUnavailable> {
      const { config, id, kind, links, name } = made
      const linked = new Map(links.map(({ child_component_id, child_version }) => [child_component_id, child_version]))
      const inside = { ...loading, path: [...loading.path, keyOf(made)] }
      const children = new Map<string, AnyComponent>()
      const sizes = new Map<string, number>()
      const problems: Array<ConfigProblem.ConfigProblem> = []
      let isFixed = true
      let size = 1
      for (const reference of resolver.references(kind, config)) {
        size += sizes.get(keyOf(reference)) ?? 0
        if (children.has(keyOf(reference))) continue
        const version = linked.get(Component.Id.make(reference.id))
        const child = yield* childOf(reference, version, inside)
        if (Result.isFailure(child)) {
          problems.push(child.failure)
          continue
        }
        children.set(keyOf(reference), child.success.component)
        sizes.set(keyOf(reference), child.success.size)
        size += child.success.size
        isFixed = isFixed && child.success.isFixed
      }
      if (size > maximumSize) {
        problems.push({
          path: [],
          message: `A run would execute more than ${maximumSize} components, with nested ones`
        })
      }
      if (problems.length > 0) return Result.fail(problems)
      return Result.map(
        resolver.resolve(kind, { id, name }, config, children),
        (component) => ({ component, isFixed, size })
      )
    }
  )

  /** The kind is that of the run: the type of a component can change. */
  const buildVersion = Effect.fnUntraced(
    function*(
      kind: ComponentKind.ComponentKind,
      { component: { component_id, name }, config: { config, links, stage, version } }: Definition,
      loading: Loading
    ) {
      const built = yield* build({ kind, id: component_id, name, config, links }, loading)
      if (Result.isSuccess(built) && built.success.isFixed && stage === "published") {
        kept.put(versionKey(kind, component_id, version), built.success)
      }
      return built
    }
  )

  const childOf = Effect.fnUntraced(
    function*(
      reference: Reference,
      linked: number | undefined,
      loading: Loading
    ): Effect.fn.Return<Result.Result<Built, ConfigProblem.ConfigProblem>, StorageUnavailable> {
      const { id, kind, path } = reference
      const key = keyOf(reference)
      const registered = resolver.registered(reference)
      if (registered !== undefined) {
        return isFactory(registered)
          ? refused(path, `The ${key} is made by a factory for each request, and cannot be named in a config`)
          : Result.succeed({ component: registered, isFixed: true, size: 1 })
      }
      if (loading.path.includes(key)) {
        const circle = [...loading.path.slice(loading.path.indexOf(key)), key]
        return refused(path, `The components name each other in a circle: ${circle.join(" → ")}`)
      }
      if (++loading.count.loaded > maximumComponents) {
        return refused(path, `More than ${maximumComponents} components are named, also by other components`)
      }
      const current = linked ?? loading.given[id] ??
        Option.getOrUndefined(yield* ofKind(reference))?.current_version ?? undefined
      if (current === undefined) return refused(path, `There is no ${key} with a published version`)
      if (linked === undefined) loading.versions.set(id, current)
      const isFixed = linked !== undefined
      const known = kept.get(versionKey(kind, id, current))
      if (known !== undefined) return Result.succeed({ ...known, isFixed })
      const found = yield* store.definition(Component.Id.make(id), current)
      if (Option.isNone(found)) return refused(path, `There is no version ${current} of the ${key}`)
      if (found.value.config.stage === "draft") return refused(path, `Version ${current} of the ${key} is a draft`)
      const built = yield* buildVersion(kind, found.value, loading)
      return Result.mapBoth(built, {
        onFailure: (problems) => ({ path, message: ConfigProblem.textOf(problems) }),
        onSuccess: (built) => ({ ...built, isFixed: isFixed && built.isFixed })
      })
    }
  )

  const loadingOf = (given: Component.Versions["numbers"]): Loading => ({
    given,
    versions: new Map(),
    path: [],
    count: { loaded: 0 }
  })

  const usable = Effect.fnUntraced(function*({ id, kind }: ComponentRef, version: number, built: BuildResult) {
    if (Result.isSuccess(built)) return built.success.component
    return yield* new ComponentUnusable({ kind, id, version, problems: built.failure })
  })

  const versionsIn = ({ versions }: Loading, id: string, version: number): Component.Versions["numbers"] => ({
    ...Object.fromEntries(versions),
    [id]: version
  })

  /** `isChosen`: a request names the version, which can be removed, unlike the current one. */
  const load = Effect.fnUntraced(function*(
    ref: ComponentRef,
    { given = {}, isChosen = false, version }: {
      readonly version: number
      readonly given?: Component.Versions["numbers"]
      readonly isChosen?: boolean
    }
  ) {
    const { id, kind } = ref
    const known = isChosen ? undefined : kept.get(versionKey(kind, id, version))
    if (known !== undefined) {
      return Option.some<StoredComponent>({ component: known.component, versions: { numbers: { [id]: version } } })
    }
    const found = yield* store.definition(Component.Id.make(id), version)
    if (Option.isNone(found) || (isChosen && found.value.isRemoved)) return Option.none()
    const loading = loadingOf(given)
    const component = yield* usable(ref, version, yield* buildVersion(kind, found.value, loading))
    const { component: { name }, config: { config, links, stage } } = found.value
    return Option.some<StoredComponent>({
      component,
      versions: {
        numbers: versionsIn(loading, id, version),
        ...(stage === "draft" ? { draft: { name, config, links } } : {})
      }
    })
  })

  /** The draft as it was when the run began. */
  const loadDraft = Effect.fnUntraced(
    function*(ref: ComponentRef, draft: Component.Draft, version: number, versions: Component.Versions) {
      const component = yield* usable(ref, version, yield* build({ ...ref, ...draft }, loadingOf(versions.numbers)))
      return Option.some<StoredComponent>({ component, versions })
    }
  )

  const stored: StoredComponents = {
    find: Effect.fnUntraced(function*(ref, chosen) {
      const found = yield* ofKind(ref)
      const version = Option.flatMap(found, ({ current_version }) => Option.fromNullishOr(chosen ?? current_version))
      if (Option.isNone(version)) return Option.none()
      return yield* load(ref, { version: version.value, isChosen: chosen !== undefined })
    }),
    again: Effect.fnUntraced(function*(ref, given) {
      const { draft, numbers } = given
      const version = numbers[ref.id]
      if (version === undefined) return Option.none()
      return draft === undefined
        ? yield* load(ref, { version, given: numbers })
        : yield* loadDraft(ref, draft, version, given)
    }),
    list: Effect.fnUntraced(function*(kind, without) {
      const { components } = yield* store.list({ component_type: kind, isPublished: true, without }, allListed)
      return yield* Effect.forEach(components, (stored) => {
        const { component_id: id, current_version: version } = stored
        const loaded = version === null ? Effect.succeedNone : load({ kind, id }, { version })
        return loaded.pipe(
          Effect.catchTag("ComponentUnusable", () => Effect.succeedNone),
          Effect.map((found) => ({ stored, component: Option.getOrUndefined(found)?.component }))
        )
      })
    }),
    check: Effect.fnUntraced(function*(checked) {
      const problems = resolver.check(checked.kind, checked.config)
      if (problems.length > 0) return problems
      const built = yield* build(checked, loadingOf({}))
      if (Result.isSuccess(built)) return []
      return isUnfinished(checked) ? built.failure.filter(({ path }) => path.length > 0) : built.failure
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
