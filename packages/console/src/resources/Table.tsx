// A table of entries. On a narrow screen each cell shows the title of its column.
import type { ComponentChildren } from "preact"

export interface Column<Entry> {
  readonly title: string
  readonly cell: (entry: Entry) => ComponentChildren
  /** Long text in one line. */
  readonly isCut?: boolean
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
    <table class="entries">
      <thead>
        <tr>
          {columns.map(({ title }) => <th key={title}>{title}</th>)}
          {actions === undefined ? null : <th>Actions</th>}
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <tr key={keyOf(entry)}>
            {columns.map(({ cell, isCut, title }) => (
              <td key={title} data-title={title}>
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
  )
}
