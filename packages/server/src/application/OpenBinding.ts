// Where a service without authentication may listen.
import type { Config } from "../Config.ts"

/** Addresses that only this machine can reach. */
const loopback = /^(127(\.\d{1,3}){3}|::1|\[::1\]|localhost)$/

export const isLoopback = ({ host }: Pick<Config, "host">): boolean => loopback.test(host)

/** Why a service without authentication must not listen there; undefined when it may. */
export const openRefusal = ({ allowOpen, host }: Config): string | undefined =>
  isLoopback({ host }) || allowOpen
    ? undefined
    : `HOST=${host} would let everybody who can reach this machine call the service. Say who may call ` +
      "(AUTHORIZATION=true with a key, or OS_SECURITY_KEY), keep HOST on a loopback address, or set ALLOW_OPEN=true if " +
      "the network is closed by other means."
