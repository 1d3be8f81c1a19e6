// The host names under which a service accepts requests. It prevents DNS rebinding: a web page whose name resolves to
// this machine has the same origin as this service, and only the `Host` header reveals it. A service with
// authentication needs no list, because such a page has no credential.

export const detail = "Host not allowed; add it to ALLOWED_HOSTS"

const loopback = ["localhost", "127.0.0.1", "[::1]"]

/** A port does not matter, neither that of a request nor one that is listed. */
const nameOf = (host: string): string => host.replace(/:\d*$/, "").toLowerCase()

const matches = (pattern: string, host: string): boolean =>
  pattern.startsWith("*.") ? host.endsWith(pattern.slice(1)) : host === pattern

/** Loopback names, and the listed ones: `*.example.com` matches the names under `example.com`. */
export const make = (listed: ReadonlyArray<string>) => {
  const patterns = [...loopback, ...listed.map(nameOf)]
  return (host: string | undefined): boolean => {
    if (host === undefined) return false
    const name = nameOf(host)
    return patterns.some((pattern) => matches(pattern, name))
  }
}
