// Ends connections whose clients do not read what waits for them, and bounds the bytes that wait on all connections
// together. It is one rule for every response, event stream and WebSocket: it looks at connections only. The bytes
// count in the budget in which requests hold what they read for their responses.
import { existsSync, readFileSync } from "node:fs"
import type { Socket } from "node:net"
import type { ByteBudget, Held } from "./ByteBudget.ts"

/** Bytes that a client has to take in each second in which as many wait for it. */
export const minRate = 1024

/** The same while another caller, who holds less, waits for room. */
export const minRateWhenFull = 64 * 1024

/** How long a client is measured for that, in milliseconds. A request waits longer for its room. */
const measured = 3000

export interface Connection {
  /** For which the budget has what its requests hold. */
  readonly key: object
  /** Bytes that were written and that the client has not taken. */
  readonly waiting: () => number
  /** Bytes that the client has taken, since the connection began. */
  readonly taken: () => number
  /**
   * Bytes that the system holds of them, because the client has not acknowledged them. It is asked only about a client
   * that seems to take too little. Undefined: the system does not say.
   */
  readonly inSystem?: () => number | undefined
  /** The memory of this process that the bytes use. */
  readonly held: () => number
  readonly end: () => void
}

export interface Options {
  /** How long a client may take too little. */
  readonly millis: number
  /** Of the responses of all requests. */
  readonly budget: ByteBudget
}

export interface SlowReaders {
  readonly add: (connection: Connection) => void
  readonly remove: (connection: Connection) => void
  /** Nothing waits on the connection any more. The next check would see it too. */
  readonly drained: (connection: Connection) => void
  /** At a time in milliseconds. Call it several times while `millis` pass. */
  readonly check: (now: number) => void
}

/** A part of the time in which bytes wait for a client. */
interface Period {
  readonly since: number
  readonly taken: number
  readonly waiting: number
  /** What was taken at the last check that saw progress, and when that was. */
  last: number
  movedAt: number
  /** What the client had acknowledged in the middle of the period, if it seemed to take too little. */
  looked?: { readonly acknowledged: number; readonly at: number } | undefined
}

/** The system takes megabytes at once, and then nothing for minutes although the client reads. */
const acknowledgedOf = ({ inSystem, taken }: Connection): number | undefined => {
  const held = inSystem?.()
  return held === undefined ? undefined : taken() - held
}

export const make = ({ budget, millis }: Options): SlowReaders => {
  const connections = new Set<Connection>()
  const periods = new Map<Connection, Period>()
  /** What waits on connections and no request holds. */
  const counted = new Map<Connection, Held>()
  /** What clients had acknowledged when another caller began to wait for room. */
  const looks = new Map<Connection, { readonly acknowledged: number; readonly at: number }>()
  const least = minRate * millis / 1000

  const count = (connection: Connection, waiting: number): void => {
    const before = counted.get(connection)
    const requests = budget.heldFor(connection.key)
    const caller = requests?.caller ?? ""
    const bytes = Math.min(budget.total, Math.max(0, waiting - (requests?.bytes ?? 0)))
    if (before?.bytes === bytes && before.caller === caller) return
    if (bytes > 0) {
      budget.occupy(caller, bytes)
      counted.set(connection, { bytes, caller })
    } else counted.delete(connection)
    if (before !== undefined) budget.release(before.caller, before.bytes)
  }

  const forget = (connection: Connection): void => {
    periods.delete(connection)
    looks.delete(connection)
    count(connection, 0)
  }

  const end = (connection: Connection): void => {
    connections.delete(connection)
    forget(connection)
    connection.end()
  }

  /** One request never takes more than there is. */
  const heldOf = (connection: Connection): number =>
    (counted.get(connection)?.bytes ?? 0) + Math.min(budget.total, budget.heldFor(connection.key)?.bytes ?? 0)

  /** False if the client has taken too little. */
  const follow = (connection: Connection, waiting: number, now: number): boolean => {
    const taken = connection.taken()
    const period = periods.get(connection)
    const begin = (movedAt: number) => periods.set(connection, { since: now, taken, waiting, last: taken, movedAt })
    if (period === undefined) {
      begin(now)
      return true
    }
    if (taken > period.last) {
      period.last = taken
      period.movedAt = now
    }
    const progress = taken - period.taken
    const time = now - period.since
    if (progress >= period.waiting || (time >= millis && progress >= least)) begin(period.movedAt)
    else if (period.looked === undefined && time >= millis / 2) {
      const acknowledged = acknowledgedOf(connection)
      if (acknowledged !== undefined) period.looked = { acknowledged, at: now }
      else if (time >= millis) return false
    } else if (period.looked !== undefined && now - period.looked.at >= millis) {
      const acknowledged = acknowledgedOf(connection) ?? period.looked.acknowledged
      if (acknowledged - period.looked.acknowledged < least) return false
      begin(now)
    }
    return true
  }

  /**
   * The clients that have taken nothing for the longest time are ended first. Clients that have taken something since
   * the last check are ended only if they hold twice the limit, and one alone never is.
   */
  const endLongest = (now: number): void => {
    let taken = budget.taken()
    const longest = [...periods].toSorted(([, one], [, other]) => one.movedAt - other.movedAt)
    for (const [connection, { movedAt }] of longest) {
      if (taken <= budget.total) return
      if (movedAt === now && (taken <= 2 * budget.total || periods.size === 1)) return
      taken -= heldOf(connection)
      end(connection)
    }
  }

  /** Bytes in a second, of which the client says that it has them. Undefined until it is measured. */
  const rateOf = (connection: Connection, now: number): number | undefined => {
    const acknowledged = acknowledgedOf(connection) ?? connection.taken()
    const first = looks.get(connection)
    if (first === undefined) looks.set(connection, { acknowledged, at: now })
    else if (now - first.at >= measured) return (acknowledged - first.acknowledged) * 1000 / (now - first.at)
    return undefined
  }

  /** A caller who waits for room gets that of clients that read slowly, of callers who hold more: the slowest first. */
  const endSlowest = (now: number): void => {
    const shortage = budget.shortage()
    if (shortage === undefined) return looks.clear()
    const slow = [...periods.keys()].flatMap((connection) => {
      const caller = budget.heldFor(connection.key)?.caller ?? ""
      if (caller === shortage.caller || heldOf(connection) === 0 || budget.heldBy(caller) <= shortage.held) return []
      const rate = rateOf(connection, now)
      return rate !== undefined && rate < minRateWhenFull ? [{ connection, rate }] : []
    })
    let missing = shortage.bytes
    for (const { connection } of slow.toSorted((one, other) => one.rate - other.rate)) {
      if (missing <= 0) return
      missing -= heldOf(connection)
      end(connection)
    }
  }

  return {
    add: (connection) => void connections.add(connection),
    remove: (connection) => {
      connections.delete(connection)
      forget(connection)
    },
    drained: (connection) => {
      if (counted.has(connection)) count(connection, 0)
    },
    check: (now) => {
      for (const connection of connections) {
        const waiting = connection.waiting()
        if (waiting === 0) forget(connection)
        else if (follow(connection, waiting, now)) count(connection, connection.held())
        else end(connection)
      }
      if (budget.taken() > budget.total) endLongest(now)
      else endSlowest(now)
    }
  }
}

/** How long one look at all connections of the system counts, in milliseconds. */
const lookCounts = 200

/**
 * Bytes that the system holds for the clients of connections, by their local and remote port. Linux says it in files.
 * Connections with the same ports count together: one of them that reads keeps the others.
 */
export const systemQueues = () => {
  let looked: ReadonlyMap<string, number> | undefined
  let lookedAt = Number.NEGATIVE_INFINITY
  const read = (): ReadonlyMap<string, number> | undefined => {
    const queues = new Map<string, number>()
    try {
      for (const path of ["/proc/net/tcp", "/proc/net/tcp6"]) {
        if (path.endsWith("6") && !existsSync(path)) continue
        for (const line of readFileSync(path, "latin1").split("\n").slice(1)) {
          const [, local = "", remote = "", , queue = ""] = line.trim().split(/ +/)
          const [one, other] = [local, remote].map((address) => Number.parseInt(address.split(":")[1] ?? "", 16))
          const held = Number.parseInt(queue.split(":")[0] ?? "", 16)
          if (held > 0) queues.set(`${one} ${other}`, (queues.get(`${one} ${other}`) ?? 0) + held)
        }
      }
      return queues
    } catch {
      return undefined
    }
  }
  return ({ localPort, remotePort }: Pick<Socket, "localPort" | "remotePort">): number | undefined => {
    const now = performance.now()
    if (now - lookedAt > lookCounts) [looked, lookedAt] = [read(), now]
    return looked === undefined ? undefined : looked.get(`${localPort} ${remotePort}`) ?? 0
  }
}
