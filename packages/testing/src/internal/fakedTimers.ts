// Whether a test has replaced the timers of the process: a service that starts with them waits forever.

/** Libraries give a replaced timer their clock. Node binds it to an object of its own. */
const isFaked = (timer: { readonly name: string }): boolean => "clock" in timer || timer.name.startsWith("bound #")

/** `setTimeout` and `setImmediate`, which the service needs. Others, such as `Date`, can be replaced. */
export const areFaked = (): boolean => [setTimeout, setImmediate].some(isFaked)

export const fakedTimers =
  "The timers are fake, and the service waits for real ones. It has a clock of its own: leave " +
  "the timers as they are, and move its time with service.advance(…), or fake only the Date"
