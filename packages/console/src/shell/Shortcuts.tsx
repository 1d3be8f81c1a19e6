// Keys for people who do not use a mouse. They do nothing while the person types.
import { useEffect, useRef } from "preact/hooks"
import { allPages } from "../pages.ts"
import { go, href } from "../Route.ts"
import { mayOpen } from "../service/Caller.ts"

const pages = new Map(allPages.flatMap(({ key, path }) => key === undefined ? [] : [[key, path] as const]))

const keys: ReadonlyArray<readonly [key: string, meaning: string]> = [
  ["Ctrl K", "Search pages, components, sessions and actions"],
  ["/", "Search the list, or write a message"],
  ["j, k", "Next and previous entry of a list"],
  ["y, n", "Approve or reject the approval that has the focus"],
  ...allPages.flatMap(({ key, title }) => key === undefined ? [] : [[`g ${key}`, title] as const]),
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

/** The button of the approval that has the focus. Enter presses it. */
const decide = (verdict: "approve" | "reject") =>
  document.activeElement?.closest(".approval")?.querySelector<HTMLButtonElement>(`button.${verdict}`)?.focus()

const search = () => {
  const find = (selector: string) => document.querySelector<HTMLElement>(`main ${selector}`)
  const field = find(".composer textarea") ?? find("[type=search]")
  field?.focus()
}

export const Shortcuts = () => {
  const help = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    let isGoing = false
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      if (document.querySelector("dialog[open]") !== null) return
      const { key } = event
      const page = isGoing ? pages.get(key) : undefined
      isGoing = key === "g"
      if (page !== undefined && mayOpen(page)) return go(href([page]))
      const action = key === "/"
        ? search
        : key === "j"
        ? () => move(1)
        : key === "k"
        ? () => move(-1)
        : key === "y"
        ? () => decide("approve")
        : key === "n"
        ? () => decide("reject")
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
