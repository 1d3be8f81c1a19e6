// What somebody does who uses a service that may be gone the next moment: starts runs, reads streams for as long as they
// last, and asks again.
import { Effect } from "effect"

export interface Event {
  readonly index: number
  readonly kind: string
  readonly data: string
}

/** Whole events; a piece that broke off is none. */
export const parse = (text: string): ReadonlyArray<Event> =>
  text.split("\n\n").slice(0, -1).flatMap((block) => {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1]
    const index = field("id")
    return index === undefined ? [] : [{ index: Number(index), kind: field("event") ?? "", data: field("data") ?? "" }]
  })

export interface Heard {
  /** Undefined when there was no answer. */
  readonly status: number | undefined
  readonly text: string
  /** Whether the stream came to its end. */
  readonly isWhole: boolean
}

export interface Reading {
  readonly init?: RequestInit | undefined
  /** Gets what has been heard so far, and tells whether that is enough. */
  readonly until?: ((text: string) => boolean) | undefined
  /** After so many milliseconds of silence it is given up. Never, when left out. */
  readonly patience?: number | undefined
}

/** Reads until the end, or until the connection breaks: neither is an error here. */
const hear = async (
  url: string,
  { init = {}, patience, until = () => false }: Reading = {}
): Promise<Heard> => {
  let status: number | undefined
  let text = ""
  const aborting = new AbortController()
  const timer = patience === undefined ? undefined : setTimeout(() => aborting.abort(), patience)
  try {
    const response = await fetch(url, { ...init, signal: aborting.signal })
    status = response.status
    const decoder = new TextDecoder()
    for await (const piece of response.body ?? []) {
      timer?.refresh()
      text += decoder.decode(piece, { stream: true })
      if (!until(text)) continue
      aborting.abort()
      return { status, text, isWhole: false }
    }
    return { status, text, isWhole: true }
  } catch {
    return { status, text, isWhole: false }
  } finally {
    clearTimeout(timer)
  }
}

const path = "/agents/buyer/runs"

export const start = (base: string, run: string, reading: Reading = {}): Promise<Heard> =>
  hear(base + path, {
    ...reading,
    init: {
      method: "POST",
      body: new URLSearchParams({ message: `Buy tea for ${run}`, run_id: run, session_id: run })
    }
  })

export const watch = (base: string, run: string, after = -1, reading: Reading = {}): Promise<Heard> =>
  hear(`${base}${path}/${run}/events?session_id=${run}`, {
    ...reading,
    init: after < 0 ? {} : { headers: { "last-event-id": String(after) } }
  })

export interface Tool {
  readonly tool_name: string
  readonly tool_call_id: string
  readonly result: string | null
  readonly outcome_unknown?: boolean
}

export interface Output {
  readonly status: string
  readonly content: string
  readonly tools?: ReadonlyArray<Tool>
}

/** Undefined when there is no such run. */
export const find = async (base: string, run: string): Promise<Output | undefined> => {
  const response = await fetch(`${base}${path}/${run}?session_id=${run}`)
  return response.status === 404 ? undefined : await response.json() as Output
}

export const attempt = <A>(run: () => Promise<A>): Effect.Effect<A> => Effect.promise(run)
