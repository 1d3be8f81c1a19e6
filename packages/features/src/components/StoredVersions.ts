// Loads the versions of stored components from their database, and makes components of them.
import { ComponentStore, type Head } from "@svc-runtime/agents/component/ComponentStore"
import { ComponentUnusable } from "@svc-runtime/agents/component/StoredComponentErrors"
import {
  type CheckedConfig,
  type ComponentVersions,
  type SharedVersion,
  type StoredComponent,
  StoredComponents
} from "@svc-runtime/agents/component/StoredComponents"
import { ServedDatabases } from "@svc-runtime/agents/database/ServedDatabases"
import type { ComponentRef } from "@svc-runtime/agents/runService/Components"
import * as Component from "@svc-runtime/domain/Component"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Json from "@svc-runtime/domain/Json"
import { StoreLimits } from "@svc-runtime/engine/limits/StoreLimits"
import { Effect, Layer, Option, Predicate, Result } from "effect"
import * as Included from "../prompts/Included.ts"
import { Prompts } from "../prompts/Prompts.ts"
import { BuiltComponents } from "./BuiltComponents.ts"
import { ConfigResolver } from "./ConfigResolver.ts"
import * as CurrentBuilds from "./CurrentBuilds.ts"
import * as VersionBuilding from "./VersionBuilding.ts"
import * as VersionReading from "./VersionReading.ts"

/** The newest components: `GET /agents`, `/teams` and `/workflows` have no pages. `GET /components` lists all. */
const allListed = { page: 1, limit: 500 }

/** Whether a team has no members yet, or a workflow no steps. It can be saved, but not run. A base may have them. */
const isUnfinished = ({ config, kind }: CheckedConfig): boolean => {
  const { parts: key } = ComponentKind.descriptions[kind]
  const parts = key === undefined ? undefined : config[key]
  if (key === undefined || Predicate.isString(config["base"])) return false
  return parts === undefined || parts === null || (Json.isList(parts) && parts.length === 0)
}

/** Undefined: the current version. */
const sharedIn = ({ base, version }: SharedVersion, head: Head | undefined): number | undefined =>
  version === base || head?.current_version !== base ? undefined : version

export const make = Effect.fnUntraced(function*(store: ComponentStore["Service"]) {
  const resolver = yield* ConfigResolver
  const kept = yield* BuiltComponents
  const { response: bytes } = yield* StoreLimits
  const prompts = Option.getOrUndefined(yield* Effect.serviceOption(Prompts))
  const current = CurrentBuilds.make(kept)

  const { build, buildVersion, builtBefore, headOf } = VersionBuilding.make({ current, kept, resolver })

  const loadingOf = (
    given: Component.Versions["numbers"] = {},
    reading = VersionReading.make({ store, resolver, kept, bytes, given })
  ): VersionBuilding.Loading => ({
    reading,
    given,
    isAgain: Object.keys(given).length > 0,
    versions: new Map(),
    path: [],
    count: { loaded: 0 }
  })

  const usable = Effect.fnUntraced(
    function*({ id, kind }: ComponentRef, version: number, built: VersionBuilding.BuildResult) {
      if (Result.isSuccess(built)) return built.success.component
      return yield* new ComponentUnusable({ kind, id, version, problems: built.failure })
    }
  )

  const versionsIn = (
    { versions }: VersionBuilding.Loading,
    id: string,
    version: number
  ): Component.Versions["numbers"] => ({
    ...Object.fromEntries(versions),
    [id]: version
  })

  /** `isChosen`: a request names the version, which can be removed, unlike the current one. */
  const load = Effect.fnUntraced(function*(
    ref: ComponentRef,
    loading: VersionBuilding.Loading,
    { head, isChosen = false, isFound = false, isShared = false, version }: {
      readonly version: number
      readonly head?: Pick<Head, "name"> | undefined
      readonly isChosen?: boolean
      /** The version is the current one, and the component is kept for new runs. */
      readonly isFound?: boolean
      /** It has a share of the new runs. */
      readonly isShared?: boolean
    }
  ) {
    const { id, kind } = ref
    const known = isChosen ? undefined : yield* builtBefore({ ...ref, version }, head, loading)
    if (known !== undefined) {
      if (isFound) current.keep(ref, version, known)
      return Option.some<StoredComponent>({ component: known.component, versions: { numbers: { [id]: version } } })
    }
    const found = yield* loading.reading.definition(id, version)
    if (Option.isNone(found) || ((isChosen || isShared) && found.value.isRemoved)) return Option.none()
    yield* loading.reading.aheadOf({ ...found.value.config, kind })
    const built = yield* buildVersion(kind, found.value, loading)
    const component = yield* usable(ref, version, built)
    if (isFound && Result.isSuccess(built)) current.keep(ref, version, built.success)
    const { component: { name }, config: { config, links, stage } } = found.value
    return Option.some<StoredComponent>({
      component,
      versions: {
        numbers: versionsIn(loading, id, version),
        ...(stage === "draft" ? { draft: { name, config, links } } : {})
      }
    })
  })

  const buildAhead = (made: CheckedConfig, loading: VersionBuilding.Loading) =>
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

  /** Of the prompts that instructions include. */
  const promptProblems = Effect.fnUntraced(function*({ config: { instructions } }: CheckedConfig) {
    if (!Included.isText(instructions) || !Included.is(Included.ofConfig(instructions))) return []
    const message = prompts === undefined
      ? `This service has no prompts. Write \\${Included.sign} for the characters themselves`
      : yield* prompts.problemOf(instructions)
    return message === undefined ? [] : [{ path: ["instructions"], message }]
  })

  const stored: ComponentVersions = {
    lastKnown: current.lastKnown,
    find: Effect.fnUntraced(function*(ref, chosen) {
      const loading = loadingOf()
      const { again, head } = yield* current.find(ref, loading.reading)
      const shared = typeof chosen === "object" ? sharedIn(chosen, head) : undefined
      if (shared !== undefined && head !== undefined) {
        const found = yield* load(ref, loading, { version: shared, head, isShared: true }).pipe(
          Effect.catchTag(
            "ComponentUnusable",
            ({ message }) =>
              Effect.as(Effect.logWarning(`${message}. A new run of its share gets the current version`), Option.none())
          )
        )
        if (Option.isSome(found)) return found
      }
      const named = typeof chosen === "object" ? undefined : chosen
      const version = named ?? head?.current_version ?? undefined
      if (version === undefined || head === undefined) return Option.none()
      if (named === undefined && again !== undefined) return Option.some(again)
      return yield* load(ref, loading, { version, head, isChosen: named !== undefined, isFound: named === undefined })
    }),
    again: Effect.fnUntraced(function*(ref, given) {
      const { draft, numbers } = given
      const version = VersionReading.numberOf(numbers, ref.id)
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
      yield* reading.heads(refs.flatMap((key) => [...kept.get(key)?.inside.keys() ?? []]))
      const unknown = yield* Effect.filter(
        refs,
        ({ head, ...key }) => Effect.map(builtBefore(key, head, loadingOf({}, reading)), (known) => known === undefined)
      )
      yield* reading.ahead(unknown)
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
      if (Result.isSuccess(built)) return yield* promptProblems(checked)
      return isUnfinished(checked) ? built.failure.filter(({ path }) => path.length > 0) : built.failure
    }),
    exists: Effect.fnUntraced(function*(ref) {
      if ((yield* headOf(ref, loadingOf())) !== undefined) return true
      return Option.isSome(yield* store.definition(Component.Id.make(ref.id), 1))
    })
  }
  return stored
})

/** For requests: a statement fails if the database does not reply for some seconds. */
export const layerRequests: Layer.Layer<
  StoredComponents,
  never,
  BuiltComponents | ConfigResolver | ServedDatabases | StoreLimits
> = Layer.effect(
  StoredComponents,
  Effect.flatMap(ServedDatabases, ({ own }) => make(own.database.components))
)

export const layer: Layer.Layer<
  StoredComponents,
  never,
  BuiltComponents | ComponentStore | ConfigResolver | StoreLimits
> = Layer.effect(
  StoredComponents,
  Effect.flatMap(ComponentStore, make)
)
