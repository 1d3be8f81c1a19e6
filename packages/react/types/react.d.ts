// What the hooks use of React. Its own types would be found by the console too, whose libraries for React use Preact.
declare module "react" {
  export const useEffect: (effect: () => () => void, deps: ReadonlyArray<unknown>) => void
  export const useMemo: <A>(make: () => A, deps: ReadonlyArray<unknown>) => A
  export const useState: <A>(initial: () => A) => readonly [A, (value: A) => void]
  export const useSyncExternalStore: <A>(
    subscribe: (listener: () => void) => () => void,
    state: () => A,
    stateOnServer: () => A
  ) => A
}
