// Where the person is, in the part of the address after `#`. The server sees none of it, so it holds behind any prefix.
import { signal } from "@preact/signals"

export interface Route {
  readonly path: ReadonlyArray<string>
  readonly query: Readonly<Record<string, string>>
}

export const parse = (hash: string): Route => {
  const [path = "", query = ""] = hash.replace(/^#?\/?/, "").split("?")
  return {
    path: path.split("/").filter((segment) => segment !== "").map(decodeSegment),
    query: Object.fromEntries(new URLSearchParams(query))
  }
}

const decodeSegment = (segment: string): string => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** The database whose data the pages show, if the service has several. Each address has it, so a link leads there. */
export const database = signal(new URLSearchParams(globalThis.location?.hash.split("?")[1]).get("db_id") ?? undefined)

/** The address of a page. Empty values are left out. */
export const href = (path: ReadonlyArray<string>, query: Readonly<Record<string, string | undefined>> = {}): string => {
  const search = new URLSearchParams()
  const all = database.value === undefined ? query : { db_id: database.value, ...query }
  for (const [name, value] of Object.entries(all)) if (value !== undefined && value !== "") search.set(name, value)
  const text = search.toString()
  return `#/${path.map(encodeURIComponent).join("/")}${text === "" ? "" : `?${text}`}`
}

export const route = signal(parse(globalThis.location?.hash ?? ""))

/** Keeps the route up to date. Called once. */
export const follow = (): void => {
  addEventListener("hashchange", () => {
    const next = parse(location.hash)
    // a link from elsewhere can lead to another database
    if (database.value !== undefined) database.value = next.query["db_id"] ?? database.value
    route.value = next
  })
}

/** The person has followed a link, and the browser has not reported it yet. */
const isLeaving = (): boolean => {
  const { path, query } = parse(location.hash)
  return href(path, query) !== href(route.value.path, route.value.query)
}

/** Goes to a page. `replace`: the page before is not in the history. */
export const go = (to: string, { replace = false } = {}): void => {
  if (replace) {
    history.replaceState(null, "", to)
    route.value = parse(location.hash)
  } else {
    location.hash = to
  }
}

/** Replaces the page by another one, unless the person has followed a link of it. */
export const redirect = (to: string): void => {
  if (!isLeaving()) go(to, { replace: true })
}

/** A whole number of a query. */
export const whole = (text: string | undefined): number | undefined =>
  /^\d+$/.test(text ?? "") ? Number(text) : undefined

/** Changes the query of this page, as a filter does. */
export const query = (changes: Readonly<Record<string, string | undefined>>): void =>
  redirect(href(route.value.path, { ...route.value.query, ...changes }))
