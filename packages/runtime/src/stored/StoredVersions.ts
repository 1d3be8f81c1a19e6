// Loads the versions of stored components from their database, and makes components of them.
import * as Component from "@svc/domain/Component"
import type * as ComponentKind from "@svc/domain/ComponentKind"
import * as Json from "@svc/domain/Json"
import type { StorageUnavailable } from "@svc/domain/StorageUnavailable"
import { Effect, Layer, Option, Result } from "effect"
import { AnswerLimit } from "../AnswerLimit.ts"
import { ComponentStore, type Definition, type Head } from "../component/ComponentStore.ts"
import * as ConfigProblem from "../component/ConfigProblem.ts"
import { ComponentUnusable } from "../component/StoredComponentErrors.ts"
import { type CheckedConfig, type StoredComponent, StoredComponents } from "../component/StoredComponents.ts"
import { ServedDatabases } from "../database/ServedDatabases.ts"
import { isFactory } from "../factory/Factory.ts"
import type { AnyComponent, ComponentRef } from "../service/Components.ts"
import { type Built, BuiltComponents, type Key } from "./BuiltComponents.ts"
import { ConfigResolver } from "./ConfigResolver.ts"
import * as CurrentBuilds from "./CurrentBuilds.ts"
import { keyOf, type Reference } from "./References.ts"
import * as VersionReading from "./VersionReading.ts"

/** The newest components: `GET /agents`, `/teams` and `/workflows` have no pages. `GET /components` lists all. */
const allListed = { page: 1, limit: 500 }

/** The largest `size`. If each component names the next one twice, each level doubles the executions of a run. */
const maximumSize = 1000

interface Loading {
  readonly reading: VersionReading.VersionReading
  /** The versions with which the run began. Empty for a new run. */
  readonly given: Component.Versions["numbers"]
  /** The current versions that are used. Linked versions are not among them. */
  readonly versions: Map<string, number>
  /** The keys of the components that contain this one, from the outermost. */
  readonly path: ReadonlyArray<string>
  readonly count: { loaded: number }
}

interface BuiltNow extends Built {
  /** Whether it has linked versions and registered components only, so that it can be kept. */
  readonly isFixed: boolean
}

type BuildResult = Result.Result<BuiltNow, ReadonlyArray<ConfigProblem.ConfigProblem>>

const refused = (path: ConfigProblem.ConfigProblem["path"], message: string) => Result.fail({ path, message })

/** Whether a team has no members yet, or a workflow no steps. It can be saved, but not run. */
const isUnfinished = ({ config, kind }: CheckedConfig): boolean => {
  const parts = kind === "agent" ? undefined : config[kind === "team" ? "members" : "steps"]
  return kind !== "agent" && (parts === undefined || parts === null || (Json.isList(parts) && parts.length === 0))
}

export const make = Effect.fnUntraced(function*(store: ComponentStore["Service"]) {
  const resolver = yield* ConfigResolver
  const kept = yield* BuiltComponents
  const bytes = yield* AnswerLimit
  const current = CurrentBuilds.make(kept)

  const build = Effect.fnUntraced(
    function*(made: CheckedConfig, loading: Loading): Effect.fn.Return<BuildResult, StorageUnavailable> {
      const { config, id, kind, links, name } = made
      const linked = VersionReading.linkedVersions({ links })
      const inside = { ...loading, path: [...loading.path, keyOf(made)] }
      const children = new Map<string, AnyComponent>()
      const sizes = new Map<string, number>()
      const problems: Array<ConfigProblem.ConfigProblem> = []
      let isFixed = true
      let size = 1
      let bytes = JSON.stringify(config).length
      for (const reference of resolver.references(kind, config)) {
        size += sizes.get(keyOf(reference)) ?? 0
        if (children.has(keyOf(reference))) continue
        const version = linked.get(reference.id)
        const child = yield* childOf(reference, version, inside)
        if (Result.isFailure(child)) {
          problems.push(child.failure)
          continue
        }
        children.set(keyOf(reference), child.success.component)
        sizes.set(keyOf(reference), child.success.size)
        size += child.success.size
        bytes += child.success.bytes
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
        (component) => ({ component, bytes, isFixed, name, size })
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
        kept.put({ kind, id: component_id, version }, built.success)
      }
      return built
    }
  )

  const headOf = ({ id, kind }: ComponentRef, { reading }: Loading) =>
    Effect.map(
      reading.head(id),
      (head) => Option.getOrUndefined(Option.filter(head, ({ component_type }) => component_type === kind))
    )

  /** `head`: of the component as it is now, whose name can change. */
  const builtBefore = (key: Key, head: Pick<Head, "name"> | undefined) => {
    const known = kept.get(key)
    return head === undefined || known?.name === head.name ? known : undefined
  }

  const childOf = Effect.fnUntraced(
    function*(
      reference: Reference,
      linked: number | undefined,
      loading: Loading
    ): Effect.fn.Return<Result.Result<BuiltNow, ConfigProblem.ConfigProblem>, StorageUnavailable> {
      const { id, kind, path } = reference
      const key = keyOf(reference)
      const registered = resolver.registered(reference)
      if (registered !== undefined) {
        return isFactory(registered)
          ? refused(path, `The ${key} is made by a factory for each request, and cannot be named in a config`)
          : Result.succeed({ component: registered, bytes: 0, isFixed: true, name: registered.id, size: 1 })
      }
      if (loading.path.includes(key)) {
        const circle = [...loading.path.slice(loading.path.indexOf(key)), key]
        return refused(path, `The components name each other in a circle: ${circle.join(" → ")}`)
      }
      if (++loading.count.loaded > VersionReading.maximumComponents) {
        return refused(
          path,
          `More than ${VersionReading.maximumComponents} components are named, also by other components`
        )
      }
      const began = linked ?? loading.given[id]
      const head = began === undefined ? yield* headOf(reference, loading) : undefined
      const version = began ?? head?.current_version ?? undefined
      if (version === undefined) return refused(path, `There is no ${key} with a published version`)
      if (linked === undefined) loading.versions.set(id, version)
      const isFixed = linked !== undefined
      const known = builtBefore({ kind, id, version }, head)
      if (known !== undefined) return Result.succeed({ ...known, isFixed })
      const found = yield* loading.reading.definition(id, version)
      if (Option.isNone(found)) return refused(path, `There is no version ${version} of the ${key}`)
      if (found.value.config.stage === "draft") return refused(path, `Version ${version} of the ${key} is a draft`)
      const built = yield* buildVersion(kind, found.value, loading)
      return Result.mapBoth(built, {
        onFailure: (problems) => ({ path, message: ConfigProblem.textOf(problems) }),
        onSuccess: (built) => ({ ...built, isFixed: isFixed && built.isFixed })
      })
    }
  )

  const loadingOf = (
    given: Component.Versions["numbers"] = {},
    reading = VersionReading.make({ store, resolver, kept, bytes, given })
  ): Loading => ({
    reading,
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
    loading: Loading,
    { head, isChosen = false, version }: {
      readonly version: number
      readonly head?: Pick<Head, "name"> | undefined
      readonly isChosen?: boolean
    }
  ) {
    const { id, kind } = ref
    const known = isChosen ? undefined : builtBefore({ ...ref, version }, head)
    if (known !== undefined) {
      return Option.some<StoredComponent>({ component: known.component, versions: { numbers: { [id]: version } } })
    }
    const found = yield* loading.reading.definition(id, version)
    if (Option.isNone(found) || (isChosen && found.value.isRemoved)) return Option.none()
    yield* loading.reading.aheadOf({ ...found.value.config, kind })
    const built = yield* buildVersion(kind, found.value, loading)
    const component = yield* usable(ref, version, built)
    if (!isChosen && head !== undefined && Result.isSuccess(built) && !built.success.isFixed) {
      yield* current.keep(ref, version, built.success, loading.versions.keys(), loading.reading)
    }
    const { component: { name }, config: { config, links, stage } } = found.value
    return Option.some<StoredComponent>({
      component,
      versions: {
        numbers: versionsIn(loading, id, version),
        ...(stage === "draft" ? { draft: { name, config, links } } : {})
      }
    })
  })

  const buildAhead = (made: CheckedConfig, loading: Loading) =>
    Effect.andThen(loading.reading.aheadOf(made), build(made, loading))

  /** The draft as it was when the run began. */
  const loadDraft = Effect.fnUntraced(
    function*(ref: ComponentRef, draft: Component.Draft, version: number, versions: Component.Versions) {
      const component = yield* usable(
        ref,
        version,
        yield* buildAhead({ ...ref, ...draft }, loadingOf(versions.numbers))
      )
      return Option.some<StoredComponent>({ component, versions })
    }
  )

  const stored: StoredComponents = {
    find: Effect.fnUntraced(function*(ref, chosen) {
      const loading = loadingOf()
      const { again, head } = yield* current.find(ref, loading.reading)
      const version = chosen ?? head?.current_version ?? undefined
      if (version === undefined || head === undefined) return Option.none()
      if (chosen === undefined && again !== undefined) return Option.some(again)
      return yield* load(ref, loading, { version, head, isChosen: chosen !== undefined })
    }),
    again: Effect.fnUntraced(function*(ref, given) {
      const { draft, numbers } = given
      const version = numbers[ref.id]
      if (version === undefined) return Option.none()
      return draft === undefined
        ? yield* load(ref, loadingOf(numbers), { version })
        : yield* loadDraft(ref, draft, version, given)
    }),
    list: Effect.fnUntraced(function*(kind, without) {
      const { components } = yield* store.list({ component_type: kind, isPublished: true, without }, allListed)
      const refs = components.flatMap(({ component_id: id, current_version: version, name }) =>
        version === null ? [] : [{ id, kind, version, head: { name } }]
      )
      const reading = VersionReading.make({ store, resolver, kept, bytes, isList: true })
      yield* reading.ahead(refs.filter(({ head, ...key }) => builtBefore(key, head) === undefined))
      const loaded = yield* Effect.forEach(refs, (ref) =>
        load(ref, loadingOf({}, reading), ref).pipe(
          Effect.catchTag("ComponentUnusable", () => Effect.succeedNone),
          Effect.map((found) => [ref.id, Option.getOrUndefined(found)?.component] as const)
        ))
      const byId = new Map(loaded)
      return components.map((stored) => ({ stored, component: byId.get(stored.component_id) }))
    }),
    check: Effect.fnUntraced(function*(checked) {
      const problems = resolver.check(checked.kind, checked.config)
      if (problems.length > 0) return problems
      const built = yield* buildAhead(checked, loadingOf())
      if (Result.isSuccess(built)) return []
      return isUnfinished(checked) ? built.failure.filter(({ path }) => path.length > 0) : built.failure
    }),
    exists: Effect.fnUntraced(function*(ref) {
      if ((yield* headOf(ref, loadingOf())) !== undefined) return true
      return Option.isSome(yield* store.definition(Component.Id.make(ref.id), 1))
    })
  }
  return stored
})

/** What the stores of all databases share. */
export const layerShared = Layer.merge(ConfigResolver.layer, BuiltComponents.layer)

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
