// The events of a run from its first one on, as they come. They are drawn once a frame.
import { SvcError } from "@svc-runtime/client"
import { useEffect, useState } from "preact/hooks"
import { signedIn } from "../service/Service.ts"
import { runsOf, type Target } from "./Conversation.ts"

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
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    const control = new AbortController()
    const read: Array<Event> = []
    let isShown = true
    const show = () => {
      isShown = true
      if (!control.signal.aborted) setEvents([...read])
    }
    const follow = async (after?: number): Promise<void> => {
      const { signal } = control
      const stream = runsOf({ id, kind }).watch({ run_id, session_id }, { after, signal })
      try {
        for await (const event of stream) {
          read.push(event as Event)
          if (!isShown) continue
          isShown = false
          requestAnimationFrame(show)
        }
      } catch (error) {
        if (!(error instanceof SvcError) || error.status !== 401) throw error
        await signedIn(signal)
        await follow(stream.lastEventIndex)
      }
    }
    setEvents([])
    setProblem(undefined)
    follow().catch((error: unknown) => {
      if (!control.signal.aborted) setProblem(error)
    })
    return () => control.abort()
  }, [kind, id, run_id, session_id, attempt])
  return { events, problem, retry: () => setAttempt(attempt + 1) }
}
