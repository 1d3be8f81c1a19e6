// Statuses of runs as SQL. They are literals, so that the planner knows which partial index fits.
import * as RunStatus from "@svc-runtime/domain/RunStatus"

/** The statuses in which a run allows a transition: `'PAUSED', 'ERROR'`. */
export const statusesFor = (transition: RunStatus.Transition): string =>
  RunStatus.allowing(transition).map((status) => `'${status}'`).join(", ")
