// The parameters of a statement for many items: an array for each column, with a place for each item. One record gives
// their order, their types, their names and their values, so that none of these can disagree.
import type * as PgTypes from "@effect/sql-pg/PgTypes"
import { booleans, integers, texts, times } from "./rows.ts"

interface Values {
  readonly text: string | null
  readonly json: string | null
  readonly jsonb: string | null
  /** Epoch seconds. */
  readonly bigint: number
  readonly integer: number
  readonly boolean: boolean
}

type Column<A> = { readonly [Type in keyof Values]: readonly [type: Type, valueOf: (item: A) => Values[Type]] }[
  keyof Values
]

const parameterOf = <A>([type, valueOf]: Column<A>, items: ReadonlyArray<A>): PgTypes.Parameter => {
  switch (type) {
    case "text":
    case "json":
    case "jsonb":
      return texts(items.map(valueOf))
    case "bigint":
      return times(items.map(valueOf))
    case "integer":
      return integers(items.map(valueOf))
    case "boolean":
      return booleans(items.map(valueOf))
  }
}

export const make = <A>() => <const Columns extends Readonly<Record<string, Column<A>>>>(columns: Columns) => {
  const all: ReadonlyArray<readonly [name: string, column: Column<A>]> = Object.entries(columns)
  const arrays = all.map(([, [type]], index) => `$${index + 1}::${type}[]`)
  const names = all.map(([name]) => name)
  return {
    /** The items as rows with these columns, and their places. */
    rows: (alias: string): string =>
      `unnest(${arrays.join(", ")}) with ordinality as ${alias} (${names.join(", ")}, place)`,
    /** The array of one column. */
    array: (name: keyof Columns & string): string => arrays[names.indexOf(name)] ?? "",
    /** A parameter after the columns, counted from 1. */
    after: (position: number): string => `$${all.length + position}`,
    parameters: (items: ReadonlyArray<A>): ReadonlyArray<PgTypes.Parameter> =>
      all.map(([, column]) => parameterOf(column, items))
  }
}
