// The events of a run, as the service sends them. Only those on the screen are drawn.
import { useState } from "preact/hooks"
import { VList } from "virtua"
import type { Target } from "../chat/Conversation.ts"
import { useEvents } from "../chat/useEvents.ts"
import { Json } from "../parts/Json.tsx"
import { Problem } from "../parts/Problem.tsx"

interface Props {
  readonly target: Target
  readonly run: { readonly run_id: string; readonly session_id: string }
}

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" })

export const RunEvents = ({ run, target }: Props) => {
  const { events, problem, retry } = useEvents(target, run)
  const [open, setOpen] = useState<number | undefined>(undefined)
  const chosen = open === undefined ? undefined : events[open]
  return (
    <div class="events">
      <Problem error={problem} retry={retry} />
      <p class="quiet">{events.length.toLocaleString()} events</p>
      <VList style={{ height: "24rem" }}>
        {events.map((event, index) => (
          <button
            key={index}
            type="button"
            class="row"
            aria-expanded={open === index}
            onClick={() => setOpen(index)}
          >
            <span class="quiet">{event.event_index ?? index}</span>
            <span>{event.event}</span>
            <span class="quiet">{event.created_at === undefined ? "" : clock.format(event.created_at * 1000)}</span>
          </button>
        ))}
      </VList>
      {chosen === undefined ? null : <Json value={chosen} />}
    </div>
  )
}
