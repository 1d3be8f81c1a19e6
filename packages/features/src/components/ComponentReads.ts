// Reads the stored components and the versions of their configs.
import type { VersionKey } from "@svc-runtime/agents/component/ComponentStore"
import * as Component from "@svc-runtime/domain/Component"
import * as ReadableRows from "@svc-runtime/postgres/sql/ReadableRows"
import { integers, text, texts, unchecked } from "@svc-runtime/postgres/sql/rows"
import { Effect, Option, Schema } from "effect"
import { type SqlClient, SqlSchema, type Statement } from "effect/sql"

const columns = `c.component_id, c.component_type, c.name, c.description, c.metadata, c.current_version, c.last_version,
  c.revision, c.created_at::float8 as created_at, c.updated_at::float8 as updated_at`

export const versionColumns = `v.component_id, v.version, v.label, v.stage, v.notes, v.created_at::float8 as created_at,
  v.updated_at::float8 as updated_at`

export const configColumns = `${versionColumns}, v.config, v.links`

/** A version is selected under these names, next to its component. */
const apartColumns = `v.version, v.label, v.stage, v.notes, v.created_at::float8 as version_created_at,
  v.updated_at::float8 as version_updated_at, v.config, v.links`

const { created_at, updated_at, ...version } = Component.StoredConfig.fields

const DefinitionRow = Schema.Struct({
  ...version,
  ...Component.Stored.fields,
  version_created_at: created_at,
  version_updated_at: updated_at,
  is_removed: Schema.Boolean
})

type DefinitionRow = typeof DefinitionRow.Type

const HeadRow = Component.Stored.mapFields(({ component_id, component_type, current_version, name }) => ({
  component_id,
  component_type,
  current_version,
  name
}))

const readableHeads = ReadableRows.make(HeadRow, "component_id")
const readableDefinitions = ReadableRows.make(DefinitionRow, "component_id")

const definitionOf = ({ is_removed, version_created_at, version_updated_at, ...row }: DefinitionRow) => ({
  isRemoved: is_removed,
  component: row,
  config: { ...row, created_at: version_created_at, updated_at: version_updated_at }
})

export const make = (sql: SqlClient.SqlClient) => {
  const shown = sql.literal(columns)

  const isPresent = (id: Component.Id) => sql`c.component_id = ${text(id)} and c.removed_at is null`

  /** The versions of a component, newest first. */
  const versionsOf = (id: Component.Id, selected: string): Statement.Fragment =>
    sql`
      select ${sql.literal(selected)} from svc_component_configs v join svc_components c using (component_id)
      where ${isPresent(id)} and v.removed_at is null order by v.version desc`

  const find = SqlSchema.findOneOption({
    Request: unchecked<Component.Id>(),
    Result: Component.Stored,
    execute: (id) => sql`select ${shown} from svc_components c where ${isPresent(id)}`
  })

  const config = SqlSchema.findOneOption({
    Request: unchecked<{ readonly id: Component.Id; readonly version: number | undefined }>(),
    Result: Component.StoredConfig,
    execute: ({ id, version }) =>
      sql`
        select ${sql.literal(configColumns)}
        from svc_component_configs v join svc_components c using (component_id)
        where ${isPresent(id)} and v.removed_at is null and ${
        version === undefined
          ? sql`(c.current_version is null or v.version = c.current_version)`
          : sql`v.version = ${version}`
      } order by v.version desc limit 1`
  })

  const definition = SqlSchema.findOneOption({
    Request: unchecked<VersionKey>(),
    Result: DefinitionRow,
    execute: ({ id, version }) =>
      sql`
        select ${shown}, ${sql.literal(apartColumns)},
          (c.removed_at is not null or v.removed_at is not null) as is_removed
        from svc_component_configs v join svc_components c using (component_id)
        where v.component_id = ${text(id)} and v.version = ${version}`
  })

  /** The versions, in the order of the keys. */
  const keyed = (keys: ReadonlyArray<VersionKey>): Statement.Fragment =>
    sql`unnest(${texts(keys.map(({ id }) => text(id)))}::text[], ${
      integers(keys.map(({ version }) => version))
    }::int[]) with ordinality as k (component_id, version, place)`

  return {
    isPresent,
    shown,
    versionsOf,
    find,
    config,
    heads: (ids: ReadonlyArray<Component.Id>) =>
      Effect.flatMap(
        sql`
          select c.component_id, c.component_type, c.current_version, c.name from svc_components c
          where c.component_id = any(${texts(ids.map(text))}::text[]) and c.removed_at is null`,
        readableHeads
      ),
    definition: (key: VersionKey) => Effect.map(definition(key), Option.map(definitionOf)),
    definitions: (keys: ReadonlyArray<VersionKey>, bytes: number) =>
      Effect.map(
        Effect.flatMap(
          sql`
            with found as materialized (
              select k.*, sum(v.bytes) over (order by k.place) - v.bytes as bytes_before
              from ${keyed(keys)} join svc_component_configs v using (component_id, version)
            )
            select ${shown}, ${sql.literal(apartColumns)},
              (c.removed_at is not null or v.removed_at is not null) as is_removed
            from found f join svc_component_configs v using (component_id, version)
            join svc_components c on c.component_id = v.component_id
            where f.bytes_before < ${bytes}::float8 order by f.place`,
          readableDefinitions
        ),
        (rows) => rows.map(definitionOf)
      ),
    present: (keys: ReadonlyArray<VersionKey>) =>
      Effect.map(
        sql<VersionKey>`
          select v.component_id as id, v.version
          from ${keyed(keys)} join svc_component_configs v using (component_id, version)
          join svc_components c on c.component_id = v.component_id
          where v.removed_at is null and c.removed_at is null order by k.place`,
        (rows) => rows
      )
  }
}
