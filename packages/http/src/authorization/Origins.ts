// The origins whose pages may call the service.
export interface Origins {
  readonly allows: (origin: string) => boolean
}

/** Pages of this machine, on any port. */
const loopback = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/

export interface Options {
  /** `*` is dropped: with credentials it would let every page on the web call. */
  readonly listed: ReadonlyArray<string>
  /** Whether the service is open, and only this machine can reach it. */
  readonly isLocal: boolean
}

/** Without a list, pages of this machine may call an open service that only this machine can reach. */
export const make = ({ isLocal, listed }: Options): Origins => {
  const named = new Set(listed.filter((origin) => origin !== "*"))
  return { allows: (origin) => named.has(origin) || (isLocal && listed.length === 0 && loopback.test(origin)) }
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
