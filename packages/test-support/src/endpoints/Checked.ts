// What the tests that call all endpoints know of one: a request, its scopes, and which test checks whose data it
// touches. It is a second opinion about the declaration of the endpoint, and is in `test/endpoints.ts` of its feature.

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

export interface CheckedEndpoint {
  readonly route: string
  readonly scope: string
  /** The scopes that its handler requires as well. */
  readonly furtherScopes: ReadonlyArray<string>
  /** The test that checks that callers get only their own data, or why none does. */
  readonly owners: string
  readonly request: (subject: Subject) => Request
}

interface Details {
  /** That of the route, with `none` for each parameter, when left out. */
  readonly path?: string
  readonly json?: unknown
  readonly form?: Readonly<Record<string, string>>
  readonly init?: RequestInit
  readonly also?: ReadonlyArray<string>
}

/** This test takes the endpoints that name it, and calls them with ids of the data of another user. */
export const isolation = "server/test/authorization/Isolation.test.ts"

type Call = Details | ((subject: Subject) => Details)

export const json = (method: string, body: unknown): RequestInit => ({
  method,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body)
})

export const form = (fields: Readonly<Record<string, string>>, method = "POST"): RequestInit => ({
  method,
  headers: { "content-type": "application/x-www-form-urlencoded" },
  body: new URLSearchParams(fields).toString()
})

const initOf = (method: string, details: Details): RequestInit | undefined => {
  if (details.json !== undefined) return json(method, details.json)
  if (details.form !== undefined) return form(details.form, method)
  return details.init ?? (method === "GET" ? undefined : { method })
}

/** Endpoints by their scopes. `{}` is a request without a body, about something that does not exist. */
export const checked = (
  owners: string,
  scopes: Readonly<Record<string, Readonly<Record<string, Call>>>>
): ReadonlyArray<CheckedEndpoint> =>
  Object.entries(scopes).flatMap(([scope, calls]) =>
    Object.entries(calls).map(([route, call]) => {
      const [method = "", path = ""] = route.split(" ")
      const detailsOf = typeof call === "function" ? call : () => call
      const request = (subject: Subject): Request => {
        const details = detailsOf(subject)
        const init = initOf(method, details)
        return { path: details.path ?? path.replaceAll(/:\w+/g, "none"), ...(init === undefined ? {} : { init }) }
      }
      const noSubject = { agent: "", session: "", run: "", account: "", approval: "", memory: "", learning: "" }
      return { route, scope, furtherScopes: detailsOf(noSubject).also ?? [], owners, request }
    })
  )
