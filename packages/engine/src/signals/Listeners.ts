// What calls functions of this process when something has happened.

export interface Listeners<A = void> {
  readonly notify: (what: A) => void
  readonly follow: (onEvent: (what: A) => void) => void
}

/** Nothing follows. */
export const none = <A = void>(): Listeners<A> => ({ notify: () => {}, follow: () => {} })

export const make = <A = void>(): Listeners<A> => {
  const listeners = new Set<(what: A) => void>()
  return {
    notify: (what) => listeners.forEach((onEvent) => onEvent(what)),
    follow: (onEvent) => listeners.add(onEvent)
  }
}
