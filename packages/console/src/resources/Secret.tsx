// A token or a key that the service shows once.
import { useState } from "preact/hooks"

export const Secret = ({ title, value }: { readonly title: string; readonly value: string }) => {
  const [isCopied, setCopied] = useState(false)
  return (
    <div class="secret" role="status">
      <p>
        <strong>{title}</strong> It is shown only now: the service stores no copy that can be read.
      </p>
      <code>{value}</code>
      <button type="button" onClick={() => void navigator.clipboard.writeText(value).then(() => setCopied(true))}>
        {isCopied ? "Copied" : "Copy"}
      </button>
    </div>
  )
}
