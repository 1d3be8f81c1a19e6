// One webhook: its settings, and its deliveries.
import type { Webhook, WebhookDelivery, WebhookSecret } from "@svc-runtime/client"
import { useState } from "preact/hooks"
import { Folded } from "../parts/Json.tsx"
import { Problem } from "../parts/Problem.tsx"
import { Status } from "../parts/Status.tsx"
import { Time } from "../parts/Time.tsx"
import { Action } from "../resources/Action.tsx"
import { ResourceList } from "../resources/ResourceList.tsx"
import { Secret } from "../resources/Secret.tsx"
import type { Column } from "../resources/Table.tsx"
import { go, href, route } from "../Route.ts"
import { svc } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"
import { WebhookActions } from "./WebhookActions.tsx"
import { WebhookForm } from "./WebhookForm.tsx"

const columns: ReadonlyArray<Column<WebhookDelivery>> = [
  { title: "State", cell: ({ status }) => <Status value={status} /> },
  { title: "Event", cell: ({ event }) => event },
  { title: "Attempts", cell: ({ attempts }) => attempts },
  {
    title: "Response",
    cell: ({ error, status_code }) => [status_code, error].filter((part) => part !== null).join(" ")
  },
  { title: "Created", cell: ({ created_at }) => <Time value={created_at} /> },
  { title: "Sent", cell: ({ payload }) => <Folded title="Payload" value={payload} /> }
]

const Settings = ({ changed, webhook }: { readonly webhook: Webhook; readonly changed: () => void }) => {
  const [secret, setSecret] = useState<WebhookSecret | undefined>(undefined)
  const { component, description, disabled_reason, dropped, enabled, events, id, url } = webhook
  return (
    <>
      <h1>{url}</h1>
      <p>
        <Status value={enabled ? "enabled" : "disabled"} /> {disabled_reason}
      </p>
      {description === null ? null : <p>{description}</p>}
      <p>
        Events of {component === null ? "all components" : `${component.kind} ${component.id}`}: {events.join(", ")}
      </p>
      {dropped === 0 ? null : <p class="problem">{dropped} events were not sent, because too many waited.</p>}
      {secret === undefined
        ? null
        : <Secret title="The new key. The one before signs calls as well for a while." value={secret.secret} />}
      <div class="actions">
        <WebhookActions webhook={webhook} changed={changed} deleted={() => go(href(["webhooks"]))} />
        <Action
          scope="webhooks:write"
          question="Replace the key that signs the calls?"
          run={() => svc().webhooks.rotateSecret(id).then(setSecret)}
        >
          Replace the key
        </Action>
      </div>
      <WebhookForm
        key={String(webhook.updated_at)}
        webhook={webhook}
        title="Change the webhook"
        button="Save"
        submit={(body) => svc().webhooks.update(id, body).then(changed)}
      />
    </>
  )
}

export const WebhookPage = () => {
  const { path: [, id = ""] } = route.value
  const { problem, reload, value } = useLoaded((signal) => svc().webhooks.get(id, { signal }), [id])
  return (
    <section class="page">
      <p>
        <a href={href(["webhooks"])}>Webhooks</a>
      </p>
      <Problem error={problem} retry={reload} />
      {value === undefined ? null : <Settings webhook={value} changed={reload} />}
      <ResourceList
        isPart
        title="Deliveries"
        filters={[{ name: "status", title: "State", choices: ["pending", "succeeded", "failed"] }]}
        load={(paging, { status }, signal) =>
          svc().webhooks.deliveries(
            id,
            { ...paging, ...(status === "pending" || status === "succeeded" || status === "failed" ? { status } : {}) },
            { signal }
          )}
        every={1000}
        columns={columns}
        keyOf={({ id }) => id}
        actions={(delivery, reload) =>
          delivery.status === "pending"
            ? null
            : (
              <Action scope="webhooks:write" run={() => svc().webhooks.redeliver(id, delivery.id)} done={reload}>
                Send again
              </Action>
            )}
        empty="Nothing was sent yet. Test the webhook above."
      />
    </section>
  )
}
