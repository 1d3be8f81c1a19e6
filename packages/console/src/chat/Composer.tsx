// Where the person writes. What is typed stays for the tab, until it is sent.
import type { ComponentChildren } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"

interface Shown {
  /** Under this name the draft is kept. A new conversation gets another name with its session. */
  readonly draft: string
  readonly conversation: object
  readonly isExecuting: boolean
  /** Calls `accepted` when the service has the message. */
  readonly send: (text: string, files: ReadonlyArray<File>, accepted: () => void) => void
  readonly stop: () => void
  readonly children?: ComponentChildren
}

export const Composer = ({ children, conversation, draft, isExecuting, send, stop }: Shown) => {
  const key = `svc.draft.${draft}`
  const [text, setText] = useState(sessionStorage.getItem(key) ?? "")
  const [files, setFiles] = useState<ReadonlyArray<File>>([])
  const picker = useRef<HTMLInputElement>(null)
  const before = useRef({ conversation, key })
  useEffect(() => {
    const { current } = before
    before.current = { conversation, key }
    if (current.key === key) return
    if (current.conversation !== conversation) return setText(sessionStorage.getItem(key) ?? "")
    sessionStorage.removeItem(current.key)
    change(text)
  }, [key, conversation])
  const change = (next: string) => {
    setText(next)
    if (next === "") sessionStorage.removeItem(key)
    else if (next.length < 100_000) sessionStorage.setItem(key, next)
  }
  const submit = () => {
    if (isExecuting || (text.trim() === "" && files.length === 0)) return
    // the draft stays until the service has the message: the person may have to sign in first
    send(text, files, () => {
      if (sessionStorage.getItem(key) === text) sessionStorage.removeItem(key)
    })
    setText("")
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
