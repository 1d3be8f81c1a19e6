// What to do first with a service, under the empty chat, until the person closes it for good.
import { signal } from "@preact/signals"
import { X } from "lucide"
import { pageAt } from "../pages.ts"
import { Icon, IconButton } from "../parts/Icon.tsx"
import { href } from "../Route.ts"
import { mayOpen } from "../service/Caller.ts"
import { inBrowser } from "../storage.ts"

const key = "svc.steps"

const isClosed = signal(inBrowser.get(key) === "closed")

const steps = [
  { page: "chat", title: "Ask something", text: "Write a message below, or press a suggestion." },
  { page: "runs", title: "See what happened", text: "Each answer has its run: model calls, tools, time and cost." },
  { page: "knowledge", title: "Add a document", text: "Drop a file. Agents answer from it and show the passage." },
  { page: "approvals", title: "Decide", text: "What an agent may not do alone waits here for you." }
]

export const FirstSteps = () => {
  const shown = steps.filter(({ page }) => mayOpen(page))
  return isClosed.value || shown.length < 2 ? null : (
    <section class="first-steps" aria-label="First steps">
      <ol>
        {shown.map(({ page, text, title }) => {
          const icon = pageAt(page)?.icon
          return (
            <li key={page}>
              {icon === undefined ? null : <Icon of={icon} />}
              <div>
                {page === "chat" ? <strong>{title}</strong> : <a href={href([page])}>{title}</a>}
                <p class="quiet">{text}</p>
              </div>
            </li>
          )
        })}
      </ol>
      <IconButton
        of={X}
        label="Close the first steps for good"
        onClick={() => {
          isClosed.value = true
          inBrowser.set(key, "closed")
        }}
      />
    </section>
  )
}
