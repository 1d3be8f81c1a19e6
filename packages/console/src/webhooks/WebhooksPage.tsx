// Webhooks: addresses that the service calls when something happens. The page of one has its settings and deliveries.
import type { Webhook, WebhookCreated, WebhookDelivery, WebhookSecret } from "@svc-runtime/client"
import { useState } from "preact/hooks"
import { InCode } from "../parts/InCode.tsx"
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
import { WebhookForm } from "./WebhookForm.tsx"

// What can be done with a webhook.

interface Props {
  readonly webhook: Webhook
  readonly changed: () => void
  readonly deleted: () => void
}

const WebhookActions = ({ changed, deleted, webhook: { declared, enabled, id, url } }: Props) => (
  <>
    <Action scope="webhooks:write" label={`Test ${url}`} run={() => svc().webhooks.test(id)} done={changed}>
      Test
    </Action>
    <Action
      scope="webhooks:write"
      label={`${enabled ? "Disable" : "Enable"} ${url}`}
      run={() => svc().webhooks.update(id, { enabled: !enabled })}
      done={changed}
    >
      {enabled ? "Disable" : "Enable"}
    </Action>
    {declared ? null : (
      <Action
        scope="webhooks:delete"
        label={`Delete ${url}`}
        question={`Delete the webhook to ${url}?`}
        run={() => svc().webhooks.delete(id)}
        done={deleted}
      >
        Delete
      </Action>
    )}
  </>
)

const webhookColumns: ReadonlyArray<Column<Webhook>> = [
  { title: "Address", isCut: true, cell: ({ id, url }) => <a href={href(["webhooks", id])}>{url}</a> },
  {
    title: "State",
    cell: ({ declared, disabled_reason, enabled }) => (
      <>
        <Status value={enabled ? "enabled" : "disabled"} /> <InCode declared={declared} /> {disabled_reason}
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
      columns={webhookColumns}
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

const deliveryColumns: ReadonlyArray<Column<WebhookDelivery>> = [
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
  const { component, declared, description, disabled_reason, dropped, enabled, events, id, url } = webhook
  return (
    <>
      <h1>{url}</h1>
      <p>
        <Status value={enabled ? "enabled" : "disabled"} /> <InCode declared={declared} /> {disabled_reason}
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
        {declared ? null : (
          <Action
            scope="webhooks:write"
            question="Replace the key that signs the calls?"
            run={() => svc().webhooks.rotateSecret(id).then(setSecret)}
          >
            Replace the key
          </Action>
        )}
      </div>
      {declared ? null : (
        <WebhookForm
          key={String(webhook.updated_at)}
          webhook={webhook}
          title="Change the webhook"
          button="Save"
          submit={(body) => svc().webhooks.update(id, body).then(changed)}
        />
      )}
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
        columns={deliveryColumns}
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
