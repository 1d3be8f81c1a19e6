// The menu of the pages that do not fit into the header. It closes by Escape, and when a page is chosen.
import { useEffect, useRef } from "preact/hooks"
import { resourcePages } from "./resourcePages.ts"
import { href, route } from "./Route.ts"
import { mayOpen } from "./service/Caller.ts"

export const More = () => {
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
