// What can be done with a webhook.
import type { Webhook } from "@svc-runtime/client"
import { Action } from "../resources/Action.tsx"
import { svc } from "../service/Service.ts"

interface Props {
  readonly webhook: Webhook
  readonly changed: () => void
  readonly deleted: () => void
}

export const WebhookActions = ({ changed, deleted, webhook: { enabled, id, url } }: Props) => (
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
    <Action
      scope="webhooks:delete"
      label={`Delete ${url}`}
      question={`Delete the webhook to ${url}?`}
      run={() => svc().webhooks.delete(id)}
      done={deleted}
    >
      Delete
    </Action>
  </>
)
