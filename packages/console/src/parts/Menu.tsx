// A button with further actions. They are over everything else, and close by Escape, by a press elsewhere or by one of
// them.
import { Ellipsis } from "lucide"
import type { ComponentChildren } from "preact"
import { useId, useRef } from "preact/hooks"
import { Icon } from "./Icon.tsx"

interface Props {
  readonly label: string
  readonly children: ComponentChildren
}

export const Menu = ({ children, label }: Props) => {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const place = () => {
    const [at, shown] = [button.current?.getBoundingClientRect(), list.current]
    if (at === undefined || shown === null) return
    const { offsetHeight, offsetWidth } = shown
    const fitsBelow = at.bottom + offsetHeight < innerHeight
    shown.style.top = `${Math.max(0, fitsBelow ? at.bottom : at.top - offsetHeight)}px`
    shown.style.left = `${Math.max(0, at.right - offsetWidth)}px`
  }
  return (
    <>
      <button ref={button} type="button" class="icon-button menu-button" aria-label={label} popovertarget={id}>
        <Icon of={Ellipsis} />
      </button>
      <div
        ref={list}
        id={id}
        class="menu"
        popover="auto"
        onToggle={({ currentTarget }) => {
          if (currentTarget.matches(":popover-open")) place()
        }}
        onClick={({ currentTarget }) => currentTarget.hidePopover()}
      >
        {children}
      </div>
    </>
  )
}
