// Addresses to which a browser is sent back. Clients register them, and a request names one of those exactly; only the
// port of a loopback address may differ (RFC 8252 §7.3).

const maxLength = 2048

const loopback = ["localhost", "127.0.0.1", "[::1]"]

/** Schemes that browsers handle by themselves, some by executing what the address has. */
const forbidden = /^(about|blob|chrome|data|file|filesystem|ftp|intent|javascript|vbscript|view-source|ws|wss):$/

const isLoopback = ({ hostname, protocol }: URL): boolean => protocol === "http:" && loopback.includes(hostname)

/** Https, http on loopback, or the scheme of an app. */
export const isAllowed = (text: string): boolean => {
  const url = text.length > maxLength || !/^[\x21-\x7e]+$/.test(text) ? null : URL.parse(text)
  if (url === null || text.includes("#") || url.username !== "" || url.password !== "") return false
  return url.protocol === "http:" ? isLoopback(url) : !forbidden.test(url.protocol)
}

const withoutPort = (text: string): string | undefined => {
  const url = URL.parse(text)
  if (url === null || !isLoopback(url)) return undefined
  url.port = ""
  return url.href
}

export const matches = (registered: string, requested: string): boolean => {
  if (registered === requested) return true
  if (!isAllowed(requested)) return false
  const loopbackUri = withoutPort(registered)
  return loopbackUri !== undefined && loopbackUri === withoutPort(requested)
}

/** The address with the parameters of a response. */
export const response = (uri: string, parameters: Readonly<Record<string, string | null>>): string => {
  const url = new URL(uri)
  for (const [name, value] of Object.entries(parameters)) if (value !== null) url.searchParams.set(name, value)
  return url.href
}
