// What calls functions of this process when something has happened.

export interface Followers {
  readonly tell: () => void
  readonly follow: (onEvent: () => void) => void
}

export const make = (): Followers => {
  const followers = new Set<() => void>()
  return { tell: () => followers.forEach((onEvent) => onEvent()), follow: (onEvent) => followers.add(onEvent) }
}
