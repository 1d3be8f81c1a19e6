// What a page says where it has nothing to show.
import type { IconNode } from "lucide"
import type { ComponentChildren } from "preact"
import { Icon } from "./Icon.tsx"

interface Props {
  readonly title: string
  readonly icon?: IconNode | undefined
  readonly children?: ComponentChildren
}

export const Empty = ({ children, icon, title }: Props) => (
  <div class="empty">
    {icon === undefined ? null : <Icon of={icon} size={40} />}
    <p class="title">{title}</p>
    <div>{children}</div>
  </div>
)
