// A service that is a function: how it responds is what a test says, and what it was asked is kept.

export interface RecordedRequest {
  readonly method: string
  readonly url: string
  readonly headers: Headers
  readonly body: string
}

type Respond = unknown | ((request: RecordedRequest) => unknown)

export interface FakeService {
  readonly http: (request: Request) => Promise<Response>
  readonly requests: Array<RecordedRequest>
  /** `METHOD url` of everything it was asked. */
  readonly calls: () => ReadonlyArray<string>
}

export class Refusal {
  readonly status: number
  readonly body: unknown
  constructor(status: number, body: unknown) {
    this.status = status
    this.body = body
  }
}

/** Describes itself as services do that are not older. */
export const info = (fields: object = {}) => ({
  os_id: "svc",
  name: "Svc",
  version: "1.2.3",
  agno_version: "2.7.2",
  mcp: { enabled: true, path: "/mcp", oauth: null },
  auth_mode: "none",
  ...fields
})

export const alive = (fields: object = {}): Record<string, Respond> => ({
  "GET /health": { status: "ok" },
  "GET /info": info(fields)
})

/**
 * Responds to `METHOD /path` at the given addresses; all else there is 404, and nothing listens anywhere else. A body
 * that is text is sent as it is.
 */
export const fakeService = (addresses: Record<string, Record<string, Respond>>): FakeService => {
  const requests: Array<RecordedRequest> = []
  const http = async (request: Request): Promise<Response> => {
    const call: RecordedRequest = {
      method: request.method,
      url: request.url,
      headers: request.headers,
      body: await request.text()
    }
    requests.push(call)
    const base = Object.keys(addresses).find((address) => request.url.startsWith(`${address}/`))
    if (base === undefined) throw new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED") })
    const key = `${request.method} ${request.url.slice(base.length).split("?")[0]}`
    const found = addresses[base]?.[key] ?? new Refusal(404, { detail: "Not Found" })
    const response = typeof found === "function" ? found(call) : found
    if (response instanceof Response) return response
    const { body, status } = response instanceof Refusal ? response : { status: 200, body: response }
    if (status === 204) return new Response(null, { status })
    return new Response(typeof body === "string" ? body : JSON.stringify(body), {
      status,
      headers: { "content-type": "application/json" }
    })
  }
  return { http, requests, calls: () => requests.map(({ method, url }) => `${method} ${url}`) }
}
