// A button that copies a text.
import { Check, Copy as CopyIcon } from "lucide"
import { useRef, useState } from "preact/hooks"
import { IconButton } from "./Icon.tsx"

type Props =
  & { readonly text: () => string }
  & (
    | { readonly children: string; readonly label?: undefined }
    /** A button that is an icon. */
    | { readonly label: string; readonly children?: undefined }
  )

/** Pages without TLS have no clipboard, but can copy what is selected. */
const copied = async (text: string, field: HTMLTextAreaElement): Promise<boolean> => {
  if (isSecureContext) return navigator.clipboard.writeText(text).then(() => true, () => false)
  field.hidden = false
  field.value = text
  field.select()
  return document.execCommand("copy")
}

export const Copy = ({ children, label, text }: Props) => {
  const [state, setState] = useState<"copied" | "refused" | undefined>(undefined)
  const field = useRef<HTMLTextAreaElement>(null)
  const copy = async () => {
    const { current } = field
    if (current === null) return
    const isCopied = await copied(text(), current)
    current.hidden = isCopied
    if (!isCopied) current.value = text()
    setState(isCopied ? "copied" : "refused")
  }
  return (
    <>
      {label === undefined
        ? <button type="button" onClick={() => void copy()}>{state === "copied" ? "Copied" : children}</button>
        : (
          <IconButton
            of={state === "copied" ? Check : CopyIcon}
            label={state === "copied" ? "Copied" : label}
            onClick={() => void copy()}
          />
        )}
      {state === "refused" ? <span class="problem">The browser does not copy. Copy the text yourself:</span> : null}
      <textarea ref={field} class="copied" aria-label="Text to copy" readOnly hidden />
    </>
  )
}
