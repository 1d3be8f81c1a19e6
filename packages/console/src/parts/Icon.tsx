// An icon of the set. It says nothing that the text beside it, or the name of its button, does not say.
import type { IconNode } from "lucide"
import { createElement } from "preact"

interface Props {
  readonly of: IconNode
  /** CSS pixels. */
  readonly size?: number
}

export const Icon = ({ of, size = 16 }: Props) => (
  <svg
    class="icon"
    viewBox="0 0 24 24"
    width={size}
    height={size}
    fill="none"
    stroke="currentColor"
    stroke-width="1.75"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    {of.map(([tag, attributes], index) => createElement(tag, { ...attributes, key: index }))}
  </svg>
)

interface ButtonProps extends Props {
  /** For people who do not see the icon. It is the tooltip too. */
  readonly label: string
  readonly onClick: () => void
  readonly isPressed?: boolean
  readonly isDisabled?: boolean
}

/** A button that is an icon. */
export const IconButton = ({ isDisabled = false, isPressed, label, of, onClick, size }: ButtonProps) => (
  <button
    type="button"
    class="icon-button"
    aria-label={label}
    title={label}
    disabled={isDisabled}
    {...(isPressed === undefined ? {} : { "aria-pressed": isPressed })}
    onClick={onClick}
  >
    <Icon of={of} {...(size === undefined ? {} : { size })} />
  </button>
)
