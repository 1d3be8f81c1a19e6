// A button that copies a text.
import { useRef, useState } from "preact/hooks"

interface Props {
  readonly text: () => string
  readonly children: string
}

/** Pages without TLS have no clipboard, but can copy what is selected. */
const copied = async (text: string, field: HTMLTextAreaElement): Promise<boolean> => {
  if (isSecureContext) return navigator.clipboard.writeText(text).then(() => true, () => false)
  field.hidden = false
  field.value = text
  field.select()
  return document.execCommand("copy")
}

export const Copy = ({ children, text }: Props) => {
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
      <button type="button" onClick={() => void copy()}>{state === "copied" ? "Copied" : children}</button>
      {state === "refused" ? <span class="problem">The browser does not copy. Copy the text yourself:</span> : null}
      <textarea ref={field} class="copied" aria-label="Text to copy" readOnly hidden />
    </>
  )
}
