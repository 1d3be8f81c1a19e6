// What the status of a run says. A test compares it with the statuses of the service.

/** Whether it is executed or queued. */
export const isActive = (status: string): boolean => status === "PENDING" || status === "RUNNING"

/** Whether it is neither active nor paused. */
export const hasEnded = (status: string): boolean => !isActive(status) && status !== "PAUSED"
