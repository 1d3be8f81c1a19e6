// A panel over the page, for narrow screens. It closes by Escape, its button, or a press beside it.
import { X } from "lucide"
import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { route } from "../Route.ts"
import { IconButton } from "./Icon.tsx"

interface Props {
  readonly title: string
  readonly name: string
  readonly close: () => void
  readonly children: ComponentChildren
}

export const Drawer = ({ children, close, name, title }: Props) => {
  const place = useRef<HTMLDialogElement>(null)
  const opened = useRef(route.value)
  useEffect(() => place.current?.showModal(), [])
  // a page was chosen in it
  useEffect(() => {
    if (route.value !== opened.current) close()
  }, [route.value])
  return (
    <dialog
      class={`drawer ${name}`}
      ref={place}
      aria-label={title}
      onClose={close}
      onClick={({ target }) => {
        if (target === place.current) close()
      }}
    >
      <IconButton of={X} label={`Close: ${title}`} onClick={close} />
      {children}
    </dialog>
  )
}
