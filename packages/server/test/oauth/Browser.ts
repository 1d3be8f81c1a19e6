// A browser, as far as signing in needs one: it follows redirects of the service, keeps its cookie and sends its form.
import { assert } from "@effect/vitest"
import { Effect } from "effect"

export type Send = (url: string, init?: RequestInit) => Effect.Effect<Response>

/** Over a socket. */
export const overHttp: Send = (url, init) => Effect.promise(() => fetch(url, { redirect: "manual", ...init }))

export interface Page {
  readonly url: string
  readonly status: number
  readonly headers: Headers
  readonly html: string
  readonly cookie: string
  readonly fields: Readonly<Record<string, string>>
}

const unescaped = (text: string) => text.replaceAll("&amp;", "&").replaceAll("&quot;", "\"").replaceAll("&#39;", "'")

const fieldsOf = (html: string) =>
  Object.fromEntries(
    [...html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)].map(([, name, value]) => [
      name!,
      unescaped(value!)
    ])
  )

const locationOf = (response: Response) => response.headers.get("location") ?? ""

/** Opens what a client wants to have opened, up to the page that asks for consent. */
export const open = Effect.fnUntraced(function*(send: Send, authorizeUrl: string, cookie = "") {
  const begun = yield* send(authorizeUrl)
  assert.strictEqual(begun.status, 302, yield* Effect.promise(() => begun.text()))
  const url = locationOf(begun)
  const response = yield* send(url, { headers: { cookie } })
  const html = yield* Effect.promise(() => response.text())
  const page: Page = {
    url,
    status: response.status,
    headers: response.headers,
    html,
    cookie: response.headers.get("set-cookie")?.split(";")[0] ?? "",
    fields: fieldsOf(html)
  }
  return page
})

/** Sends the form of the page, as a browser does for its own origin. */
export const submit = (send: Send, page: Page, fields: Readonly<Record<string, string>>, headers: HeadersInit = {}) => {
  const { origin, pathname } = new URL(page.url)
  return send(`${origin}${pathname}`, {
    method: "POST",
    body: new URLSearchParams({ ...page.fields, ...fields }),
    headers: { cookie: page.cookie, origin, ...headers as Record<string, string> }
  })
}

/** Where the browser is sent when the user has approved. */
export const approve = Effect.fnUntraced(function*(send: Send, authorizeUrl: string, secret: string) {
  const response = yield* submit(send, yield* open(send, authorizeUrl), { secret, action: "approve" })
  assert.strictEqual(response.status, 302, yield* Effect.promise(() => response.text()))
  return new URL(locationOf(response))
})
