// Where the person writes. What is typed stays for the tab, until it is sent.
import { ArrowUp, Paperclip, Square, X } from "lucide"
import type { ComponentChildren } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { Icon, IconButton } from "../parts/Icon.tsx"

interface Props {
  /** Under this name the draft is kept. A new conversation gets another name with its session. */
  readonly draft: string
  readonly conversation: object
  readonly isExecuting: boolean
  /** A form above is sent instead of a text, when it is complete. */
  readonly form?: { readonly isComplete: boolean } | undefined
  /** Calls `accepted` when the service has the message. */
  readonly send: (text: string, files: ReadonlyArray<File>, accepted: () => void) => void
  readonly stop: () => void
  readonly children?: ComponentChildren
}

/** A text that the tab has no room for is not kept in part. */
const keep = (key: string, text: string): void => {
  sessionStorage.removeItem(key)
  try {
    if (text !== "") sessionStorage.setItem(key, text)
  } catch {
    // it is still in its field
  }
}

export const Composer = ({ children, conversation, draft, form, isExecuting, send, stop }: Props) => {
  const key = `svc.draft.${draft}`
  const [text, setText] = useState(sessionStorage.getItem(key) ?? "")
  const [files, setFiles] = useState<ReadonlyArray<File>>([])
  const picker = useRef<HTMLInputElement>(null)
  const before = useRef({ conversation, key })
  useEffect(() => {
    const { current } = before
    before.current = { conversation, key }
    if (current.conversation !== conversation) setFiles([])
    if (current.key === key) return
    if (current.conversation !== conversation) return setText(sessionStorage.getItem(key) ?? "")
    sessionStorage.removeItem(current.key)
    change(text)
  }, [key, conversation])
  const change = (next: string) => {
    setText(next)
    keep(key, next)
  }
  const isReady = form === undefined ? text.trim() !== "" || files.length > 0 : form.isComplete
  const submit = () => {
    if (isExecuting || !isReady) return
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
      <div class="box">
        {form !== undefined ? null : (
          <textarea
            aria-label="Message"
            dir="auto"
            placeholder="Write a message"
            title="Enter sends it, Shift+Enter starts a new line"
            rows={Math.min(10, Math.max(1, text.split("\n").length))}
            value={text}
            onInput={(event) => change(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || event.shiftKey || event.isComposing) return
              event.preventDefault()
              submit()
            }}
          />
        )}
        {files.length === 0 ? null : (
          <p class="files">
            {files.map((file) => (
              <button
                key={file.name}
                type="button"
                title="Remove the file"
                onClick={() => setFiles(files.filter((each) => each !== file))}
              >
                <Icon of={Paperclip} /> {file.name} <Icon of={X} />
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
            onChange={({ currentTarget: input }) => {
              setFiles([...files, ...input.files ?? []])
              // the same file can be chosen again after it was removed
              input.value = ""
            }}
          />
          <IconButton of={Paperclip} label="Attach files" size={18} onClick={() => picker.current?.click()} />
          {isExecuting
            ? (
              <button type="button" class="stop round" aria-label="Stop" title="Stop" onClick={stop}>
                <Icon of={Square} />
              </button>
            )
            : (
              <button class="primary round" aria-label="Send" title="Send" disabled={!isReady}>
                <Icon of={ArrowUp} size={18} />
              </button>
            )}
        </p>
      </div>
    </form>
  )
}
