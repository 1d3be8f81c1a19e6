// The ids of traces that begin here. They begin with the time, so that the rows of new traces are neighbours in the
// indexes of the store: entries at random places cost a page of the log of the database each.
import { Hex } from "effect/encoding"

/** Milliseconds since 1970, in hexadecimal digits until the year 10889. */
const timeDigits = 12

/** The last 20 digits are random, more than the 14 by which samplers decide. `at`: nanoseconds since 1970. */
export const make = (at: bigint): string =>
  (at < 0n ? 0n : at / 1_000_000n).toString(16).padStart(timeDigits, "0").slice(-timeDigits) +
  Hex.random(24).slice(0, 32 - timeDigits)
