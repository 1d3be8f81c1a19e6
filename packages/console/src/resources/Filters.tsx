// Filters of a list. They are in the address, so that a view can be shared.
import { query, route } from "../Route.ts"

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
}

export const Filters = ({ filters }: { readonly filters: ReadonlyArray<Filter> }) => {
  const given = route.value.query
  const set = (name: string, value: string) => query({ [name]: value, page: undefined })
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      {filters.map(({ choices, initial = "", isRequired = false, name, title, titles }) => (
        <label key={name}>
          {title}
          {choices === undefined
            ? (
              <input
                type="search"
                value={given[name] ?? ""}
                data-first={name === filters.find((filter) => filter.choices === undefined)?.name}
                onChange={(event) => set(name, event.currentTarget.value.trim())}
              />
            )
            : (
              <select value={given[name] ?? initial} onChange={(event) => set(name, event.currentTarget.value)}>
                {isRequired ? null : <option value={initial === "" ? "" : "any"}>any</option>}
                {choices.map((choice) => (
                  <option key={choice} value={choice}>{titles?.get(choice) ?? choice.toLowerCase()}</option>
                ))}
              </select>
            )}
        </label>
      ))}
    </form>
  )
}
