// What a page shows of the service: loaded when its inputs change, and again by `reload`.
import { SvcConnectionError, SvcError } from "@svc-runtime/client"
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

/** Milliseconds. A request without a response for so long is sent again. */
const resendAfterMillis = 30_000

/** Milliseconds, or undefined: not again. It can depend on what was loaded. */
type Period<A> = number | undefined | ((value: A | undefined) => number | undefined)

/** A service that starts or restarts responds soon. Milliseconds, or undefined if a repetition does not help. */
const waitOf = (problem: unknown): number | undefined => {
  if (problem instanceof SvcConnectionError) return 2000
  return problem instanceof SvcError && problem.status === 503
    ? 1000 * Math.min(problem.retryAfter ?? 2, 30)
    : undefined
}

/**
 * Loads a value. The value before stays until the next one is there, unless the inputs have changed.
 * Nothing is loaded while the person has to sign in. It is loaded again when the service could not respond.
 * `every`: milliseconds after which it is loaded again while the page is visible. A request that executes is awaited.
 */
export const useLoaded = <A>(
  load: (signal: AbortSignal) => Promise<A>,
  inputs: ReadonlyArray<unknown>,
  { every: period }: { readonly every?: Period<A> } = {}
): Loaded<A> => {
  const [state, setState] = useState<State<A>>({ value: undefined, problem: undefined, isLoading: true })
  const [count, setCount] = useState(0)
  const key = JSON.stringify(inputs)
  const before = useRef(key)
  const since = useRef<number | undefined>(undefined)
  const every = typeof period === "function" ? period(state.value) : period
  const isOut = isRefused.value
  useEffect(() => {
    if (isOut) return
    const control = new AbortController()
    const isOther = before.current !== key
    before.current = key
    setState((state) => ({ ...state, isLoading: true, ...(isOther ? { value: undefined, problem: undefined } : {}) }))
    since.current = performance.now()
    load(control.signal).then(
      (value) => {
        if (control.signal.aborted) return
        since.current = undefined
        setState({ value, problem: undefined, isLoading: false })
      },
      (problem: unknown) => {
        if (control.signal.aborted) return
        since.current = undefined
        setState((state) => ({ ...state, problem, isLoading: false }))
      }
    )
    return () => {
      since.current = undefined
      control.abort()
    }
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
      const isExecuting = since.current !== undefined && performance.now() - since.current < resendAfterMillis
      if (document.visibilityState === "visible" && !isExecuting) setCount((count) => count + 1)
    }, every)
    return () => clearInterval(timer)
  }, [every])
  return { ...state, reload: () => setCount((count) => count + 1) }
}
