// The sessions of a component, beside the conversation. Only those on the screen are drawn.
import type { SessionSchema } from "@svc-runtime/client"
import { useEffect, useRef, useState } from "preact/hooks"
import { Virtualizer, type VirtualizerHandle } from "virtua"
import { Menu } from "../parts/Menu.tsx"
import { Problem } from "../parts/Problem.tsx"
import { Time } from "../parts/Time.tsx"
import { go, href } from "../Route.ts"
import { may } from "../service/Caller.ts"
import { type Conversing, isConversing } from "../service/components.ts"
import { svc, untilAccepted } from "../service/Service.ts"
import type { Target } from "./Conversation.ts"
import { useSessions } from "./useSessions.ts"

/** Pixels before the end of the list at which the next page is read. */
const ahead = 600

interface NewNameProps {
  readonly before: string
  readonly rename: (name: string) => void
  readonly cancel: () => void
}

/** What is typed stays when the list is read again. */
const NewName = ({ before, cancel, rename }: NewNameProps) => {
  const [name, setName] = useState(before)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    // the menu gives the focus back to its button first
    const frame = requestAnimationFrame(() => field.current?.select())
    return () => cancelAnimationFrame(frame)
  }, [])
  return (
    <input
      aria-label="New name"
      ref={field}
      value={name}
      onInput={(event) => setName(event.currentTarget.value)}
      onBlur={cancel}
      onKeyDown={(event) => {
        if (event.key === "Escape") cancel()
        if (event.key === "Enter" && !event.isComposing) rename(name)
      }}
    />
  )
}

interface EntryProps {
  readonly target: Target
  readonly entry: SessionSchema
  readonly isCurrent: boolean
  readonly change: (run: () => Promise<unknown>, deleted?: string) => void
}

const Entry = (
  { change, entry: { session_id, session_name, updated_at }, isCurrent, target: { id, kind } }: EntryProps
) => {
  const [isRenaming, setRenaming] = useState(false)
  const [mayWrite, mayDelete, mayRun] = [may("sessions:write"), may("sessions:delete"), may(`${kind}s:run`, id)]
  const fork = (kind: Conversing) =>
    svc()[kind](id).fork(session_id).then(({ session_id: copy }) => go(href(["chat", kind, id], { session: copy })))
  /** Every caller who may read the session can open it. */
  const copyLink = () =>
    navigator.clipboard.writeText(new URL(href(["chat", kind, id], { session: session_id }), location.href).href)
  const save = (as: "saveJson" | "saveMarkdown") =>
    change(() => import("./exports.ts").then((exports) => exports[as](session_id, session_name)))
  const remove = () => {
    if (!confirm(`Delete the session "${session_name}" with its runs?`)) return
    const leave = () => isCurrent ? go(href(["chat", kind, id])) : undefined
    change(() => svc().sessions.delete(session_id).then(leave), session_id)
  }
  return (
    <div class={isCurrent ? "session current" : "session"}>
      {isRenaming
        ? (
          <NewName
            before={session_name}
            cancel={() => setRenaming(false)}
            rename={(name) => {
              setRenaming(false)
              change(() => svc().sessions.rename(session_id, { session_name: name }))
            }}
          />
        )
        : (
          <a
            href={href(["chat", kind, id], { session: session_id })}
            {...(isCurrent ? { "aria-current": "page" as const } : {})}
          >
            <span dir="auto">{session_name === "" ? session_id : session_name}</span>
            <Time value={updated_at} />
          </a>
        )}
      <Menu label={`Actions for ${session_name}`}>
        <button type="button" onClick={() => change(() => copyLink())}>Copy the link</button>
        <button type="button" onClick={() => save("saveMarkdown")}>Save as Markdown</button>
        <button type="button" onClick={() => save("saveJson")}>Save as JSON</button>
        {mayWrite ? <button type="button" onClick={() => setRenaming(true)}>Rename</button> : null}
        {mayRun && isConversing(kind)
          ? <button type="button" onClick={() => change(() => fork(kind))}>Fork</button>
          : null}
        {mayDelete ? <button type="button" class="danger" onClick={remove}>Delete</button> : null}
      </Menu>
    </div>
  )
}

interface Props {
  readonly target: Target
  readonly session: string | undefined
  /** Changes when the list must be read again. */
  readonly version: unknown
}

export const SessionList = ({ session, target, version }: Props) => {
  const [search, setSearch] = useState("")
  const { entries, problem, readMore, reload, total } = useSessions(target, search, version)
  const [failure, setFailure] = useState<unknown>(undefined)
  const list = useRef<VirtualizerHandle>(null)
  const change = (run: () => Promise<unknown>, deleted?: string) => {
    setFailure(undefined)
    void untilAccepted(run).then(() => reload(deleted), setFailure)
  }
  const scrolled = (offset: number) => {
    const { current } = list
    if (current !== null && current.scrollSize - offset - current.viewportSize < ahead) readMore()
  }
  return (
    <nav class="sessions" aria-label="Sessions">
      <h2>
        Conversations <span class="quiet count">{total.toLocaleString()}</span>
      </h2>
      <input
        type="search"
        aria-label="Search sessions by name"
        placeholder="Search by name"
        value={search}
        onInput={(event) => setSearch(event.currentTarget.value)}
      />
      <Problem
        error={failure ?? problem}
        retry={() => {
          setFailure(undefined)
          reload()
        }}
      />
      <div class="scroll">
        <Virtualizer ref={list} as="ul" item="li" onScroll={scrolled}>
          {entries.map((entry) => (
            <Entry
              key={entry.session_id}
              target={target}
              entry={entry}
              isCurrent={entry.session_id === session}
              change={change}
            />
          ))}
        </Virtualizer>
      </div>
    </nav>
  )
}
