// A table of entries. On a narrow screen each cell shows the title of its column. The order is in the address.
import { ArrowDown, ArrowUp } from "lucide"
import type { ComponentChildren } from "preact"
import { Icon } from "../parts/Icon.tsx"
import { query, route } from "../Route.ts"

export interface Column<Entry> {
  readonly title: string
  readonly cell: (entry: Entry) => ComponentChildren
  /** Long text in one line. */
  readonly isCut?: boolean
  /** Numbers are at the end of their cells, so that they can be compared. */
  readonly isNumber?: boolean
  /** What the service calls the order by this column. Left out: it cannot be chosen. */
  readonly sort?: string
}

const Title = ({ sort, title }: Pick<Column<never>, "sort" | "title">) => {
  if (sort === undefined) return <>{title}</>
  const { sort_by = "created_at", sort_order = "desc" } = route.value.query
  const isChosen = sort_by === sort
  const next = isChosen && sort_order === "desc" ? "asc" : "desc"
  return (
    <button
      type="button"
      class="sort"
      title={`Sort by ${title.toLowerCase()}, ${next === "desc" ? "the largest" : "the smallest"} first`}
      onClick={() => query({ sort_by: sort, sort_order: next, page: undefined })}
    >
      {title}
      {isChosen ? <Icon of={sort_order === "asc" ? ArrowUp : ArrowDown} size={12} /> : null}
    </button>
  )
}

const sorted = (sort: string | undefined) => {
  const { sort_by = "created_at", sort_order = "desc" } = route.value.query
  if (sort === undefined || sort !== sort_by) return undefined
  return sort_order === "asc" ? "ascending" : "descending"
}

interface Props<Entry> {
  readonly columns: ReadonlyArray<Column<Entry>>
  readonly entries: ReadonlyArray<Entry>
  readonly keyOf: (entry: Entry) => string
  /** Buttons at the end of a row. */
  readonly actions?: ((entry: Entry) => ComponentChildren) | undefined
}

export function Table<Entry>({ actions, columns, entries, keyOf }: Props<Entry>) {
  return (
    <div class="table">
      <table class={columns.length + (actions === undefined ? 0 : 1) > 5 ? "entries many" : "entries"}>
        <thead>
          <tr>
            {columns.map(({ isNumber, sort, title }) => (
              <th key={title} class={isNumber === true ? "number" : undefined} aria-sort={sorted(sort)}>
                <Title title={title} {...(sort === undefined ? {} : { sort })} />
              </th>
            ))}
            {actions === undefined ? null : <th>Actions</th>}
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <tr key={keyOf(entry)}>
              {columns.map(({ cell, isCut, isNumber, title }) => (
                <td key={title} data-title={title} class={isNumber === true ? "number" : undefined}>
                  <div class={isCut === true ? "cut" : undefined}>{cell(entry)}</div>
                </td>
              ))}
              {actions === undefined ? null : (
                <td data-title="">
                  <div class="actions">{actions(entry)}</div>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
