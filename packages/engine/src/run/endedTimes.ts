// The times of a run that ended, for the usage of its hour.
import type * as AnyRun from "@svc-runtime/domain/AnyRun"

/** More than the largest integer of a database would not be stored. */
const largest = 2_147_483_647

const millis = (seconds: number | undefined): number | null =>
  seconds === undefined || !(seconds >= 0) ? null : Math.min(largest, Math.round(seconds * 1000))

export const millisOf = ({ metrics = {} }: AnyRun.Output) => ({
  duration: millis("duration" in metrics ? metrics.duration : undefined),
  time_to_first_token: millis("time_to_first_token" in metrics ? metrics.time_to_first_token : undefined)
})
