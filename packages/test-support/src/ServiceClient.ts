// Requests to a service that can stop, freeze or refuse at any moment. No connection is kept for a later request: the
// service may close it at the moment at which that is sent.

export interface Received {
  /** Undefined when there was no answer. */
  readonly status: number | undefined
  readonly text: string
  /** Whether the answer came to its end. */
  readonly isWhole: boolean
}

export interface Reading {
  readonly init?: RequestInit | undefined
  /** Called with the received text. The request ends when it returns true. */
  readonly until?: ((text: string) => boolean) | undefined
  /** The request fails after this many milliseconds without data. Left out: it never does. */
  readonly idleTimeout?: number | undefined
}

/** Sends one request and reads until the end, or until the connection breaks: neither is an error here. */
export const send = async (
  url: string,
  { init = {}, idleTimeout, until = () => false }: Reading = {}
): Promise<Received> => {
  let status: number | undefined
  let text = ""
  const aborting = new AbortController()
  const timer = idleTimeout === undefined ? undefined : setTimeout(() => aborting.abort(), idleTimeout)
  try {
    const headers = new Headers(init.headers)
    headers.set("connection", "close")
    const response = await fetch(url, { ...init, headers, signal: aborting.signal })
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

/** A minute at least. */
const maxAttempts = 600

const repeated = async <A extends Received>(
  isDone: (received: A) => boolean,
  sending: () => Promise<A>
): Promise<A> => {
  for (let attempt = 1;; attempt++) {
    const received = await sending()
    if (isDone(received) || attempt === maxAttempts) return received
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** Repeats a request while the service says that it cannot now: it has not done what it was asked. */
export const whileRefused = (sending: () => Promise<Received>): Promise<Received> =>
  repeated(({ status }) => status !== 503, sending)

const unavailable: ReadonlyArray<number | undefined> = [502, 503, 504]

/** A whole answer. The request is repeated until there is one, so it must be one that can be made twice. */
export const request = async (url: string, init?: RequestInit): Promise<{ status: number; text: string }> => {
  const { isWhole, status, text } = await repeated(
    ({ isWhole, status }) => isWhole && !unavailable.includes(status),
    () => send(url, { init })
  )
  if (!isWhole || status === undefined) throw new Error(`No answer: ${init?.method ?? "GET"} ${url}: ${status} ${text}`)
  return { status, text }
}

const valueOf = (url: string, { status, text }: Pick<Received, "status" | "text">): unknown => {
  if (status === undefined || status < 200 || status > 299) throw new Error(`${url} answered ${status}: ${text}`)
  return JSON.parse(text)
}

/** The value of a successful answer to a request that can be made twice. */
export const read = async (url: string, init?: RequestInit): Promise<unknown> => valueOf(url, await request(url, init))

/** The value of a successful answer to a request that must be executed once. */
export const once = async (url: string, init?: RequestInit): Promise<unknown> =>
  valueOf(url, await whileRefused(() => send(url, { init })))

export interface Begun {
  readonly run_id: string
  readonly session_id: string
}

/**
 * Starts a run in the background, in a session of its own. A run whose start is refused may be stored all the same, and
 * is cancelled then: each attempt names another one.
 */
export const begin = async (url: string): Promise<Begun> => {
  let attempts = 0
  const received = await whileRefused(() => {
    const [run_id, session_id] = [`r${attempts}`, `s${attempts++}`]
    const fields = { message: "go", run_id, session_id, stream: "false", background: "true" }
    return send(url, { init: { method: "POST", body: new URLSearchParams(fields) } })
  })
  return valueOf(url, received) as Begun
}
