// Signals the worker of a database in this process that a job was stored, so that it does not wait for its next poll. A
// lost signal costs one poll.
import { Context, Layer } from "effect"

export interface JobSignal {
  readonly tell: () => void
  readonly follow: (onJob: () => void) => void
}

const make = (): JobSignal => {
  const followers = new Set<() => void>()
  return { tell: () => followers.forEach((onJob) => onJob()), follow: (onJob) => followers.add(onJob) }
}

/** Without the layer no worker is signalled. */
export const JobSignal = Context.Reference<JobSignal>("@svc/runtime/jobs/JobSignal", {
  defaultValue: () => ({ tell: () => {}, follow: () => {} })
})

/** Of one database. */
export const layer: Layer.Layer<never> = Layer.sync(JobSignal, make)
