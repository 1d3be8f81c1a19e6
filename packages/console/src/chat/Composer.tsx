// Where the person writes. What is typed stays for the tab, until it is sent.
import { ArrowUp, Mic, MicOff, Paperclip, Square, X } from "lucide"
import type { ComponentChildren } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { Icon, IconButton } from "../parts/Icon.tsx"
import { inTab } from "../storage.ts"

// What a browser understands of a voice, where it can.
interface Recognition {
  lang: string
  continuous: boolean
  onresult: ((event: { readonly results: ArrayLike<ArrayLike<{ readonly transcript: string }>> }) => void) | null
  onend: (() => void) | null
  readonly start: () => void
  readonly stop: () => void
}

const recognitionOf = (): (new() => Recognition) | undefined => {
  const found: unknown = Reflect.get(globalThis, "SpeechRecognition") ??
    Reflect.get(globalThis, "webkitSpeechRecognition")
  return typeof found === "function" ? found as new() => Recognition : undefined
}

interface VoiceProps {
  readonly before: string
  readonly change: (text: string) => void
}

/** Writes what the person says. The browser listens, and it may ask a service of its maker. */
const Voice = ({ before, change }: VoiceProps) => {
  const [listening, setListening] = useState<Recognition | undefined>(undefined)
  useEffect(() => () => listening?.stop(), [listening])
  const Recognizer = recognitionOf()
  if (Recognizer === undefined) return null
  const listen = () => {
    const recognition = new Recognizer()
    recognition.lang = navigator.language
    recognition.continuous = true
    recognition.onresult = ({ results }) =>
      change(
        [before.trimEnd(), ...Array.from(results, (result) => result[0]?.transcript.trim() ?? "")].filter(Boolean).join(
          " "
        )
      )
    recognition.onend = () => setListening(undefined)
    recognition.start()
    setListening(recognition)
  }
  return (
    <IconButton
      of={listening === undefined ? Mic : MicOff}
      label={listening === undefined ? "Speak" : "Stop listening"}
      size={18}
      isPressed={listening !== undefined}
      onClick={() => listening === undefined ? listen() : listening.stop()}
    />
  )
}

/** A file that is chosen, an image with its picture. */
const Chosen = ({ file, remove }: { readonly file: File; readonly remove: () => void }) => {
  const [picture, setPicture] = useState<string | undefined>(undefined)
  useEffect(() => {
    if (!file.type.startsWith("image/")) return
    const url = URL.createObjectURL(file)
    setPicture(url)
    return () => URL.revokeObjectURL(url)
  }, [file])
  return (
    <button type="button" title="Remove the file" onClick={remove}>
      {picture === undefined ? <Icon of={Paperclip} /> : <img src={picture} alt="" />} {file.name} <Icon of={X} />
    </button>
  )
}

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
  inTab.remove(key)
  // without room it is still in its field
  if (text !== "") inTab.set(key, text)
}

export const Composer = ({ children, conversation, draft, form, isExecuting, send, stop }: Props) => {
  const key = `svc.draft.${draft}`
  const [text, setText] = useState(inTab.get(key) ?? "")
  const [files, setFiles] = useState<ReadonlyArray<File>>([])
  const picker = useRef<HTMLInputElement>(null)
  const before = useRef({ conversation, key })
  useEffect(() => {
    const { current } = before
    before.current = { conversation, key }
    if (current.conversation !== conversation) setFiles([])
    if (current.key === key) return
    if (current.conversation !== conversation) return setText(inTab.get(key) ?? "")
    inTab.remove(current.key)
    change(text)
  }, [key, conversation])
  const change = (next: string) => {
    setText(next)
    keep(key, next)
  }
  const attach = (chosen: FileList | null | undefined): boolean => {
    if (chosen === null || chosen === undefined || chosen.length === 0) return false
    setFiles([...files, ...chosen])
    return true
  }
  const isReady = form === undefined ? text.trim() !== "" || files.length > 0 : form.isComplete
  const submit = () => {
    if (isExecuting || !isReady) return
    // the draft stays until the service has the message: the person may have to sign in first
    send(text, files, () => {
      if (inTab.get(key) === text) inTab.remove(key)
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
      <div
        class="box"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          if (attach(event.dataTransfer?.files)) event.preventDefault()
        }}
        onPaste={(event) => {
          if (attach(event.clipboardData?.files)) event.preventDefault()
        }}
      >
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
            {files.map((file, index) => (
              <Chosen
                key={`${index} ${file.name}`}
                file={file}
                remove={() => setFiles(files.filter((each) => each !== file))}
              />
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
              attach(input.files)
              // the same file can be chosen again after it was removed
              input.value = ""
            }}
          />
          <IconButton of={Paperclip} label="Attach files" size={18} onClick={() => picker.current?.click()} />
          {form === undefined ? <Voice before={text} change={change} /> : null}
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
