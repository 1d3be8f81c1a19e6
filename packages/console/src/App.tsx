// The frame of all pages.
import type { FunctionComponent } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { ApprovalsPage } from "./approvals/ApprovalsPage.tsx"
import { ChatPage } from "./chat/ChatPage.tsx"
import { Empty } from "./parts/Empty.tsx"
import { Problem } from "./parts/Problem.tsx"
import { resourcePageOf, resourcePages } from "./resourcePages.ts"
import { database, go, href, route } from "./Route.ts"
import { RunPage } from "./runs/RunPage.tsx"
import { RunsPage } from "./runs/RunsPage.tsx"
import { caller, decisions, features, isServed, mayOpen } from "./service/Caller.ts"
import { databases, enter, info, isAway, isRefused, signOut, slowReads, svc, token } from "./service/Service.ts"
import { SignIn } from "./service/SignIn.tsx"
import { useLoaded } from "./service/useLoaded.ts"
import { Shortcuts } from "./Shortcuts.tsx"
import { WorkflowsPage } from "./workflows/WorkflowsPage.tsx"

// The menu of the pages that do not fit into the header. It closes by Escape, and when a page is chosen.

const More = () => {
  const place = useRef<HTMLDetailsElement>(null)
  const { path: [name] } = route.value
  const current = resourcePages.find(({ path }) => path === name)
  const close = () => place.current?.removeAttribute("open")
  useEffect(() => {
    const closeOutside = ({ target }: Event) => {
      if (!place.current?.contains(target as Node)) close()
    }
    addEventListener("pointerdown", closeOutside)
    addEventListener("focusin", closeOutside)
    return () => {
      removeEventListener("pointerdown", closeOutside)
      removeEventListener("focusin", closeOutside)
    }
  }, [])
  return (
    <details
      class="more"
      ref={place}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return
        close()
        place.current?.querySelector("summary")?.focus()
      }}
    >
      <summary>{current === undefined ? "More" : `More: ${current.title}`}</summary>
      <ul>
        {resourcePages.filter(({ path }) => mayOpen(path)).map(({ path, title }) => (
          <li key={path}>
            <a href={href([path])} onClick={close} {...(path === name ? { "aria-current": "page" as const } : {})}>
              {title}
            </a>
          </li>
        ))}
      </ul>
    </details>
  )
}

const pages: ReadonlyArray<readonly [path: string, title: string]> = [
  ["chat", "Chat"],
  ["runs", "Runs"],
  ["approvals", "Approvals"],
  ["workflows", "Workflows"]
]

const pageOf = (path: ReadonlyArray<string>): FunctionComponent | undefined => {
  const [name = "chat", id] = path
  if (!isServed(name)) return undefined
  switch (name) {
    case "chat":
      return ChatPage
    case "runs":
      return id === undefined ? RunsPage : RunPage
    case "workflows":
      return WorkflowsPage
    case "approvals":
      return ApprovalsPage
    default:
      return resourcePageOf(path)
  }
}

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

const Away = () =>
  isAway.value
    ? <p class="away" role="status">The service does not respond. Trying again …</p>
    : slowReads.value > 0
    ? <p class="away" role="status">The service has not responded for some seconds. Waiting …</p>
    : null

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

/** Stays while the person signs in again, with what was typed. */
const Pages = () => {
  const { path } = route.value
  const Page = pageOf(path)
  const content = useRef<HTMLElement>(null)
  const isFirst = useRef(true)
  useEffect(() => {
    // what had the focus may have gone with the page before: the next key starts in the new one
    if (!isFirst.current && document.activeElement === document.body) content.current?.focus({ preventScroll: true })
    isFirst.current = false
  }, [path.join("/")])
  return (
    <>
      <a
        class="skip"
        href="#content"
        onClick={(event) => {
          event.preventDefault()
          document.getElementById("content")?.focus()
        }}
      >
        Skip to the page
      </a>
      <header>
        <strong>{info.value?.name ?? "Svc"}</strong>
        <nav aria-label="Pages">
          {pages.filter(([name]) => mayOpen(name)).map(([name, title]) => (
            <a
              key={name}
              href={href([name])}
              {...((path[0] ?? "chat") === name ? { "aria-current": "page" as const } : {})}
            >
              {title}
              {name === "approvals" ? <Waiting /> : null}
            </a>
          ))}
          <More />
        </nav>
        <DatabaseChoice />
        {token.value === undefined ? null : <button type="button" onClick={signOut}>Sign out</button>}
      </header>
      <Away />
      <main id="content" ref={content} tabIndex={-1}>
        {Page === undefined
          ? <Empty title="There is no such page">Choose one above.</Empty>
          : <Page key={database.value} />}
      </main>
      <Shortcuts />
    </>
  )
}

const Entered = () => {
  const { problem, reload, value } = useLoaded((signal) => svc().system.caller({ signal }), [token.value])
  useEffect(() => {
    if (value !== undefined) enter(value)
  }, [value])
  const isOut = isRefused.value
  return (
    <>
      {isOut ? <SignIn /> : null}
      {caller.value === undefined
        ? isOut ? null : <Problem error={problem} retry={reload} />
        : (
          <div key={caller.value.user_id} class="entered" hidden={isOut}>
            <Pages />
          </div>
        )}
    </>
  )
}

export const App = () => {
  const { problem, reload, value } = useLoaded((signal) => svc().system.info({ signal }), [])
  useEffect(() => {
    if (value === undefined) return
    if (value.auth_mode !== "none" && token.value === undefined) isRefused.value = true
    features.value = value.features
    info.value = value
    document.title = value.name ?? "Svc"
  }, [value])
  if (info.value !== undefined) return <Entered />
  return (
    <main>
      {problem === undefined ? <Away /> : null}
      <Problem error={problem} retry={reload} />
    </main>
  )
}
