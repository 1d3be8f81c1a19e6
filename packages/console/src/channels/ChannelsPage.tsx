// Channels: the platforms on which components answer, and the accounts of the person on them.
import type { Channel, ChannelLink, ChannelLinking } from "@svc-runtime/client"
import { useState } from "preact/hooks"
import { InCode } from "../parts/InCode.tsx"
import { Problem } from "../parts/Problem.tsx"
import { Status } from "../parts/Status.tsx"
import { Time } from "../parts/Time.tsx"
import { Action } from "../resources/Action.tsx"
import { ResourceForm, type Values } from "../resources/ResourceForm.tsx"
import { ResourceList } from "../resources/ResourceList.tsx"
import { type Column, Table } from "../resources/Table.tsx"
import { href, redirect, route } from "../Route.ts"
import { may } from "../service/Caller.ts"
import { svc } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"

// The accounts of the person. A code is confirmed after the person has seen whose it is.

const linkColumns: ReadonlyArray<Column<ChannelLink>> = [
  { title: "Channel", cell: ({ channel }) => channel },
  { title: "Account", cell: ({ name, sender }) => name === null ? sender : `${name} (${sender})` },
  { title: "User", isCut: true, cell: ({ user_id }) => user_id },
  { title: "May", cell: ({ scopes }) => scopes.length === 0 ? "nothing" : scopes.join(", ") },
  { title: "Until", cell: ({ expires_at }) => expires_at === null ? "" : <Time value={expires_at} /> }
]

interface Whose extends ChannelLinking {
  readonly code: string
  readonly user_id: string
}

const bodyOf = ({ code, user_id }: Whose) => ({ code, ...(user_id === "" ? {} : { user_id }) })

const Confirmation = ({ cancel, done, whose }: {
  readonly whose: Whose
  readonly done: () => void
  readonly cancel: () => void
}) => (
  <div class="resource">
    <p class="wide">
      Is <strong>{whose.name ?? whose.sender}</strong> ({whose.sender}) on <strong>{whose.channel}</strong>{" "}
      you? From then on, what this account writes there is done as you. Confirm only a code that the channel has shown
      to you.
    </p>
    <div class="wide">
      <Action isPrimary run={() => svc().channels.confirmLink(bodyOf(whose))} done={done}>Link the account</Action>
      <button type="button" onClick={cancel}>It is not me</button>
    </div>
  </div>
)

const LinkForm = ({ changed }: { readonly changed: () => void }) => {
  const [whose, setWhose] = useState<Whose | undefined>(undefined)
  const { code = "" } = route.value.query
  const preview = async ({ code = "", user_id = "" }: Values) =>
    setWhose({ ...await svc().channels.previewLink({ code }), code, user_id })
  const close = () => {
    setWhose(undefined)
    redirect(href(["channels"]))
  }
  if (whose !== undefined) {
    return (
      <Confirmation
        whose={whose}
        cancel={close}
        done={() => {
          close()
          changed()
        }}
      />
    )
  }
  return (
    <ResourceForm
      title="Link an account"
      button="Continue"
      initial={{ code }}
      fields={[
        { name: "code", title: "Code", isRequired: true, hint: "as the channel has shown it to you" },
        { name: "user_id", title: "User", isFurther: true, hint: "if the service does not know who you are" }
      ]}
      submit={preview}
    />
  )
}

const Links = () => (
  <ResourceList
    isPart
    title="Linked accounts"
    load={(paging, _, signal) => svc().channels.links(paging, { signal })}
    columns={linkColumns}
    keyOf={({ id }) => id}
    actions={({ channel, id, name, sender }, reload) => (
      <Action
        label={`Unlink ${name ?? sender}`}
        question={`Unlink ${name ?? sender} on ${channel}? The channel asks for another code then.`}
        run={() => svc().channels.unlink(id)}
        done={reload}
      >
        Unlink
      </Action>
    )}
    forms={(reload) => <LinkForm changed={reload} />}
    empty="Write to a channel. It shows a code to you, which you enter above."
  />
)

// The channels, with what each did last.

const channelColumns: ReadonlyArray<Column<Channel>> = [
  {
    title: "Channel",
    cell: ({ declared, id, platform }) => (
      <>
        {id === platform ? id : `${id} (${platform})`} <InCode declared={declared} />
      </>
    )
  },
  { title: "Answers", cell: ({ component_id, component_kind }) => `${component_kind} ${component_id}` },
  { title: "Access", cell: ({ access }) => access },
  { title: "Arrived", cell: ({ health }) => <Time value={health?.last_event_at ?? null} /> },
  { title: "Written", cell: ({ health }) => <Time value={health?.last_post_at ?? null} /> },
  {
    title: "Waiting",
    isNumber: true,
    cell: ({ health }) => health === null ? null : health.waiting_events + health.waiting_replies
  },
  {
    title: "Last error",
    cell: ({ health }) =>
      health?.errors[0] === undefined ? null : (
        <>
          <Status value="error" /> {health.errors[0].message} <Time value={health.errors[0].at} />
        </>
      )
  }
]

/** What the platform says, after a test. */
const Test = ({ id }: { readonly id: string }) => {
  const [outcome, setOutcome] = useState("")
  return (
    <>
      <Action
        scope="channels:write"
        label={`Test ${id}`}
        run={async () => {
          const { error, identity } = await svc().channels.test(id)
          setOutcome(error === null ? identity ?? "" : error.message)
        }}
      >
        Test
      </Action>
      <span role="status">{outcome}</span>
    </>
  )
}

const Channels = () => {
  const { problem, reload, value } = useLoaded((signal) => svc().channels.list({ limit: 100 }, { signal }), [], {
    every: 5000
  })
  return (
    <section class="part">
      <h2>Channels of the service</h2>
      <Problem error={problem} retry={reload} />
      {value === undefined
        ? null
        : value.data.length === 0
        ? <p>The option channels of serve declares where components answer.</p>
        : (
          <Table
            columns={channelColumns}
            entries={value.data}
            keyOf={({ id }) => id}
            actions={({ id }) => <Test id={id} />}
          />
        )}
    </section>
  )
}

export const ChannelsPage = () => (
  <section class="page">
    <h1>Channels</h1>
    <Links />
    {may("channels:read") ? <Channels /> : null}
  </section>
)
