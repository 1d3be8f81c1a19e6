// Keys for people who do not use a mouse. They do nothing while the person types.
import { useEffect, useRef } from "preact/hooks"
import { go, href } from "./Route.ts"

const pages: Readonly<Record<string, string>> = { c: "chat", r: "runs", a: "approvals", w: "workflows" }

const keys: ReadonlyArray<readonly [key: string, meaning: string]> = [
  ["/", "Search, or write a message"],
  ["j, k", "Next and previous entry of a list"],
  ["y, n", "Approve or reject the approval that has the focus"],
  ["g c, g r, g a, g w", "Chat, runs, approvals, workflows"],
  ["?", "These keys"]
]

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches("input:not([type=radio], [type=checkbox]), textarea, select")

const entries = (): ReadonlyArray<HTMLElement> =>
  Array.from(
    document.querySelectorAll<HTMLElement>("main tbody a, main .approval, main .waterfall .row, main .session > a")
  )

const move = (by: number) => {
  const all = entries()
  const at = all.findIndex((entry) => entry === document.activeElement || entry.contains(document.activeElement))
  all[Math.min(all.length - 1, Math.max(0, at < 0 ? 0 : at + by))]?.focus()
}

/** The choice of the approval that has the focus, and then its button. */
const decide = (label: string) => {
  const approval = document.activeElement?.closest(".approval")
  const choices = Array.from(approval?.querySelectorAll<HTMLLabelElement>("label.check") ?? [])
  choices.find(({ textContent }) => textContent?.trim() === label)?.querySelector("input")?.click()
  const button = approval?.querySelector<HTMLButtonElement>("button.primary")
  // the button is enabled by the choice, once the page is drawn
  const focus = (frames: number) => {
    button?.focus()
    if (document.activeElement !== button && frames > 0) requestAnimationFrame(() => focus(frames - 1))
  }
  focus(60)
}

const search = () => document.querySelector<HTMLElement>("main [type=search], main .composer textarea")?.focus()

export const Shortcuts = () => {
  const help = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    let isGoing = false
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      const { key } = event
      const page = isGoing ? pages[key] : undefined
      isGoing = key === "g"
      if (page !== undefined) return go(href([page]))
      const action = key === "/"
        ? search
        : key === "j"
        ? () => move(1)
        : key === "k"
        ? () => move(-1)
        : key === "y"
        ? () => decide("Approve")
        : key === "n"
        ? () => decide("Reject")
        : key === "?"
        ? () => help.current?.showModal()
        : undefined
      if (action === undefined) return
      event.preventDefault()
      action()
    }
    addEventListener("keydown", press)
    return () => removeEventListener("keydown", press)
  }, [])
  return (
    <dialog ref={help} aria-labelledby="keys">
      <h2 id="keys">Keys</h2>
      <dl class="keys">
        {keys.map(([key, meaning]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button>Close</button>
      </form>
    </dialog>
  )
}
