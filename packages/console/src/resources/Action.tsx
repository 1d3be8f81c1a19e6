// A button that changes something in the service. It shows what the service refuses.
import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { Problem } from "../parts/Problem.tsx"
import { may } from "../service/Caller.ts"
import { useSending } from "./useSending.ts"

interface Props {
  readonly run: () => Promise<unknown>
  readonly done?: () => void
  /** A question that the person must confirm. */
  readonly question?: string
  /** The one action of its place. Without it, an action with a question is a dangerous one. */
  readonly isPrimary?: boolean
  /** For whom the name on the button does not say enough. */
  readonly label?: string
  /** What it requires. Without it the button is not there. Left out: each caller may. */
  readonly scope?: string
  /** The component that it is about. */
  readonly of?: string
  readonly children: ComponentChildren
}

export const Action = ({ children, done, isPrimary = false, label, of, question, run, scope }: Props) => {
  const { isSending, problem, send } = useSending()
  const isHere = useRef(true)
  useEffect(() => () => {
    isHere.current = false
  }, [])
  const start = () => {
    if (question !== undefined && !confirm(question)) return
    // the person may have left for another page
    send(run, () => isHere.current && done?.())
  }
  if (scope !== undefined && !may(scope, of)) return null
  return (
    <>
      <button
        type="button"
        class={isPrimary ? "primary" : question === undefined ? undefined : "danger"}
        aria-label={label}
        disabled={isSending}
        onClick={start}
      >
        {children}
      </button>
      <Problem error={problem} />
    </>
  )
}
