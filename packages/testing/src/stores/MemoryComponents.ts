// `ComponentStore` in memory.
import * as ComponentChange from "@svc-runtime/agents/component/ComponentChange"
import type {
  Change,
  Changed,
  ComponentStore,
  Definition,
  VersionKey
} from "@svc-runtime/agents/component/ComponentStore"
import {
  type ChangeError,
  ComponentIdTaken,
  ConfigNotFound,
  ConfigRejected,
  StoredComponentNotFound
} from "@svc-runtime/agents/component/StoredComponentErrors"
import type * as Component from "@svc-runtime/domain/Component"
import * as Pagination from "@svc-runtime/domain/Pagination"
import { admit } from "@svc-runtime/engine/limits/ResponseLimit"
import { Effect, Option, Semaphore } from "effect"
import type { MemoryDatabase, StoredComponent, StoredComponentVersion } from "./MemoryDatabase.ts"

const newestFirst = (one: Component.Stored, other: Component.Stored): number =>
  other.created_at - one.created_at || (one.component_id < other.component_id ? -1 : 1)

const present = ({ isRemoved, versions }: StoredComponent): ReadonlyArray<Component.StoredConfig> =>
  isRemoved ? [] : [...versions.values()].filter((version) => !version.isRemoved).map(({ config }) => config).reverse()

const put = (stored: StoredComponent, version: StoredComponentVersion): StoredComponent["versions"] =>
  new Map([...stored.versions, [version.config.version, version]])

export const make = (
  { components: all }: MemoryDatabase["Service"],
  responseLimit: number
): ComponentStore["Service"] => {
  const find = (id: Component.Id) => Option.filter(Option.fromUndefinedOr(all.get(id)), ({ isRemoved }) => !isRemoved)

  const [alone, checked] = [Semaphore.makeUnsafe(1), Semaphore.makeUnsafe(1)]

  const configsOf = (id: Component.Id) => Option.match(find(id), { onNone: () => [], onSome: present })

  const change = (id: Component.Id, change: Change) =>
    Effect.suspend((): Effect.Effect<Changed, ChangeError> => {
      const stored = Option.getOrUndefined(find(id))
      if (stored === undefined) return Effect.fail(new StoredComponentNotFound({ id }))
      const configs = present(stored)
      const ofVersion = (version: number | undefined) => configs.find((config) => config.version === version)
      const label = change.config?.label
      const changed = ComponentChange.apply({
        component: stored.component,
        versions: configs.length,
        config: ofVersion(change.config?.version),
        labelled: label === undefined ? undefined : configs.find((config) => config.label === label)?.version,
        stage: ofVersion(change.current)?.stage
      }, change)
      return Effect.tap(Effect.fromResult(changed), ({ component, config }) =>
        Effect.sync(() =>
          all.set(id, {
            ...stored,
            component,
            versions: config === undefined ? stored.versions : put(stored, { config, isRemoved: false })
          })
        ))
    })

  const definition = ({ id, version }: VersionKey): Option.Option<Definition> => {
    const stored = all.get(id)
    const found = stored?.versions.get(version)
    return stored === undefined || found === undefined ? Option.none() : Option.some({
      component: stored.component,
      config: found.config,
      isRemoved: stored.isRemoved || found.isRemoved
    })
  }

  return {
    create: (added) =>
      Effect.suspend(() => {
        const id = added.component_id
        if (all.has(id)) return Effect.fail(new ComponentIdTaken({ id }))
        const { component, config } = ComponentChange.begin(added)
        all.set(id, { component, isRemoved: false, versions: new Map([[1, { config, isRemoved: false }]]) })
        return Effect.succeed(component)
      }),
    find: (id) => Effect.sync(() => Option.map(find(id), ({ component }) => component)),
    heads: (ids) =>
      Effect.sync(() =>
        ids.flatMap((id) => Option.toArray(find(id))).map(
          ({ component: { component_id, component_type, current_version, name } }) => ({
            component_id,
            component_type,
            current_version,
            name
          })
        )
      ),
    list: ({ component_type, isPublished, without }, page) =>
      Effect.sync(() => {
        const left = new Set(without)
        const found = [...all.values()].filter(({ component, isRemoved }) =>
          !isRemoved && !left.has(component.component_id) &&
          (component_type === undefined || component_type === component.component_type) &&
          (isPublished !== true || component.current_version !== null)
        ).map(({ component }) => component).sort(newestFirst)
        return { components: Pagination.slice(page, found), total: found.length }
      }),
    change: (id, fields, check) =>
      check === undefined ? change(id, fields) : checked.withPermit(Effect.andThen(check, change(id, fields))),
    // a change that waits for nothing is made in between
    alone: (_, use) => alone.withPermit(use),
    remove: (id) =>
      Effect.sync(() => {
        const stored = all.get(id)
        if (stored !== undefined) all.set(id, { ...stored, isRemoved: true })
        return stored !== undefined
      }),
    versions: (id) => Effect.sync(() => configsOf(id).map(({ config: _config, links: _links, ...version }) => version)),
    configs: (id) =>
      Effect.suspend(() => {
        const configs = configsOf(id)
        const bytes = JSON.stringify(configs).length
        return Effect.as(admit("configs", bytes, responseLimit), configs)
      }),
    config: (id, version) =>
      Effect.sync(() => {
        const configs = configsOf(id)
        const current = Option.getOrUndefined(find(id))?.component.current_version ?? configs[0]?.version
        return Option.fromUndefinedOr(configs.find((config) => config.version === (version ?? current)))
      }),
    removeConfig: (id, version, at) =>
      Effect.suspend((): ReturnType<ComponentStore["Service"]["removeConfig"]> => {
        const stored = Option.getOrUndefined(find(id))
        if (stored === undefined) return Effect.fail(new StoredComponentNotFound({ id }))
        const config = present(stored).find((found) => found.version === version)
        if (config === undefined) return Effect.fail(new ConfigNotFound({ id, version }))
        const { component } = stored
        if (component.current_version === version) {
          return Effect.fail(new ConfigRejected({ reason: "current", id, version }))
        }
        all.set(id, {
          ...stored,
          component: { ...component, revision: component.revision + 1, updated_at: at },
          versions: put(stored, { config, isRemoved: true })
        })
        return Effect.void
      }),
    definition: (id, version) => Effect.sync(() => definition({ id, version })),
    definitions: (keys, bytes) =>
      Effect.sync(() => {
        let before = 0
        return keys.flatMap((key) => Option.toArray(definition(key))).filter(({ config: { config, links } }) => {
          const isFirst = before < bytes
          before += JSON.stringify(config).length + JSON.stringify(links).length
          return isFirst
        })
      }),
    instructed: (part) =>
      Effect.sync(() =>
        [...all.values()].flatMap((stored) =>
          present(stored).toReversed().flatMap(({ config: { instructions = null }, stage, version }) => {
            const { component_id, component_type } = stored.component
            return stage === "published" && JSON.stringify(instructions).includes(part)
              ? [{ component_id, component_type, version, instructions }]
              : []
          })
        ).toSorted((one, other) =>
          one.component_id < other.component_id ? -1 : one.component_id > other.component_id ? 1 : 0
        )
      ),
    present: (keys) =>
      Effect.sync(() => keys.filter((key) => Option.exists(definition(key), ({ isRemoved }) => !isRemoved)))
  }
}
