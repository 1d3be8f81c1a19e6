// Webhooks: addresses that the service calls when something happens.
import type { Webhook, WebhookCreate, WebhookCreated } from "@svc/client"
import { useState } from "preact/hooks"
import { Status } from "../parts/Status.tsx"
import { Action } from "../resources/Action.tsx"
import type { FieldOptions } from "../resources/FormField.tsx"
import { ResourceForm } from "../resources/ResourceForm.tsx"
import { ResourceList } from "../resources/ResourceList.tsx"
import { Secret } from "../resources/Secret.tsx"
import type { Column } from "../resources/Table.tsx"
import { href } from "../Route.ts"
import { svc } from "../service/Service.ts"

const events: WebhookCreate["events"] = [
  "run.completed",
  "run.failed",
  "run.cancelled",
  "run.paused",
  "approval.created",
  "approval.resolved",
  "schedule.failed",
  "evaluation.completed",
  "experiment.completed"
]

const columns: ReadonlyArray<Column<Webhook>> = [
  { title: "Address", isCut: true, cell: ({ id, url }) => <a href={href(["webhooks", id])}>{url}</a> },
  {
    title: "State",
    cell: ({ disabled_reason, enabled }) => (
      <>
        <Status value={enabled ? "enabled" : "disabled"} /> {disabled_reason}
      </>
    )
  },
  { title: "Events", cell: ({ events }) => events.join(", ") },
  { title: "Failures in a row", cell: ({ failures }) => failures },
  { title: "Description", cell: ({ description }) => description }
]

const fields: ReadonlyArray<FieldOptions> = [
  { name: "url", title: "Address", isRequired: true },
  { name: "events", title: "Events", choices: [...events.map((event) => [event, event] as const), ["", "all"]] },
  { name: "description", title: "Description" }
]

export const WebhooksPage = () => {
  const [created, setCreated] = useState<WebhookCreated | undefined>(undefined)
  return (
    <ResourceList
      title="Webhooks"
      load={(paging, _, signal) => svc().webhooks.list(paging, { signal })}
      columns={columns}
      keyOf={({ id }) => id}
      actions={({ id, url }, reload) => (
        <>
          <Action label={`Test ${url}`} run={() => svc().webhooks.test(id)} done={reload}>Test</Action>
          <Action
            label={`Delete ${url}`}
            question={`Delete the webhook to ${url}?`}
            run={() => svc().webhooks.delete(id)}
            done={reload}
          >
            Delete
          </Action>
        </>
      )}
      forms={(reload) => (
        <>
          {created === undefined
            ? null
            : <Secret title={`The key that signs calls of ${created.url}.`} value={created.secret} />}
          <ResourceForm
            title="New webhook"
            button="Create"
            isFolded
            fields={fields}
            submit={async ({ description = "", events: event = "", url = "" }) => {
              setCreated(
                await svc().webhooks.create({
                  url,
                  description: description === "" ? null : description,
                  events: events.filter((each) => event === "" || each === event)
                })
              )
              reload()
            }}
          />
        </>
      )}
      empty="A webhook calls an address of yours when a run ends, or when something waits for a person. Create one above."
    />
  )
}
