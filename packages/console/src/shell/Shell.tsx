// The frame of all pages: the sidebar, and the page beside it. On a narrow screen the sidebar is a drawer.
import { Menu, Search } from "lucide"
import type { FunctionComponent } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { Drawer } from "../parts/Drawer.tsx"
import { Empty } from "../parts/Empty.tsx"
import { IconButton } from "../parts/Icon.tsx"
import { Problem } from "../parts/Problem.tsx"
import { database, href, route } from "../Route.ts"
import { isServed } from "../service/Caller.ts"
import { info, isAway, slowReads } from "../service/Service.ts"
import { Mark } from "./Mark.tsx"
import { moduleOf } from "./pageModules.ts"
import { pageAt } from "./pages.ts"
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
  readonly name: string
  readonly Page?: FunctionComponent
  readonly problem?: unknown
}

/** The page of the address. A newer build of the console has other files: then the page must be loaded anew. */
const CurrentPage = () => {
  const { path } = route.value
  const load = isServed(path[0] ?? "chat") ? moduleOf(path) : undefined
  const name = `${path[0] ?? "chat"} ${path.length > 1}`
  const [loaded, setLoaded] = useState<Loaded>({ name: "" })
  useEffect(() => {
    let isWanted = true
    load?.().then(
      (Page) => isWanted ? setLoaded({ name, Page }) : undefined,
      () => isWanted ? setLoaded({ name, problem: new Error("This page could not be loaded") }) : undefined
    )
    return () => {
      isWanted = false
    }
  }, [name])
  if (load === undefined) {
    return (
      <Empty title="There is no such page">
        <a href={href(["chat"])}>Open the chat</a>, or choose a page from the menu.
      </Empty>
    )
  }
  if (loaded.problem !== undefined && loaded.name === name) {
    return (
      <section class="page">
        <Problem error={loaded.problem} />
        <button type="button" onClick={() => globalThis.location.reload()}>Load the console again</button>
      </section>
    )
  }
  const { Page } = loaded
  return Page === undefined || loaded.name !== name ? null : <Page key={database.value} />
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
      setSearching((isOpen) => !isOpen)
    }
    addEventListener("keydown", press)
    return () => removeEventListener("keydown", press)
  }, [])
  const title = pageAt(path[0] ?? "chat")?.title
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
