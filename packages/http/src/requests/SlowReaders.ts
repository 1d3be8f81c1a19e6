// Ends connections whose clients do not read what waits for them, and bounds the bytes that wait on all connections
// together. It is one rule for every response, event stream and WebSocket: it looks at connections only.

/** Bytes that a client has to take in each second in which as many wait for it. */
export const minRate = 1024

export interface Connection {
  /** Bytes that were written and that the client has not taken. */
  readonly waiting: () => number
  /** Bytes that the client has taken, since the connection began. */
  readonly taken: () => number
  /** The memory of this process that the bytes use. */
  readonly held: () => number
  readonly end: () => void
}

export interface Options {
  /** How long a client may take too little. */
  readonly millis: number
  /** Of all connections. */
  readonly maxBytes: number
}

export interface SlowReaders {
  readonly add: (connection: Connection) => void
  readonly remove: (connection: Connection) => void
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
}

export const make = ({ maxBytes, millis }: Options): SlowReaders => {
  const connections = new Set<Connection>()
  const periods = new Map<Connection, Period>()
  const least = minRate * millis / 1000

  const end = (connection: Connection): void => {
    connections.delete(connection)
    periods.delete(connection)
    connection.end()
  }

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
    if (progress >= period.waiting) begin(period.movedAt)
    else if (now - period.since >= millis) {
      if (progress < least) return false
      begin(period.movedAt)
    }
    return true
  }

  /**
   * The clients that have taken nothing for the longest time are ended first. Clients that have taken something since
   * the last check are ended only if they hold twice the limit, and one alone never is.
   */
  const endLongest = (total: number, now: number): void => {
    let held = total
    const longest = [...periods].toSorted(([, one], [, other]) => one.movedAt - other.movedAt)
    for (const [connection, { movedAt }] of longest) {
      if (held <= maxBytes) return
      if (movedAt === now && (held <= 2 * maxBytes || periods.size === 1)) return
      held -= connection.held()
      end(connection)
    }
  }

  return {
    add: (connection) => void connections.add(connection),
    remove: (connection) => {
      connections.delete(connection)
      periods.delete(connection)
    },
    check: (now) => {
      let held = 0
      for (const connection of connections) {
        const waiting = connection.waiting()
        if (waiting === 0) periods.delete(connection)
        else if (follow(connection, waiting, now)) held += connection.held()
        else end(connection)
      }
      if (held > maxBytes) endLongest(held, now)
    }
  }
}
