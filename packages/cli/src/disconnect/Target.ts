// Which entries mean a service: their address is the address of the service, or below it.

interface Parts {
  readonly origin: string
  readonly path: string
}

/** The address as it is written: another spelling of one machine is another address, and may be another service. */
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
