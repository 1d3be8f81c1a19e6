// The origins whose pages may call the service, and which origin is the service's own.
export interface Origins {
  readonly allows: (origin: string) => boolean
}

/** Pages of this machine, on any port. */
const loopback = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/

/** As browsers send it: without the default port of its scheme. */
const normalized = (origin: string): string => {
  const parsed = URL.parse(origin)?.origin
  return parsed === undefined || parsed === "null" ? origin : parsed
}

export interface Options {
  /** `*` is dropped: with credentials it would let every page on the web call. */
  readonly listed: ReadonlyArray<string>
  /** Whether the service is open, and only this machine can reach it. */
  readonly isLocal: boolean
}

/** Without a list, pages of this machine may call an open service that only this machine can reach. */
export const make = ({ isLocal, listed }: Options): Origins => {
  const named = new Set(listed.filter((origin) => origin !== "*").map(normalized))
  return { allows: (origin) => named.has(origin) || (isLocal && listed.length === 0 && loopback.test(origin)) }
}

/** A name or an address, and a port. */
const hostPattern = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d*)?$/i

/**
 * The URL of an origin that has the host of the `Host` header. Undefined if it has another one. A proxy can add the
 * default port of the scheme to the header.
 */
export const ownOf = (origin: string, host: string | undefined): URL | undefined => {
  const own = URL.parse(origin)
  return own !== null && host !== undefined && hostPattern.test(host) &&
      URL.parse(`${own.protocol}//${host}`)?.host === own.host
    ? own
    : undefined
}

/** These, and one more. */
export const including = (origins: Origins, more: string): Origins => ({
  allows: (origin) => origin === more || origins.allows(origin)
})

export const detail = "Pages of this origin may not call. CORS_ORIGIN_LIST names the allowed origins"

/**
 * The header with which a page can read why it was refused. It allows nothing: a preflight that is refused has no
 * status of success, and a refused request was not executed.
 */
export const readableBy = (origin: string): Record<string, string> =>
  URL.parse(origin)?.origin === origin && origin !== "null" ? { "access-control-allow-origin": origin } : {}
