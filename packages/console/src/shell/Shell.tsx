// The frame of all pages: the sidebar, and the page beside it. On a narrow screen the sidebar is a drawer.
import { Menu, Search } from "lucide"
import type { FunctionComponent } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { pageAt } from "../pages.ts"
import { Drawer } from "../parts/Drawer.tsx"
import { Empty } from "../parts/Empty.tsx"
import { IconButton } from "../parts/Icon.tsx"
import { Problem } from "../parts/Problem.tsx"
import { database, href, route } from "../Route.ts"
import { isServed } from "../service/Caller.ts"
import { info, isAway, slowReads } from "../service/Service.ts"
import { Mark } from "./Mark.tsx"
import { moduleOf } from "./pageModules.ts"
import { Palette } from "./Palette.tsx"
import { Shortcuts } from "./Shortcuts.tsx"
import { Sidebar } from "./Sidebar.tsx"

export const Away = () =>
  isAway.value
    ? <p class="away" role="status">The service does not respond. Trying again …</p>
    : slowReads.value > 0
    ? <p class="away" role="status">The service has not responded for some seconds. Waiting …</p>
    : null

interface Loaded {
  /** Undefined: nothing is loaded yet. */
  readonly load?: ReturnType<typeof moduleOf>
  readonly Page?: FunctionComponent
  readonly problem?: unknown
}

/** Whether the service has another build of the console than this page, with other files. */
const isOutdated = async (): Promise<boolean> => {
  const [script] = document.scripts
  const response = await fetch(globalThis.location.pathname).catch(() => undefined)
  const name = script?.src.split("/").at(-1)
  return response?.ok === true && name !== undefined && !(await response.text()).includes(name)
}

/** Milliseconds without a page after which it is shown that one is loaded. */
const patience = 300

const Loading = () => {
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), patience)
    return () => clearTimeout(timer)
  }, [])
  return isLong ? <p class="quiet page" role="status">Loading …</p> : null
}

/** The page of the address. */
const CurrentPage = () => {
  const { path } = route.value
  const load = isServed(path[0] ?? "chat") ? moduleOf(path) : undefined
  const [loaded, setLoaded] = useState<Loaded>({})
  useEffect(() => {
    let isWanted = true
    load?.().then(
      (Page) => isWanted ? setLoaded({ load, Page }) : undefined,
      async () => {
        // what was typed is kept in the tab
        if (await isOutdated()) globalThis.location.reload()
        else if (isWanted) setLoaded({ load, problem: new Error("This page could not be loaded") })
      }
    )
    return () => {
      isWanted = false
    }
  }, [load])
  if (load === undefined) {
    return (
      <Empty title="There is no such page">
        <a href={href(["chat"])}>Open the chat</a>, or choose a page from the menu.
      </Empty>
    )
  }
  if (loaded.problem !== undefined && loaded.load === load) {
    return (
      <section class="page">
        <Problem error={loaded.problem} />
        <button type="button" onClick={() => globalThis.location.reload()}>Load the console again</button>
      </section>
    )
  }
  const { Page } = loaded
  return Page === undefined || loaded.load !== load
    ? <Loading key={path[0]} />
    : <Page key={database.value} />
}

export const Shell = () => {
  const { path } = route.value
  const [isSearching, setSearching] = useState(false)
  const [isMenuOpen, setMenuOpen] = useState(false)
  const content = useRef<HTMLElement>(null)
  const isFirst = useRef(true)
  useEffect(() => {
    // what had the focus may have gone with the page before: the next key starts in the new one
    if (!isFirst.current && document.activeElement === document.body) content.current?.focus({ preventScroll: true })
    isFirst.current = false
  }, [path.join("/")])
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      event.preventDefault()
      document.querySelectorAll<HTMLDialogElement>("dialog[open]:not(.palette)").forEach((dialog) => dialog.close())
      setSearching((isOpen) => !isOpen)
    }
    addEventListener("keydown", press)
    return () => removeEventListener("keydown", press)
  }, [])
  const title = pageAt(path[0] ?? "chat")?.title
  const titles = [...(path.length < 2 ? [] : path.slice(-1)), ...(title === undefined ? [] : [title])]
  useEffect(() => {
    document.title = [...titles, info.value?.name ?? "Svc"].join(" · ")
  }, [titles.join("/"), info.value])
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
      <header class="sidebar">
        <Sidebar search={() => setSearching(true)} />
      </header>
      <header class="top">
        <IconButton of={Menu} label="Menu" onClick={() => setMenuOpen(true)} />
        <Mark size={20} />
        <strong>{title ?? info.value?.name ?? "Svc"}</strong>
        <IconButton of={Search} label="Search" onClick={() => setSearching(true)} />
      </header>
      <p class="hidden" role="status">{titles.join(", ")}</p>
      <div class="body">
        <Away />
        <main id="content" ref={content} tabIndex={-1}>
          <CurrentPage />
        </main>
      </div>
      {isMenuOpen
        ? (
          <Drawer title="Menu" name="sidebar" close={() => setMenuOpen(false)}>
            <Sidebar
              search={() => {
                setMenuOpen(false)
                setSearching(true)
              }}
            />
          </Drawer>
        )
        : null}
      <Palette isOpen={isSearching} close={() => setSearching(false)} />
      <Shortcuts />
    </>
  )
}
