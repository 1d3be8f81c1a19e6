// `ComponentStore` in PostgreSQL. A change locks the row of its component.
import * as ComponentChange from "@svc-runtime/agents/component/ComponentChange"
import {
  type Change,
  ComponentStore,
  Instructed,
  type NewComponent,
  type VersionKey
} from "@svc-runtime/agents/component/ComponentStore"
import {
  ComponentIdTaken,
  ConfigNotFound,
  ConfigRejected,
  StoredComponentNotFound
} from "@svc-runtime/agents/component/StoredComponentErrors"
import * as Component from "@svc-runtime/domain/Component"
import { admit } from "@svc-runtime/engine/limits/ResponseLimit"
import { StoreLimits } from "@svc-runtime/engine/limits/StoreLimits"
import { orUnavailable, readOrUnavailable } from "@svc-runtime/postgres/sql/orUnavailable"
import * as Page from "@svc-runtime/postgres/sql/Page"
import * as ReadableRows from "@svc-runtime/postgres/sql/ReadableRows"
import { changeOne, readOne } from "@svc-runtime/postgres/sql/readOne"
import { json, jsonOrNull, text, textOrNull, texts, unchecked } from "@svc-runtime/postgres/sql/rows"
import { Effect, Layer, Option, Schema, Semaphore } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { configColumns, versionColumns } from "./ComponentReads.ts"
import * as ComponentReads from "./ComponentReads.ts"

/** Any number that nothing else locks. */
const checkLock = 7_316_924_008

/** What a change depends on, besides the version that it changes. */
const LockedRow = Schema.Struct({
  ...Component.Stored.fields,
  versions: Schema.Natural,
  labelled: Schema.NullOr(Schema.Int),
  stage: Schema.NullOr(Component.Stage)
})

const readable = ReadableRows.make(Component.Stored, "component_id")
const readableVersions = ReadableRows.make(Component.StoredVersion, "component_id")
const readableConfigs = ReadableRows.make(Component.StoredConfig, "component_id")

const readableInstructed = ReadableRows.make(Instructed, "component_id")

const configValues = ({ component_id, ...config }: Component.StoredConfig) => {
  const [body, links] = [json(config.config), json(config.links)]
  return {
    component_id: text(component_id),
    version: config.version,
    label: textOrNull(config.label),
    stage: config.stage,
    notes: textOrNull(config.notes),
    config: body,
    links,
    bytes: Buffer.byteLength(body) + Buffer.byteLength(links),
    created_at: config.created_at,
    updated_at: config.updated_at
  }
}

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { response: responseLimit } = yield* StoreLimits
  const pages = Page.make(sql)

  const { config, isPresent, shown, versionsOf, ...reads } = ComponentReads.make(sql)

  const lock = SqlSchema.findOneOption({
    Request: unchecked<Component.Id>(),
    Result: Component.Stored,
    execute: (id) => sql`select ${shown} from svc_components c where ${isPresent(id)} for update`
  })

  /** A statement after the lock: it sees what the change before it has stored. */
  const subject = SqlSchema.findOne({
    Request: unchecked<VersionKey & { readonly label: string | null }>(),
    Result: LockedRow.mapFields(({ labelled, stage, versions }) => ({ labelled, stage, versions })),
    execute: ({ id, label, version }) =>
      sql`
        select count(*)::int as versions, max(v.version) filter (where v.label = ${textOrNull(label)}) as labelled,
          max(v.stage) filter (where v.version = ${version}) as stage
        from svc_component_configs v where v.component_id = ${text(id)} and v.removed_at is null`
  })

  const insertConfig = (config: Component.StoredConfig) =>
    sql`insert into svc_component_configs ${sql.insert(configValues(config))}`

  const updateConfig = (config: Component.StoredConfig) => {
    const { component_id, version, ...values } = configValues(config)
    return sql`
      update svc_component_configs set ${sql.update(values)}
      where component_id = ${component_id} and version = ${version}`
  }

  const updateComponent = (component: Component.Stored) =>
    sql`
      update svc_components set ${
      sql.update({
        component_type: component.component_type,
        name: text(component.name),
        description: textOrNull(component.description),
        metadata: jsonOrNull(component.metadata),
        current_version: component.current_version,
        last_version: component.last_version,
        revision: component.revision,
        updated_at: component.updated_at
      })
    } where component_id = ${text(component.component_id)}`

  const locked = Effect.fnUntraced(function*(id: Component.Id) {
    const found = yield* lock(id)
    return yield* Option.match(found, {
      onNone: () => Effect.fail(new StoredComponentNotFound({ id })),
      onSome: Effect.succeed
    })
  })

  const create = Effect.fnUntraced(function*(added: NewComponent) {
    const { component, config } = ComponentChange.begin(added)
    const id = component.component_id
    const inserted = yield* sql`
      insert into svc_components ${
      sql.insert({
        ...component,
        component_id: text(id),
        name: text(component.name),
        description: textOrNull(component.description),
        metadata: jsonOrNull(component.metadata)
      })
    } on conflict (component_id) do nothing returning 1`
    if (inserted.length === 0) return yield* new ComponentIdTaken({ id })
    yield* insertConfig(config)
    return component
  })

  const change = Effect.fnUntraced(function*(id: Component.Id, fields: Change) {
    const component = yield* locked(id)
    const { config: changed, current } = fields
    const { labelled, stage, versions } = yield* subject({ id, label: changed?.label ?? null, version: current ?? 0 })
    const before = changed?.version === undefined ? Option.none() : yield* config({ id, version: changed.version })
    const result = yield* Effect.fromResult(ComponentChange.apply({
      component,
      versions,
      config: Option.getOrUndefined(before),
      labelled: labelled ?? undefined,
      stage: stage ?? undefined
    }, fields))
    yield* updateComponent(result.component)
    if (result.config !== undefined) {
      yield* changed?.version === undefined ? insertConfig(result.config) : updateConfig(result.config)
    }
    return result
  })

  const checked = <A, E>(check: Effect.Effect<A, E>) =>
    Effect.andThen(sql`select pg_advisory_xact_lock(${checkLock}::bigint)::text as locked`, check)

  /** Otherwise each waiting change would keep a connection. */
  const turn = yield* Semaphore.make(1)

  const removeConfig = Effect.fnUntraced(function*({ id, version }: VersionKey, at: number) {
    const component = yield* locked(id)
    if (component.current_version === version) {
      return yield* new ConfigRejected({ reason: "current", id, version })
    }
    const removed = yield* sql`
      update svc_component_configs set removed_at = ${at}
      where component_id = ${text(id)} and version = ${version} and removed_at is null returning 1`
    if (removed.length === 0) return yield* new ConfigNotFound({ id, version })
    yield* updateComponent({ ...component, revision: component.revision + 1, updated_at: at })
  })

  return ComponentStore.of({
    create: Effect.fn("SqlComponentStore.create")((component) =>
      changeOne(sql)(create(component), { kind: "component", id: component.component_id })
    ),
    find: Effect.fn("SqlComponentStore.find")((id) => readOne(reads.find(id), { kind: "component", id })),
    list: Effect.fn("SqlComponentStore.list")(function*({ component_type, isPublished, without }, page) {
      const from = sql`
        svc_components c where c.removed_at is null ${
        component_type === undefined ? sql`` : sql`and c.component_type = ${component_type}`
      } ${isPublished === true ? sql`and c.current_version is not null` : sql``} ${
        without.length === 0 ? sql`` : sql`and c.component_id <> all(${texts(without.map(text))}::text[])`
      }`
      const order = sql.literal("c.created_at desc, c.component_id")
      const rows = yield* pages.select({ columns: shown, from, order, page })
      return { components: yield* readable(rows), total: yield* pages.totalOf(rows, { from, page }) }
    }, readOrUnavailable),
    change: Effect.fn("SqlComponentStore.change")((id, fields, check) =>
      changeOne(sql)(
        check === undefined ? change(id, fields) : Effect.andThen(checked(check), change(id, fields)),
        { kind: "component", id }
      )
    ),
    // the lock of checks is the first one, as it is for changes with a check
    alone: Effect.fn("SqlComponentStore.alone")((id, use) =>
      turn.withPermit(changeOne(sql)(checked(Effect.andThen(lock(id), use)), { kind: "component", id }))
    ),
    remove: Effect.fn("SqlComponentStore.remove")((id, at) =>
      orUnavailable(Effect.map(
        sql`
          update svc_components set removed_at = coalesce(removed_at, ${at}) where component_id = ${text(id)}
          returning 1`,
        (rows) => rows.length > 0
      ))
    ),
    versions: Effect.fn("SqlComponentStore.versions")(
      (id) => Effect.flatMap(sql`${versionsOf(id, versionColumns)}`, readableVersions),
      readOrUnavailable
    ),
    configs: Effect.fn("SqlComponentStore.configs")(function*(id) {
      const [size] = yield* sql<{ readonly bytes: number }>`
        select coalesce(sum(bytes), 0)::float8 as bytes from (${versionsOf(id, "v.bytes")}) found`
      const bytes = size?.bytes ?? 0
      yield* admit("configs", bytes, responseLimit)
      return yield* readableConfigs(yield* sql`${versionsOf(id, configColumns)}`)
    }, readOrUnavailable),
    config: Effect.fn("SqlComponentStore.config")((id, version) =>
      readOne(config({ id, version }), { kind: "component", id })
    ),
    removeConfig: Effect.fn("SqlComponentStore.removeConfig")((id, version, at) =>
      changeOne(sql)(removeConfig({ id, version }, at), { kind: "component", id })
    ),
    heads: Effect.fn("SqlComponentStore.heads")((ids) => readOrUnavailable(reads.heads(ids))),
    definition: Effect.fn("SqlComponentStore.definition")((id, version) =>
      readOne(reads.definition({ id, version }), { kind: "component", id })
    ),
    definitions: Effect.fn("SqlComponentStore.definitions")((keys, bytes) =>
      readOrUnavailable(reads.definitions(keys, bytes))
    ),
    instructed: Effect.fn("SqlComponentStore.instructed")(
      (part) =>
        Effect.flatMap(
          sql`
            select c.component_id, c.component_type, v.version, v.config->'instructions' as instructions
            from svc_component_configs v join svc_components c using (component_id)
            where c.removed_at is null and v.removed_at is null and v.stage = 'published'
              and strpos((v.config->'instructions')::text, ${text(part)}) > 0
            order by c.component_id, v.version`,
          readableInstructed
        ),
      readOrUnavailable
    ),
    present: Effect.fn("SqlComponentStore.present")((keys) => orUnavailable(reads.present(keys)))
  })
})

export const layer: Layer.Layer<ComponentStore, never, SqlClient.SqlClient | StoreLimits> = Layer.effect(
  ComponentStore,
  make
)
