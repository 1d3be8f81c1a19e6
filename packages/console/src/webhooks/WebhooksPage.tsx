// Webhooks: addresses that the service calls when something happens.
import type { Webhook, WebhookCreated } from "@svc-runtime/client"
import { useState } from "preact/hooks"
import { Status } from "../parts/Status.tsx"
import { ResourceList } from "../resources/ResourceList.tsx"
import { Secret } from "../resources/Secret.tsx"
import type { Column } from "../resources/Table.tsx"
import { href } from "../Route.ts"
import { svc } from "../service/Service.ts"
import { WebhookActions } from "./WebhookActions.tsx"
import { WebhookForm } from "./WebhookForm.tsx"

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

export const WebhooksPage = () => {
  const [created, setCreated] = useState<WebhookCreated | undefined>(undefined)
  return (
    <ResourceList
      title="Webhooks"
      load={(paging, _, signal) => svc().webhooks.list(paging, { signal })}
      columns={columns}
      keyOf={({ id }) => id}
      actions={(webhook, reload) => <WebhookActions webhook={webhook} changed={reload} deleted={reload} />}
      forms={(reload) => (
        <>
          {created === undefined
            ? null
            : <Secret title={`The key that signs calls of ${created.url}.`} value={created.secret} />}
          <WebhookForm
            title="New webhook"
            button="Create"
            submit={async (body) => {
              setCreated(await svc().webhooks.create(body))
              reload()
            }}
          />
        </>
      )}
      empty="A webhook calls an address of yours when a run ends, or when something waits for a person. Create one above."
    />
  )
}
