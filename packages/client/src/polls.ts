import { Schedule } from "effect"

/** Of something that is awaited: what is short is seen soon, and what is long costs few requests. */
export const polls = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("2 seconds")])
