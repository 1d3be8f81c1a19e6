// The deliveries of a webhook.
import type { WebhookDelivery } from "@svc/client"
import { Folded } from "../parts/Json.tsx"
import { Status } from "../parts/Status.tsx"
import { Time } from "../parts/Time.tsx"
import { Action } from "../resources/Action.tsx"
import { ResourceList } from "../resources/ResourceList.tsx"
import type { Column } from "../resources/Table.tsx"
import { route } from "../Route.ts"
import { svc } from "../service/Service.ts"

const columns: ReadonlyArray<Column<WebhookDelivery>> = [
  { title: "State", cell: ({ status }) => <Status value={status} /> },
  { title: "Event", cell: ({ event }) => event },
  { title: "Attempts", cell: ({ attempts }) => attempts },
  { title: "Answer", cell: ({ error, status_code }) => [status_code, error].filter((part) => part !== null).join(" ") },
  { title: "Created", cell: ({ created_at }) => <Time value={created_at} /> },
  { title: "Sent", cell: ({ payload }) => <Folded title="Payload" value={payload} /> }
]

export const WebhookPage = () => {
  const { path: [, id = ""] } = route.value
  return (
    <ResourceList
      title="Deliveries of a webhook"
      filters={[{ name: "status", title: "State", choices: ["pending", "succeeded", "failed"] }]}
      load={(paging, { status }, signal) =>
        svc().webhooks.deliveries(
          id,
          { ...paging, ...(status === "pending" || status === "succeeded" || status === "failed" ? { status } : {}) },
          { signal }
        )}
      every={3000}
      columns={columns}
      keyOf={({ id }) => id}
      actions={(delivery, reload) =>
        delivery.status === "pending"
          ? null
          : <Action run={() => svc().webhooks.redeliver(id, delivery.id)} done={reload}>Send again</Action>}
      empty="Nothing was sent yet. Test the webhook in the list of webhooks."
    />
  )
}
