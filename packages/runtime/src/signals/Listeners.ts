// What calls functions of this process when something has happened.

export interface Listeners<A = void> {
  readonly tell: (what: A) => void
  readonly follow: (onEvent: (what: A) => void) => void
}

export const make = <A = void>(): Listeners<A> => {
  const followers = new Set<(what: A) => void>()
  return {
    tell: (what) => followers.forEach((onEvent) => onEvent(what)),
    follow: (onEvent) => followers.add(onEvent)
  }
}
