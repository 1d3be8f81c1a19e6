// Builds components from configs, with the stored components that they name.
import type { Definition, Head } from "@svc-runtime/agents/component/ComponentStore"
import * as ConfigProblem from "@svc-runtime/agents/component/ConfigProblem"
import type { CheckedConfig } from "@svc-runtime/agents/component/StoredComponents"
import { isFactory } from "@svc-runtime/agents/factory/Factory"
import type { AnyComponent, ComponentRef } from "@svc-runtime/agents/runService/Components"
import type * as Component from "@svc-runtime/domain/Component"
import type * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type * as Assumption from "@svc-runtime/engine/ComponentPrecondition"
import { Effect, Option, Result } from "effect"
import type { Built, BuiltComponents, Key } from "./BuiltComponents.ts"
import { keyOf, type Reference } from "./ConfigReferences.ts"
import type { ConfigResolver } from "./ConfigResolver.ts"
import type * as CurrentBuilds from "./CurrentBuilds.ts"
import * as VersionReading from "./VersionReading.ts"

/** The largest `size`. If each component names the next one twice, each level doubles the executions of a run. */
const maxSize = 1000

export interface Loading {
  readonly reading: VersionReading.VersionReading
  /** The versions with which the run began. Empty for a new run. */
  readonly given: Component.Versions["numbers"]
  /** Whether the run has begun with these versions before. */
  readonly isAgain: boolean
  /** The current versions that are used. Linked versions are not among them. */
  readonly versions: Map<string, number>
  /** The keys of the components that contain this one, from the outermost. */
  readonly path: ReadonlyArray<string>
  readonly count: { loaded: number }
}

export interface BuiltNow extends Built {
  /** Whether it has linked versions and registered components only, so that it can be kept. */
  readonly isFixed: boolean
  /** Of a stored component. */
  readonly assumption?: Assumption.Assumption
}

export type BuildResult = Result.Result<BuiltNow, ReadonlyArray<ConfigProblem.ConfigProblem>>

const refused = (path: ConfigProblem.ConfigProblem["path"], message: string) => Result.fail({ path, message })

export interface Parts {
  readonly resolver: ConfigResolver["Service"]
  readonly kept: BuiltComponents["Service"]
  readonly current: ReturnType<typeof CurrentBuilds.make>
}

export const make = ({ current, kept, resolver }: Parts) => {
  const build = Effect.fnUntraced(
    function*(made: CheckedConfig, loading: Loading): Effect.fn.Return<BuildResult, StorageUnavailable> {
      const { config, id, kind, links, name } = made
      const linked = VersionReading.linkedVersions({ links })
      const nested = { ...loading, path: [...loading.path, keyOf(made)] }
      const children = new Map<string, AnyComponent>()
      const sizes = new Map<string, number>()
      const problems: Array<ConfigProblem.ConfigProblem> = []
      let isFixed = true
      let size = 1
      let bytes = JSON.stringify(config).length
      const inside = new Map<string, Assumption.Assumption>()
      // a component can be linked in one place, and in its current version in another
      const assume = (assumption: Assumption.Assumption) => {
        if ((inside.get(assumption.id)?.current ?? null) === null) inside.set(assumption.id, assumption)
      }
      for (const reference of resolver.references(kind, config)) {
        size += sizes.get(keyOf(reference)) ?? 0
        if (children.has(keyOf(reference))) continue
        const version = linked.get(reference.id)
        const child = yield* childOf(reference, version, nested)
        if (Result.isFailure(child)) {
          problems.push(child.failure)
          continue
        }
        children.set(keyOf(reference), child.success.component)
        sizes.set(keyOf(reference), child.success.size)
        size += child.success.size
        bytes += child.success.bytes
        isFixed = isFixed && child.success.isFixed
        for (const assumption of child.success.inside.values()) assume(assumption)
        if (child.success.assumption !== undefined) assume(child.success.assumption)
      }
      if (size > maxSize) {
        problems.push({
          path: [],
          message: `A run would execute more than ${maxSize} components, with nested ones`
        })
      }
      if (problems.length > 0) return Result.fail(problems)
      return Result.map(
        resolver.resolve(kind, { id, name }, config, children),
        (component) => ({ component, bytes, inside, isFixed, name, size })
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

  /** `head`: of the component as it is now. For a run that is resumed, names can be those of before. */
  const builtBefore = Effect.fnUntraced(
    function*(key: Key, head: Pick<Head, "name"> | undefined, { isAgain, reading }: Loading) {
      const known = kept.get(key)
      if (known === undefined || isAgain) return known
      if (head !== undefined && known.name !== head.name) return undefined
      return (yield* current.isSame(known, reading)) ? known : undefined
    }
  )

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
          : Result.succeed({
            component: registered,
            bytes: 0,
            inside: new Map(),
            isFixed: true,
            name: registered.id,
            size: 1
          })
      }
      if (loading.path.includes(key)) {
        const circle = [...loading.path.slice(loading.path.indexOf(key)), key]
        return refused(path, `The components name each other in a circle: ${circle.join(" → ")}`)
      }
      if (++loading.count.loaded > VersionReading.maxComponents) {
        return refused(
          path,
          `More than ${VersionReading.maxComponents} components are named, also by other components`
        )
      }
      const began = linked ?? VersionReading.numberOf(loading.given, id)
      const head = loading.isAgain && began !== undefined
        ? undefined
        : linked === undefined
        ? yield* headOf(reference, loading)
        : Option.getOrUndefined(yield* loading.reading.head(id))
      const version = began ?? head?.current_version ?? undefined
      if (version === undefined) return refused(path, `There is no ${key} with a published version`)
      if (linked === undefined) loading.versions.set(id, version)
      const isFixed = linked !== undefined
      const assumptionOf = (name: string): Assumption.Assumption => ({
        id,
        name,
        current: isFixed ? null : { component_type: kind, current_version: version }
      })
      const known = yield* builtBefore({ kind, id, version }, head, loading)
      if (known !== undefined) return Result.succeed({ ...known, assumption: assumptionOf(known.name), isFixed })
      const found = yield* loading.reading.definition(id, version)
      if (Option.isNone(found)) return refused(path, `There is no version ${version} of the ${key}`)
      if (found.value.config.stage === "draft") return refused(path, `Version ${version} of the ${key} is a draft`)
      const built = yield* buildVersion(kind, found.value, loading)
      return Result.mapBoth(built, {
        onFailure: (problems) => ({ path, message: ConfigProblem.textOf(problems) }),
        onSuccess: (built) => ({
          ...built,
          assumption: assumptionOf(built.name),
          isFixed: isFixed && built.isFixed
        })
      })
    }
  )

  return { build, buildVersion, builtBefore, headOf }
}
