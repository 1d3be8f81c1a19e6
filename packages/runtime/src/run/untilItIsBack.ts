// A database that is away is waited for: what a run has done is not thrown away because it cannot be written down yet.
import { Schedule } from "effect"

export const untilItIsBack = Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("2 seconds")])
