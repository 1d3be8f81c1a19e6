// The events that a webhook can have, in words. The compiler compares them with those of the client.
import type { WebhookCreate } from "@svc-runtime/client"

type Event = WebhookCreate["events"][number]

const titles: Readonly<Record<Event, string>> = {
  "run.completed": "a run completed",
  "run.failed": "a run failed",
  "run.cancelled": "a run was cancelled",
  "run.paused": "a run waits",
  "approval.created": "an approval was requested",
  "approval.resolved": "an approval was decided",
  "schedule.failed": "a schedule failed",
  "evaluation.completed": "an evaluation completed",
  "experiment.completed": "an experiment completed"
}

export const eventChoices: ReadonlyArray<readonly [value: string, title: string]> = Object.entries(titles)

export const isEvent = (text: string): text is Event => Object.hasOwn(titles, text)
