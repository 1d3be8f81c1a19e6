// The events of a run from its first one on, as they come. They are drawn once a frame.
import { useEffect, useState } from "preact/hooks"
import { runsOf, type Target } from "../chat/Conversation.ts"

export interface Event {
  readonly event: string
  readonly event_index?: number
  readonly created_at?: number
  readonly step_name?: string
  readonly paused_step_name?: string
}

interface Reference {
  readonly run_id: string
  readonly session_id: string
}

export const useEvents = ({ id, kind }: Target, { run_id, session_id }: Reference) => {
  const [events, setEvents] = useState<ReadonlyArray<Event>>([])
  const [problem, setProblem] = useState<unknown>(undefined)
  useEffect(() => {
    const control = new AbortController()
    const read: Array<Event> = []
    let isShown = true
    const show = () => {
      isShown = true
      if (!control.signal.aborted) setEvents([...read])
    }
    const follow = async () => {
      for await (const event of runsOf({ id, kind }).watch({ run_id, session_id }, { signal: control.signal })) {
        read.push(event as Event)
        if (!isShown) continue
        isShown = false
        requestAnimationFrame(show)
      }
    }
    setEvents([])
    setProblem(undefined)
    follow().catch((error: unknown) => {
      if (!control.signal.aborted) setProblem(error)
    })
    return () => control.abort()
  }, [kind, id, run_id, session_id])
  return { events, problem }
}
