// A panel over the page, for narrow screens. It closes by Escape, its button, or a press beside it.
import { X } from "lucide"
import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { IconButton } from "./Icon.tsx"

interface Props {
  readonly title: string
  readonly name: string
  readonly close: () => void
  readonly children: ComponentChildren
}

export const Drawer = ({ children, close, name, title }: Props) => {
  const place = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    place.current?.showModal()
    // the person goes back in the history
    addEventListener("hashchange", close)
    return () => removeEventListener("hashchange", close)
  }, [])
  // by the element itself, so that the focus returns to the button that has opened it
  const shut = () => place.current?.close()
  return (
    <dialog
      class={`drawer ${name}`}
      ref={place}
      aria-label={title}
      onClose={close}
      onClick={({ target }) => {
        // beside it, or on a page in it
        if (target === place.current || (target instanceof Element && target.closest("a") !== null)) shut()
      }}
    >
      <IconButton of={X} label={`Close: ${title}`} onClick={shut} />
      {children}
    </dialog>
  )
}
