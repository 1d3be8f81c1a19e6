// A list of questions changes by itself, and after a decision. A press that was meant for the one that was there before
// decides nothing. Keys have no place.
import { useRef } from "preact/hooks"

/** Milliseconds after a change of the list in which a press is of the list before. */
const settling = 600

/** `shown`: the ids that the list has now. Undefined: they are not known. */
export const useSettling = (shown: string | undefined) => {
  const last = useRef<{ readonly shown: string; readonly changedAt: number } | undefined>(undefined)
  if (shown !== undefined && last.current?.shown !== shown) {
    const wasEmpty = (last.current?.shown ?? "") === ""
    last.current = { shown, changedAt: wasEmpty ? -settling : performance.now() }
  }
  return (event: MouseEvent) => {
    const isDecision = event.target instanceof Element && event.target.closest(".verdict, .retry") !== null
    if (!isDecision || event.detail === 0 || performance.now() - (last.current?.changedAt ?? 0) > settling) return
    event.preventDefault()
    event.stopPropagation()
  }
}
