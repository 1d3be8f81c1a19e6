// The list of a resource: its filters, its pages, and what it says when it is empty.
import type { PaginationInfo } from "@svc-runtime/client"
import type { ComponentChildren } from "preact"
import { pageAt } from "../pages.ts"
import { Empty } from "../parts/Empty.tsx"
import { Pages } from "../parts/Pages.tsx"
import { Problem } from "../parts/Problem.tsx"
import { useLastPage } from "../parts/useLastPage.ts"
import { href, type Route, route, whole } from "../Route.ts"
import { useLoaded } from "../service/useLoaded.ts"
import { type Filter, Filters } from "./Filters.tsx"
import { type Column, Table } from "./Table.tsx"

export interface Page<Entry> {
  readonly data: ReadonlyArray<Entry>
  readonly meta: PaginationInfo
}

export interface Paging {
  readonly limit: number
  readonly page: number
}

interface Props<Entry> {
  readonly title: string
  /** Reads a page. The filters are those of the address. */
  readonly load: (paging: Paging, filters: Route["query"], signal: AbortSignal) => Promise<Page<Entry>>
  /** Of entries that are changed in their row: a function of what reads the list again. */
  readonly columns: ReadonlyArray<Column<Entry>> | ((reload: () => void) => ReadonlyArray<Column<Entry>>)
  readonly keyOf: (entry: Entry) => string
  readonly actions?: (entry: Entry, reload: () => void) => ComponentChildren
  readonly filters?: ReadonlyArray<Filter>
  /** What to do, where nothing is there yet. */
  readonly empty: ComponentChildren
  /** Forms above the list. */
  readonly forms?: (reload: () => void) => ComponentChildren
  /** Milliseconds after which the list is read again. */
  readonly every?: number | undefined
  /** The list is a part of a page. */
  readonly isPart?: boolean
}

export function ResourceList<Entry>(
  { actions, columns, empty, every, filters = [], forms, isPart = false, keyOf, load, title }: Props<Entry>
) {
  const { path, query: { page, ...given } } = route.value
  const { problem, reload, value } = useLoaded(
    (signal) => load({ limit: 25, page: whole(page) ?? 1 }, given, signal),
    [path, given, page],
    { every }
  )
  useLastPage(value)
  const isFiltered = filters.some(({ name }) => given[name] !== undefined)
  return (
    <section class={isPart ? "part" : "page"}>
      {isPart ? <h2>{title}</h2> : <h1>{title}</h1>}
      {forms?.(reload)}
      {filters.length === 0 ? null : <Filters filters={filters} />}
      <Problem error={problem} retry={reload} />
      {value === undefined
        ? null
        : value.data.length === 0
        ? (
          <Empty
            icon={pageAt(path[0] ?? "")?.icon}
            title={isFiltered ? "Nothing matches the filters" : "Nothing here yet"}
          >
            {isFiltered ? <a href={href(path)}>Show all</a> : empty}
          </Empty>
        )
        : (
          <>
            <Table
              columns={typeof columns === "function" ? columns(reload) : columns}
              entries={value.data}
              keyOf={keyOf}
              actions={actions === undefined ? undefined : (entry) => actions(entry, reload)}
            />
            <Pages meta={value.meta} />
          </>
        )}
    </section>
  )
}
