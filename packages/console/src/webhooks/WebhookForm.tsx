// Creates a webhook, or changes one.
import type { Webhook, WebhookCreate } from "@svc-runtime/client"
import { chosenOf, type FieldOptions } from "../resources/FormField.tsx"
import { ResourceForm, type Values } from "../resources/ResourceForm.tsx"
import { type Choices, chosenComponent, useComponentChoices } from "../service/componentChoices.ts"
import { eventChoices, isEvent } from "./events.ts"

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
