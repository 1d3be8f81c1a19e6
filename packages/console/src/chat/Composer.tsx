// Where the person writes. What is typed stays for the tab, until it is sent.
import type { ComponentChildren } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"

interface Shown {
  /** Under this name the draft is kept. */
  readonly draft: string
  readonly isExecuting: boolean
  readonly send: (text: string, files: ReadonlyArray<File>) => void
  readonly stop: () => void
  readonly children?: ComponentChildren
}

export const Composer = ({ children, draft, isExecuting, send, stop }: Shown) => {
  const key = `svc.draft.${draft}`
  const [text, setText] = useState(sessionStorage.getItem(key) ?? "")
  const [files, setFiles] = useState<ReadonlyArray<File>>([])
  const picker = useRef<HTMLInputElement>(null)
  useEffect(() => setText(sessionStorage.getItem(key) ?? ""), [key])
  const change = (next: string) => {
    setText(next)
    if (next === "") sessionStorage.removeItem(key)
    else if (next.length < 100_000) sessionStorage.setItem(key, next)
  }
  const submit = () => {
    if (isExecuting || (text.trim() === "" && files.length === 0)) return
    send(text, files)
    change("")
    setFiles([])
  }
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      {children}
      <textarea
        aria-label="Message"
        placeholder="Message. Enter sends it, Shift+Enter starts a new line."
        rows={Math.min(10, Math.max(2, text.split("\n").length))}
        value={text}
        onInput={(event) => change(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.isComposing) return
          event.preventDefault()
          submit()
        }}
      />
      {files.length === 0 ? null : (
        <p class="files">
          {files.map((file) => (
            <button
              key={file.name}
              type="button"
              title="Remove the file"
              onClick={() => setFiles(files.filter((each) => each !== file))}
            >
              {file.name} ×
            </button>
          ))}
        </p>
      )}
      <p class="actions">
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          onChange={(event) => setFiles([...files, ...event.currentTarget.files ?? []])}
        />
        <button type="button" onClick={() => picker.current?.click()}>Attach files</button>
        {isExecuting
          ? <button type="button" class="stop" onClick={stop}>Stop</button>
          : <button class="primary" disabled={text.trim() === "" && files.length === 0}>Send</button>}
      </p>
    </form>
  )
}
