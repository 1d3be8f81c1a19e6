// Service accounts: callers that are programs.
import type { ServiceAccount, ServiceAccountCreated } from "@svc-runtime/client"
import { useState } from "preact/hooks"
import { InCode } from "../parts/InCode.tsx"
import { Status } from "../parts/Status.tsx"
import { Time } from "../parts/Time.tsx"
import { Action } from "../resources/Action.tsx"
import { ResourceForm, type Values } from "../resources/ResourceForm.tsx"
import { ResourceList } from "../resources/ResourceList.tsx"
import { Secret } from "../resources/Secret.tsx"
import type { Column } from "../resources/Table.tsx"
import { info, svc } from "../service/Service.ts"

const columns: ReadonlyArray<Column<ServiceAccount>> = [
  {
    title: "Name",
    cell: ({ declared, name }) => (
      <>
        {name} <InCode declared={declared} />
      </>
    )
  },
  { title: "State", cell: ({ revoked_at }) => <Status value={revoked_at === null ? "enabled" : "revoked"} /> },
  { title: "Scopes", cell: ({ scopes }) => scopes.join(", ") },
  { title: "Token begins with", cell: ({ token_prefix }) => <code>{token_prefix}</code> },
  { title: "Last used", cell: ({ last_used_at }) => <Time value={last_used_at} /> },
  { title: "Expires", cell: ({ expires_at }) => expires_at === null ? "never" : <Time value={expires_at} /> }
]

const bodyOf = ({ days = "", name = "", scopes = "" }: Values) => {
  const list = scopes.split(/[\s,]+/).filter((scope) => scope !== "")
  return {
    name,
    ...(list.length === 0 ? {} : { scopes: list }),
    ...(days === "" ? {} : { expires_in_days: Number(days) })
  }
}

export const AccountsPage = () => {
  const [created, setCreated] = useState<ServiceAccountCreated | undefined>(undefined)
  return (
    <ResourceList
      title="Service accounts"
      filters={[{ name: "include_revoked", title: "Revoked ones too", choices: ["true"] }]}
      load={(paging, { include_revoked }, signal) =>
        svc().serviceAccounts.list({ ...paging, include_revoked: include_revoked === "true" }, { signal })}
      columns={columns}
      keyOf={({ id }) => id}
      actions={({ id, name, revoked_at }, reload) =>
        revoked_at !== null ? null : (
          <Action
            scope="service_accounts:delete"
            label={`Revoke ${name}`}
            question={`Revoke "${name}"? Programs with its token are refused at once.`}
            run={() => svc().serviceAccounts.revoke(id)}
            done={reload}
          >
            Revoke
          </Action>
        )}
      forms={(reload) => (
        <>
          {created === undefined ? null : <Secret title={`The token of ${created.name}.`} value={created.token} />}
          {info.value?.auth_mode !== "none" ? null : (
            <p class="quiet">
              Everybody who reaches this service may call it, so it makes no tokens. Set <code>OS_SECURITY_KEY</code> or
              {" "}
              <code>JWT_VERIFICATION_KEY</code>.
            </p>
          )}
          {info.value?.auth_mode === "none" ? null : (
            <ResourceForm
              title="New service account"
              scope="service_accounts:write"
              button="Create"
              isFolded
              fields={[
                { name: "name", title: "Name", isRequired: true },
                {
                  name: "scopes",
                  title: "Scopes",
                  hint: "such as agents:read agents:run; the default ones without any"
                },
                { name: "days", title: "Days until it expires", kind: "number" }
              ]}
              submit={async (values) => {
                setCreated(await svc().serviceAccounts.create(bodyOf(values)))
                reload()
              }}
            />
          )}
        </>
      )}
      empty="A program calls the service with the token of a service account. Create one above."
    />
  )
}
