// The sessions of a component, the newest first. A page is read when the list is scrolled to its end.
import type { SessionSchema } from "@svc-runtime/client"
import { useEffect, useRef, useState } from "preact/hooks"
import { isRefused, svc } from "../service/Service.ts"
import type { Target } from "./Conversation.ts"

const pageSize = 50

/** How many entries are read again when something has changed. */
const maxReloaded = 200

type Entries = ReadonlyArray<SessionSchema>

interface Read {
  readonly entries: Entries
  /** Undefined after the last page. */
  readonly next: number | undefined
  readonly total: number
  readonly problem: unknown
}

const nothing: Read = { entries: [], next: undefined, total: 0, problem: undefined }

/** Sessions move to the first page while others are read. */
const joined = (first: Entries, rest: Entries): Entries => {
  const known = new Set(first.map(({ session_id }) => session_id))
  return [...first, ...rest.filter(({ session_id }) => !known.has(session_id))]
}

export const useSessions = ({ id, kind }: Target, search: string, version: unknown) => {
  const [read, setRead] = useState(nothing)
  const reading = useRef<AbortController | undefined>(undefined)
  const key = JSON.stringify([kind, id, search])
  const shown = useRef(key)
  const isOut = isRefused.value

  const list = (page: number, limit: number, use: (entries: Entries, total: number) => Read) => {
    reading.current?.abort()
    const control = new AbortController()
    reading.current = control
    const filter = search === "" ? {} : { session_name: search }
    const order = { sort_by: "updated_at", sort_order: "desc" } as const
    svc().sessions.list({ type: kind, component_id: id, ...filter, ...order, limit, page }, { signal: control.signal })
      .then(({ data, meta }) => {
        if (!control.signal.aborted) setRead(use(data, meta.total_count))
      }, (problem: unknown) => {
        if (!control.signal.aborted) setRead((read) => ({ ...read, problem }))
      })
      .finally(() => {
        if (reading.current === control) reading.current = undefined
      })
  }

  /** Reads the first entries again. `without`: of a session that was deleted. */
  const reload = (without?: string) => {
    const isSame = shown.current === key
    shown.current = key
    const kept = isSame ? read.entries.filter(({ session_id }) => session_id !== without) : []
    const pages = Math.min(maxReloaded / pageSize, Math.max(1, Math.ceil(kept.length / pageSize)))
    list(1, pages * pageSize, (data, total) => {
      const entries = joined(data, kept.slice(data.length))
      return {
        entries,
        total,
        next: entries.length < total ? Math.floor(entries.length / pageSize) + 1 : undefined,
        problem: undefined
      }
    })
  }

  const readMore = () => {
    const { entries, next } = read
    if (next === undefined || reading.current !== undefined) return
    list(next, pageSize, (data, total) => ({
      entries: joined(entries, data),
      total,
      next: data.length < pageSize ? undefined : next + 1,
      problem: undefined
    }))
  }

  useEffect(() => {
    if (shown.current !== key) setRead(nothing)
    if (!isOut) reload()
    return () => {
      reading.current?.abort()
      reading.current = undefined
    }
  }, [key, version, isOut])

  return { ...read, reload, readMore }
}
