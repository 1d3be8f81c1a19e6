// Filters of a list. They are in the address, so that a view can be shared.
import type { Kind } from "@svc-runtime/client"
import { useId } from "preact/hooks"
import { query, route } from "../Route.ts"
import { loadComponents } from "../service/components.ts"
import { useLoaded } from "../service/useLoaded.ts"

export interface Filter {
  readonly name: string
  readonly title: string
  /** Texts are free where there are none. */
  readonly choices?: ReadonlyArray<string>
  /** For choices that are ids. */
  readonly titles?: ReadonlyMap<string, string>
  /** What the list is filtered by when the address has none. The page reads `any` as no filter. */
  readonly initial?: string
  /** One of the choices is always taken. */
  readonly isRequired?: boolean
  /** The components whose ids are suggested. */
  readonly components?: ReadonlyArray<Kind>
  /** It is shown when it is wanted, or when it is set. */
  readonly isRare?: boolean
}

const Suggestions = ({ id, of }: { readonly id: string; readonly of: ReadonlyArray<Kind> }) => {
  const { value = [] } = useLoaded((signal) => loadComponents(signal).catch(() => []), [])
  return (
    <datalist id={id}>
      {value.filter(({ kind }) => of.includes(kind)).map(({ id, kind, name }) => (
        <option key={`${kind} ${id}`} value={id ?? ""}>{name ?? id}</option>
      ))}
    </datalist>
  )
}

const set = (name: string, value: string) => query({ [name]: value, page: undefined })

const Field = ({ filter, isFirst }: { readonly filter: Filter; readonly isFirst: boolean }) => {
  const { choices, components, initial = "", isRequired = false, name, title, titles } = filter
  const list = useId()
  const value = route.value.query[name]
  return (
    <label>
      {title}
      {choices === undefined
        ? (
          <input
            type="search"
            value={value ?? ""}
            data-first={isFirst}
            {...(components === undefined ? {} : { list })}
            onChange={(event) => set(name, event.currentTarget.value.trim())}
          />
        )
        : (
          <select value={value ?? initial} onChange={(event) => set(name, event.currentTarget.value)}>
            {isRequired ? null : <option value={initial === "" ? "" : "any"}>any</option>}
            {choices.map((choice) => (
              <option key={choice} value={choice}>{titles?.get(choice) ?? choice.toLowerCase()}</option>
            ))}
          </select>
        )}
      {components === undefined ? null : <Suggestions id={list} of={components} />}
    </label>
  )
}

export const Filters = ({ filters }: { readonly filters: ReadonlyArray<Filter> }) => {
  const isHidden = ({ isRare, name }: Filter) => isRare === true && route.value.query[name] === undefined
  const first = filters.find(({ choices }) => choices === undefined)
  const shown = (filter: Filter) => <Field key={filter.name} filter={filter} isFirst={filter === first} />
  const rare = filters.filter(isHidden)
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      {filters.filter((filter) => !isHidden(filter)).map(shown)}
      {rare.length === 0 ? null : (
        <details class="more">
          <summary>More filters</summary>
          <div class="filters">{rare.map(shown)}</div>
        </details>
      )}
    </form>
  )
}
