// Creates a webhook, or changes one.
import type { Webhook, WebhookCreate } from "@svc-runtime/client"
import { chosenOf, type FieldOptions } from "../resources/FormField.tsx"
import { ResourceForm, type Values } from "../resources/ResourceForm.tsx"
import { type Choices, chosenComponent, useComponentChoices } from "../service/componentChoices.ts"

// The events that a webhook can have, in words. The compiler compares them with those of the client.
type WebhookEvent = WebhookCreate["events"][number]

const eventTitles: Readonly<Record<WebhookEvent, string>> = {
  "run.completed": "a run completed",
  "run.failed": "a run failed",
  "run.cancelled": "a run was cancelled",
  "run.paused": "a run waits",
  "approval.created": "an approval was requested",
  "approval.resolved": "an approval was decided",
  "schedule.failed": "a schedule failed",
  "evaluation.completed": "an evaluation completed",
  "experiment.completed": "an experiment completed",
  "budget.warned": "a budget is nearly used up",
  "budget.exhausted": "a budget is used up",
  "rollout.stopped": "a guard stopped a version"
}

const eventChoices: ReadonlyArray<readonly [value: string, title: string]> = Object.entries(eventTitles)

const isEvent = (text: string): text is WebhookEvent => Object.hasOwn(eventTitles, text)

const fieldsOf = (components: Choices): ReadonlyArray<FieldOptions> => [
  { name: "url", title: "Address", isRequired: true },
  { name: "description", title: "Description" },
  { name: "component", title: "Events of", choices: [["", "all components"], ...components] },
  { name: "events", title: "Events", kind: "several", choices: eventChoices, isRequired: true }
]

const bodyOf = ({ component = "", description = "", events = "", url = "" }: Values): WebhookCreate => ({
  url,
  description: description === "" ? null : description,
  component: chosenComponent(component) ?? null,
  events: chosenOf(events).filter(isEvent)
})

interface Props {
  readonly webhook?: Webhook
  readonly title: string
  readonly button: string
  readonly submit: (body: WebhookCreate) => Promise<unknown>
}

export const WebhookForm = ({ button, submit, title, webhook }: Props) => {
  const components = useComponentChoices()
  const component = webhook?.component ?? undefined
  const chosen = component === undefined ? "" : `${component.kind}/${component.id}`
  const isUnknown = chosen !== "" && !components.some(([value]) => value === chosen)
  return (
    <ResourceForm
      scope="webhooks:write"
      title={title}
      button={button}
      isFolded
      fields={fieldsOf(isUnknown ? [...components, [chosen, chosen]] : components)}
      initial={webhook === undefined ? { events: eventChoices.map(([event]) => event).join(",") } : {
        url: webhook.url,
        description: webhook.description ?? "",
        component: chosen,
        events: webhook.events.join(",")
      }}
      submit={(values) => submit(bodyOf(values))}
    />
  )
}
