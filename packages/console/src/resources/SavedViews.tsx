// Filters of a list that a person has given a name. They stay in this browser.
import { signal } from "@preact/signals"
import { X } from "lucide"
import { useState } from "preact/hooks"
import { IconButton } from "../parts/Icon.tsx"
import { href, route } from "../Route.ts"
import { inBrowser } from "../storage.ts"

interface View {
  /** The page that it is of. */
  readonly page: string
  readonly name: string
  readonly query: Readonly<Record<string, string>>
}

const key = "svc.views"

const isView = (value: unknown): value is View =>
  typeof value === "object" && value !== null && "page" in value && typeof value.page === "string" &&
  "name" in value && typeof value.name === "string" &&
  "query" in value && typeof value.query === "object" && value.query !== null &&
  Object.values(value.query).every((each) => typeof each === "string")

const stored = (): ReadonlyArray<View> => {
  try {
    const value: unknown = JSON.parse(inBrowser.get(key) ?? "[]")
    return Array.isArray(value) ? value.filter(isView) : []
  } catch {
    return []
  }
}

const views = signal(stored())

/** Whether the browser has room for them. */
const keep = (next: ReadonlyArray<View>): boolean => {
  views.value = next
  return inBrowser.set(key, JSON.stringify(next))
}

export const SavedViews = () => {
  const { path: [page = ""], query: { page: _, ...query } } = route.value
  const [name, setName] = useState<string | undefined>(undefined)
  const [isLost, setLost] = useState(false)
  const here = href([page], query)
  const own = views.value.filter((view) => view.page === page)
  const isSaved = own.some((view) => href([page], view.query) === here)
  const canSave = Object.keys(query).some((each) => each !== "db_id") && !isSaved
  return own.length === 0 && !canSave ? null : (
    <div class="views">
      {own.map((view) => (
        <span class="view" key={view.name}>
          <a href={href([page], view.query)} aria-current={href([page], view.query) === here ? "true" : undefined}>
            {view.name}
          </a>
          <IconButton
            of={X}
            size={14}
            label={`Remove the view ${view.name}`}
            onClick={() => void keep(views.value.filter((each) => each !== view))}
          />
        </span>
      ))}
      {isLost ? <span class="problem">The browser has no room for views: this one ends with the page.</span> : null}
      {!canSave
        ? null
        : name === undefined
        ? <button type="button" onClick={() => setName("")}>Save this view</button>
        : (
          <form
            onSubmit={(event) => {
              event.preventDefault()
              const given = name.trim()
              if (given === "") return
              const isKept = keep([...views.value.filter((each) => each.page !== page || each.name !== given), {
                page,
                name: given,
                query
              }])
              setName(undefined)
              setLost(!isKept)
            }}
          >
            <input
              aria-label="Name of the view"
              placeholder="Name of the view"
              value={name}
              maxLength={60}
              ref={(field) => field?.focus()}
              onInput={(event) => setName(event.currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key === "Escape") setName(undefined)
              }}
            />
            <button type="submit" class="primary">Save</button>
          </form>
        )}
    </div>
  )
}
