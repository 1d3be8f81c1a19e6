// The sessions of a component, beside the conversation.
import { useEffect, useState } from "preact/hooks"
import { Problem } from "../parts/Problem.tsx"
import { Time } from "../parts/Time.tsx"
import { go, href } from "../Route.ts"
import { may } from "../service/Caller.ts"
import { svc } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"
import type { Target } from "./Conversation.ts"

const pageSize = 30

interface Shown {
  readonly target: Target
  readonly session: string | undefined
  /** Changes when the list must be read again. */
  readonly version: unknown
}

export const SessionList = ({ session, target: { id, kind }, version }: Shown) => {
  const [search, setSearch] = useState("")
  const [limit, setLimit] = useState(pageSize)
  useEffect(() => setLimit(pageSize), [id, search])
  const { problem, reload, value } = useLoaded(
    (signal) =>
      svc().sessions.list({
        type: kind,
        component_id: id,
        ...(search === "" ? {} : { session_name: search }),
        limit,
        sort_by: "updated_at",
        sort_order: "desc"
      }, { signal }),
    [kind, id, search, limit, version]
  )
  const [failure, setFailure] = useState<unknown>(undefined)
  const [renamed, setRenamed] = useState<string | undefined>(undefined)
  const [mayWrite, mayDelete, mayRun] = [may("sessions:write"), may("sessions:delete"), may(`${kind}s:run`, id)]
  const change = (changing: Promise<unknown>) => changing.then(reload, setFailure)
  return (
    <nav class="sessions" aria-label="Sessions">
      <a class="button" href={href(["chat", kind, id])}>New conversation</a>
      <input
        type="search"
        aria-label="Search sessions by name"
        placeholder="Search"
        value={search}
        onInput={(event) => setSearch(event.currentTarget.value)}
      />
      <Problem error={failure ?? problem} retry={reload} />
      <ul>
        {value?.data.map(({ session_id, session_name, updated_at }) => (
          <li key={session_id} class={session_id === session ? "current" : ""}>
            {renamed === session_id
              ? (
                <input
                  aria-label="New name"
                  autoFocus
                  value={session_name}
                  onBlur={() => setRenamed(undefined)}
                  onKeyDown={(event) => {
                    if (event.key === "Escape") {
                      setRenamed(undefined)
                    }
                    if (event.key !== "Enter") {
                      return
                    }
                    setRenamed(undefined)
                    void change(svc().sessions.rename(session_id, { session_name: event.currentTarget.value }))
                  }}
                />
              )
              : (
                <a
                  href={href(["chat", kind, id], { session: session_id })}
                  {...(session_id === session ? { "aria-current": "page" as const } : {})}
                >
                  {session_name === "" ? session_id : session_name}
                  <Time value={updated_at} />
                </a>
              )}
            {mayWrite || mayRun || mayDelete ?
              (
                <details class="menu">
                  <summary aria-label={`Actions for ${session_name}`}>⋯</summary>
                  {!mayWrite ? null : (
                    <button
                      type="button"
                      onClick={() => setRenamed(session_id)}
                    >
                      Rename
                    </button>
                  )}
                  {!mayRun || kind === "workflow" ? null : (
                    <button
                      type="button"
                      onClick={() =>
                        change(
                          svc()[kind](id).fork(session_id).then(({ session_id: copy }) =>
                            go(href(["chat", kind, id], { session: copy }))
                          )
                        )}
                    >
                      Fork
                    </button>
                  )}
                  {!mayDelete ? null : (
                    <button
                      type="button"
                      class="danger"
                      onClick={() => {
                        if (!confirm(`Delete the session "${session_name}" with its runs?`)) {
                          return
                        }
                        void change(
                          svc().sessions.delete(session_id).then(() => {
                            if (session_id === session) {
                              go(href(["chat", kind, id]))
                            }
                          })
                        )
                      }}
                    >
                      Delete
                    </button>
                  )}
                </details>
              ) :
              null}
          </li>
        ))}
      </ul>
      {value === undefined || value.meta.total_count <= value.data.length
        ? null
        : (
          <button type="button" onClick={() => setLimit(limit + pageSize)}>
            Show more of {value.meta.total_count}
          </button>
        )}
    </nav>
  )
}
