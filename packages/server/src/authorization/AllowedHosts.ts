// Under which names a service may be called. A page can be given a name that leads to this machine, and is then of the
// same origin as whatever listens here: the name in the request is what gives it away. Where callers have to show a
// credential such a page has none.

const loopback = ["localhost", "127.0.0.1", "[::1]"]

const portOf = /:\d+$/

const matches = (pattern: string, host: string): boolean =>
  pattern.startsWith("*.") ? host.endsWith(pattern.slice(1)) : host === pattern

/** Those of this machine, and those that are listed: `*.example.com` stands for the names under `example.com`. */
export const make = (listed: ReadonlyArray<string>) => {
  const patterns = [...loopback, ...listed.map((pattern) => pattern.toLowerCase())]
  return (host: string | undefined): boolean => {
    const name = host?.replace(portOf, "").toLowerCase()
    return name !== undefined && patterns.some((pattern) => matches(pattern, name))
  }
}
