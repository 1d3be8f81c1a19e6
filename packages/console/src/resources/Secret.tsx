// A token or a key that the service shows once.
import { Copy } from "../parts/Copy.tsx"

export const Secret = ({ title, value }: { readonly title: string; readonly value: string }) => (
  <div class="secret" role="status">
    <p>
      <strong>{title}</strong> It is shown only now: the service stores no copy that can be read.
    </p>
    <code>{value}</code>
    <Copy
      text={() =>
        value}
    >
      Copy
    </Copy>
  </div>
)
