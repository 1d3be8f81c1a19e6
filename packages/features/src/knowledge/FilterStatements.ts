// Filters on the metadata of a content `s` and its chunk `c` as conditions. A condition is never null: `not` can stand
// before each.
import type * as KnowledgeFilter from "@svc-runtime/domain/KnowledgeFilter"
import { jsonb, text, texts } from "@svc-runtime/postgres/sql/rows"
import type { SqlClient, Statement } from "effect/sql"
import * as Knowledge from "./Knowledge.ts"

const operators: Readonly<Record<KnowledgeFilter.Comparison, string>> = { GT: ">", GTE: ">=", LT: "<", LTE: "<=" }

export const make = (sql: SqlClient.SqlClient) => {
  /** Metadata of the content win. The reserved ones are no metadata. */
  const valueOf = (key: string): Statement.Fragment =>
    key === Knowledge.reservedKey
      ? sql`c.metadata -> ${text(key)}::text`
      : sql`coalesce(s.metadata -> ${text(key)}::text, c.metadata -> ${text(key)}::text)`

  const equal = (key: string, value: KnowledgeFilter.Scalar): Statement.Fragment => {
    const stored = valueOf(key)
    // `@>` of a list and a scalar asks whether the scalar is in the list
    const contains = sql`coalesce(${stored} @> ${value === null ? "null" : jsonb(value)}::jsonb, false)`
    return value === null ? sql`(${stored} is null or ${contains})` : contains
  }

  /** The values are hashed once: comparing each row with each of them would take seconds. */
  const oneOf = (key: string, values: ReadonlyArray<KnowledgeFilter.Scalar>): Statement.Fragment => {
    const stored = valueOf(key)
    const wanted = sql`(select w.value::jsonb from unnest(${
      texts(values.map((value) => value === null ? "null" : jsonb(value)))
    }::text[]) as w (value))`
    const items = sql`case jsonb_typeof(${stored}) when 'array' then ${stored} else '[]' end`
    const isIn = sql`(
      coalesce(${stored} in ${wanted}, false)
      or exists (select from jsonb_array_elements(${items}) as i (item) where i.item in ${wanted})
    )`
    return values.includes(null) ? sql`(${stored} is null or ${isIn})` : isIn
  }

  const compared = (key: string, by: KnowledgeFilter.Comparison, value: string | number): Statement.Fragment => {
    const stored = valueOf(key)
    const operator = sql.literal(operators[by])
    return typeof value === "number"
      ? sql`(case jsonb_typeof(${stored}) when 'number' then ${stored} ${operator} ${
        jsonb(value)
      }::jsonb else false end)`
      : sql`(case jsonb_typeof(${stored}) when 'string'
        then (${stored} #>> '{}') collate "C" ${operator} ${text(value)}::text else false end)`
  }

  const condition = (filter: KnowledgeFilter.Filter): Statement.Fragment => {
    switch (filter._tag) {
      case "And":
        return filter.filters.length === 0 ? sql.literal("true") : sql.and(filter.filters.map(condition))
      case "Or":
        return filter.filters.length === 0 ? sql.literal("false") : sql.or(filter.filters.map(condition))
      case "Not":
        return sql`not (${condition(filter.filter)})`
      case "In":
        return filter.values.length === 1 && filter.values[0] !== undefined
          ? equal(filter.key, filter.values[0])
          : oneOf(filter.key, filter.values)
      case "Compare":
        return compared(filter.key, filter.by, filter.value)
    }
  }

  return condition
}
