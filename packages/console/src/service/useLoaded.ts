// What a page shows of the service: loaded when its inputs change, and again by `reload`.
import { SvcConnectionError, SvcError } from "@svc/client"
import { useEffect, useRef, useState } from "preact/hooks"
import { isRefused } from "./Service.ts"

export interface Loaded<A> {
  readonly value: A | undefined
  readonly problem: unknown
  readonly isLoading: boolean
  readonly reload: () => void
}

interface State<A> {
  readonly value: A | undefined
  readonly problem: unknown
  readonly isLoading: boolean
}

/** A service that starts or restarts answers soon. Milliseconds, or undefined if a repetition does not help. */
const waitOf = (problem: unknown): number | undefined => {
  if (problem instanceof SvcConnectionError) return 2000
  return problem instanceof SvcError && problem.status === 503
    ? 1000 * Math.min(problem.retryAfter ?? 2, 30)
    : undefined
}

/**
 * Loads a value. The value before stays until the next one is there, unless the inputs have changed.
 * Nothing is loaded while the person has to sign in. It is loaded again when the service could not answer.
 * `every`: milliseconds after which it is loaded again while the page is visible.
 */
export const useLoaded = <A>(
  load: (signal: AbortSignal) => Promise<A>,
  inputs: ReadonlyArray<unknown>,
  { every }: { readonly every?: number | undefined } = {}
): Loaded<A> => {
  const [state, setState] = useState<State<A>>({ value: undefined, problem: undefined, isLoading: true })
  const [count, setCount] = useState(0)
  const key = JSON.stringify(inputs)
  const before = useRef(key)
  const isOut = isRefused.value
  useEffect(() => {
    if (isOut) return
    const control = new AbortController()
    const isOther = before.current !== key
    before.current = key
    setState((state) => ({ ...state, isLoading: true, ...(isOther ? { value: undefined, problem: undefined } : {}) }))
    load(control.signal).then(
      (value) => {
        if (!control.signal.aborted) setState({ value, problem: undefined, isLoading: false })
      },
      (problem: unknown) => {
        if (!control.signal.aborted) setState((state) => ({ ...state, problem, isLoading: false }))
      }
    )
    return () => control.abort()
  }, [key, count, isOut])
  useEffect(() => {
    const wait = every === undefined ? waitOf(state.problem) : undefined
    if (wait === undefined) return
    const timer = setTimeout(() => setCount((count) => count + 1), wait)
    return () => clearTimeout(timer)
  }, [state.problem, every])
  useEffect(() => {
    if (every === undefined) return
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") setCount((count) => count + 1)
    }, every)
    return () => clearInterval(timer)
  }, [every])
  return { ...state, reload: () => setCount((count) => count + 1) }
}
