// The service that this page belongs to, and the token that the person uses. The token is kept for the tab at most.
import { signal } from "@preact/signals"
import { type Caller, type InfoResponse, Svc, SvcError } from "@svc-runtime/client"
import { database, go, href } from "../Route.ts"
import { inTab } from "../storage.ts"
import { caller } from "./Caller.ts"

// Uploads with progress, which `fetch` does not report.
const responseHeadersOf = (request: XMLHttpRequest): Headers => {
  const headers = new Headers()
  for (const line of request.getAllResponseHeaders().trim().split(/[\r\n]+/)) {
    const [name = "", ...value] = line.split(":")
    if (name !== "") headers.append(name, value.join(":").trim())
  }
  return headers
}

/** Statuses of responses that have no body. */
const emptyStatuses = new Set([204, 205, 304])

/** A `fetch` that calls `progress` with the share of the body that is sent, from 0 to 1. */
const uploading = (progress: (share: number) => void): typeof fetch => (input, init = {}) =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open(init.method ?? "POST", input instanceof Request ? input.url : String(input))
    new Headers(init.headers).forEach((value, name) => request.setRequestHeader(name, value))
    request.responseType = "blob"
    request.upload.addEventListener("progress", ({ loaded, total }) => progress(total === 0 ? 1 : loaded / total))
    request.addEventListener("load", () => {
      const { response, status } = request
      resolve(
        new Response(emptyStatuses.has(status) ? null : response as Blob, {
          status,
          headers: responseHeadersOf(request)
        })
      )
    })
    request.addEventListener("error", () => reject(new TypeError("The connection was cut")))
    request.addEventListener("abort", () => reject(init.signal?.reason))
    init.signal?.addEventListener("abort", () => request.abort(), { once: true })
    request.send(init.body as XMLHttpRequestBodyInit)
  })

const key = "svc.token"

/** Whose drafts the tab has. */
const userKey = "svc.user"

/** The address of the service: the page is at `console/` below it. */
const base = new URL("..", location.href.split(/[?#]/)[0]).href.replace(/\/$/, "")

export const token = signal<string | undefined>(inTab.get(key))

/** Whether the service has refused the token, or requires one. */
export const isRefused = signal(false)

/** The person is known. Another one than before gets neither the drafts nor the page of the first. */
export const enter = (next: Caller): void => {
  const [user, before] = [String(next.user_id), inTab.get(userKey)]
  if (before !== undefined && before !== user) {
    const kept = inTab.get(key)
    inTab.clear()
    if (kept !== undefined) inTab.set(key, kept)
    go(href([]), { replace: true })
  }
  inTab.set(userKey, user)
  knowDatabases(next.databases)
  caller.value = next
}

export const signIn = (given: string, { keep }: { readonly keep: boolean }): void => {
  token.value = given
  isRefused.value = false
  if (keep) inTab.set(key, given)
  else inTab.remove(key)
}

/** Drafts and the address are removed too: the next person in this tab may be another one. */
export const signOut = (): void => {
  inTab.clear()
  go(href([]), { replace: true })
  token.value = undefined
  caller.value = undefined
  isRefused.value = true
}

/** Waits until the person has signed in again. Rejects when the signal is aborted, or another person signs in. */
export const signedIn = async (control: AbortSignal): Promise<void> => {
  const user = caller.value?.user_id
  let stop = () => {}
  try {
    await new Promise<void>((resolve, reject) => {
      control.addEventListener("abort", () => reject(control.reason), { once: true })
      stop = isRefused.subscribe((isOut) => {
        if (isOut) return
        if (caller.value?.user_id === user) resolve()
        else reject(new Error("Another person has signed in"))
      })
    })
  } finally {
    stop()
  }
}

/** Sends it again when a person whose token was refused has signed in. */
export const untilAccepted = async <A>(send: () => Promise<A>): Promise<A> => {
  try {
    return await send()
  } catch (error) {
    if (!(error instanceof SvcError) || error.status !== 401) throw error
    await signedIn(new AbortController().signal)
    return await send()
  }
}

/** Whether the last request had no response. */
export const isAway = signal(false)

/** Reads that have no response for some seconds. */
export const slowReads = signal(0)

const slowAfter = 5000

/** Only reads: other requests can take long by themselves. */
const responded = async (response: Promise<Response>, { method = "GET" }: RequestInit = {}): Promise<Response> => {
  if (method !== "GET") return response
  let isSlow = false
  const timer = setTimeout(() => {
    isSlow = true
    slowReads.value++
  }, slowAfter)
  try {
    return await response
  } finally {
    clearTimeout(timer)
    if (isSlow) slowReads.value--
  }
}

/** The databases of which the person may choose one. The first is the service's own. */
export const databases = signal<ReadonlyArray<string>>([])

/** The pages show the data of the database in the address, else of the service's own. */
const knowDatabases = (ids: Caller["databases"]): void => {
  databases.value = ids
  if (ids.length < 2) database.value = undefined
  else if (database.value === undefined || !ids.includes(database.value)) database.value = ids[0]
}

/** Traces are in the service's own database. Knowledge bases have ids of their own. */
const databaseFor = (path: string): string | undefined => {
  if (path.startsWith("/knowledge")) return undefined
  return path.startsWith("/traces") ? databases.value[0] : database.value
}

/** Names the database in a request that does not name one, if the service has several. */
const inDatabase = (input: Parameters<typeof fetch>[0]): Parameters<typeof fetch>[0] => {
  if (databases.value.length < 2 || input instanceof Request) return input
  const url = new URL(input)
  const id = databaseFor(url.href.slice(base.length))
  if (id !== undefined && !url.searchParams.has("db_id")) url.searchParams.set("db_id", id)
  return url
}

/** Requests carry the token only to the service. The sign-in is shown when the present token is refused. */
const requestBy = (bearer: string | undefined, send: typeof fetch): typeof fetch => async (input, init) => {
  const response = await responded(send(inDatabase(input), init), init).catch((error: unknown) => {
    if (init?.signal?.aborted !== true) isAway.value = true
    throw error
  })
  isAway.value = false
  if (response.status === 401 && bearer === token.value) isRefused.value = true
  return response
}

const clientOf = (bearer: string | undefined, send: typeof fetch = fetch): Svc =>
  new Svc({
    baseUrl: base,
    fetch: requestBy(bearer, send),
    retries: 1,
    ...(bearer === undefined ? {} : { token: bearer })
  })

/** The client with the present token. */
export const svc = (): Svc => {
  if (client.token !== token.value) client = { token: token.value, svc: clientOf(token.value) }
  return client.svc
}

/** A client that calls `progress` with the share of a request's body that is sent, from 0 to 1. */
export const uploader = (progress: (share: number) => void): Svc => clientOf(token.value, uploading(progress))

let client = { token: token.value, svc: clientOf(token.value) }

export const info = signal<InfoResponse | undefined>(undefined)

/** Whose token it is. Rejects with what the service says against it. */
export const callerOf = (given: string): Promise<Caller> => clientOf(given).system.caller()

/** The path of the API for `curl` and links. */
export const addressOf = (path: string): string => `${base}${path}`
