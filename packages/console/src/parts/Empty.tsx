// What a page says where it has nothing to show.
import type { ComponentChildren } from "preact"

export const Empty = ({ children, title }: { readonly title: string; readonly children?: ComponentChildren }) => (
  <div class="empty">
    <p class="title">{title}</p>
    <p>{children}</p>
  </div>
)
