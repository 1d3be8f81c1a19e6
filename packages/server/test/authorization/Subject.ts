// What the requests of `Requests.ts` are about.

/** What a request is about. */
export interface Subject {
  readonly agent: string
  readonly session: string
  readonly run: string
  readonly account: string
  readonly approval: string
  readonly memory: string
  readonly learning: string
}

export interface Request {
  readonly path: string
  readonly init?: RequestInit
}

export const json = (method: string, body: unknown): RequestInit => ({
  method,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body)
})
