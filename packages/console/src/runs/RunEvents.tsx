// The events of a run, as the service sends them. Only those on the screen are drawn.
import { useEffect, useState } from "preact/hooks"
import { VList } from "virtua"
import { runsOf, type Target } from "../chat/Conversation.ts"
import { Json } from "../parts/Json.tsx"
import { Problem } from "../parts/Problem.tsx"

interface Event {
  readonly event: string
  readonly event_index?: number
  readonly created_at?: number
}

interface Shown {
  readonly target: Target
  readonly run: { readonly run_id: string; readonly session_id: string }
}

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" })

export const RunEvents = ({ run: { run_id, session_id }, target: { id, kind } }: Shown) => {
  const [events, setEvents] = useState<ReadonlyArray<Event>>([])
  const [problem, setProblem] = useState<unknown>(undefined)
  const [open, setOpen] = useState<number | undefined>(undefined)
  useEffect(() => {
    const control = new AbortController()
    const read: Array<Event> = []
    let isShown = true
    const show = () => {
      isShown = true
      setEvents([...read])
    }
    const follow = async () => {
      const stream = runsOf({ id, kind }).watch({ run_id, session_id }, { signal: control.signal })
      for await (const event of stream) {
        read.push(event as Event)
        if (!isShown) continue
        isShown = false
        requestAnimationFrame(show)
      }
    }
    follow().catch((error: unknown) => {
      if (!control.signal.aborted) setProblem(error)
    })
    return () => control.abort()
  }, [run_id])
  const chosen = open === undefined ? undefined : events[open]
  return (
    <div class="events">
      <Problem error={problem} />
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
