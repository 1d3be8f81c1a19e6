// The entries of a service: their address is the address of the service, or a path below it.

interface Parts {
  readonly origin: string
  readonly path: string
}

/** Compared as text: two names of one machine can lead to two services. */
const partsOf = (address: string): Parts | undefined => {
  const [, origin, rest = ""] = /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*)([^?#]*)/i.exec(address) ?? []
  return origin === undefined ? undefined : { origin: origin.toLowerCase(), path: rest.replace(/\/+$/, "") }
}

export const isAt = (target: string, address: string): boolean => {
  const wanted = partsOf(target)
  const given = partsOf(address)
  if (wanted === undefined || given === undefined || wanted.origin !== given.origin) return false
  return given.path === wanted.path || given.path.startsWith(`${wanted.path}/`)
}
