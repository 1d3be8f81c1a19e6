// All pages that the caller may open, in groups, and who the caller is.
import { LogOut, Moon, Search, Sun } from "lucide"
import { scheme, toggleScheme } from "../colours.ts"
import { groups, type PageEntry } from "../pages.ts"
import { Icon, IconButton } from "../parts/Icon.tsx"
import { database, go, href, route } from "../Route.ts"
import { caller, decisions, mayOpen } from "../service/Caller.ts"
import { databases, info, signOut, svc, token } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"
import { Mark } from "./Mark.tsx"

const minute = 60_000

/** How many decisions people owe. Without the scope, there is no number. */
const Waiting = () => {
  const { value } = useLoaded(
    (signal) => svc().approvals.count({}, { signal }).catch(() => undefined),
    [token.value, route.value.path[0], decisions.value],
    { every: minute / 4 }
  )
  return value === undefined || value.count === 0 ? null : <span class="badge">{value.count}</span>
}

const PageLink = ({ page: { icon, path, title } }: { readonly page: PageEntry }) => (
  <li>
    <a
      href={href([path])}
      {...((route.value.path[0] ?? "chat") === path ? { "aria-current": "page" as const } : {})}
    >
      <Icon of={icon} />
      {title}
      {path === "approvals" ? <Waiting /> : null}
    </a>
  </li>
)

/** Where the data of the pages is. Shown if there are several places. */
const DatabaseChoice = () =>
  databases.value.length < 2 ? null : (
    <select
      aria-label="Database"
      value={database.value}
      onChange={({ currentTarget: { value } }) => go(href([route.value.path[0] ?? "chat"], { db_id: value }))}
    >
      {databases.value.map((id) => <option key={id} value={id}>{id}</option>)}
    </select>
  )

const SchemeButton = () => {
  const isDark = scheme() === "dark"
  return (
    <IconButton of={isDark ? Sun : Moon} label={isDark ? "Light colours" : "Dark colours"} onClick={toggleScheme} />
  )
}

/** `search` opens the search. */
export const Sidebar = ({ search }: { readonly search: () => void }) => (
  <>
    <a class="brand" href={href(["chat"])}>
      <Mark />
      <strong>{info.value?.name ?? "Svc"}</strong>
    </a>
    <button type="button" class="search" onClick={search}>
      <Icon of={Search} /> Search <kbd>Ctrl K</kbd>
    </button>
    <nav aria-label="Pages">
      {groups.map(({ pages, title }) => {
        const shown = pages.filter((page) => mayOpen(page.path))
        return shown.length === 0 ? null : (
          <section key={title ?? ""}>
            {title === undefined ? null : <h2>{title}</h2>}
            <ul>{shown.map((page) => <PageLink key={page.path} page={page} />)}</ul>
          </section>
        )
      })}
    </nav>
    <div class="foot">
      <DatabaseChoice />
      <span class="who" title={caller.value?.user_id ?? undefined}>{caller.value?.user_id ?? ""}</span>
      <SchemeButton />
      {token.value === undefined ? null : <IconButton of={LogOut} label="Sign out" onClick={signOut} />}
    </div>
  </>
)
