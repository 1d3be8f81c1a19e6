// What the service is: its version, databases, models and components.
import type { InfoResponse, Model } from "@svc-runtime/client"
import type { ComponentChildren } from "preact"
import { Folded } from "../parts/Json.tsx"
import { Problem } from "../parts/Problem.tsx"
import { Status } from "../parts/Status.tsx"
import { type Column, Table } from "../resources/Table.tsx"
import { svc } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"
import { Databases } from "./Databases.tsx"
import { NodeMetrics } from "./NodeMetrics.tsx"
import { Nodes } from "./Nodes.tsx"

const models: ReadonlyArray<Column<Model>> = [
  { title: "Model", cell: ({ id }) => id },
  { title: "Provider", cell: ({ provider }) => provider }
]

const authorization: Readonly<Record<InfoResponse["auth_mode"], string>> = {
  none: "none: everybody who reaches the service may call it",
  security_key: "a security key",
  jwt: "tokens"
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

interface Props<A> {
  readonly title: string
  readonly load: (signal: AbortSignal) => Promise<A>
  readonly every?: number
  readonly children: (value: A) => ComponentChildren
}

/** Each part needs a scope of its own, so each shows its own problem. */
function Part<A>({ children, every, load, title }: Props<A>) {
  const { problem, reload, value } = useLoaded(load, [], { every })
  return (
    <section class="part">
      <h2>{title}</h2>
      <Problem error={problem} retry={reload} />
      {value === undefined ? null : children(value)}
    </section>
  )
}

export const SystemPage = () => (
  <section class="page">
    <h1>System</h1>
    <Part title="Service" load={(signal) => svc().system.info({ signal })}>
      {({ agent_count, auth_mode, mcp, name, os_id, team_count, version, workflow_count }) => (
        <dl class="facts">
          <dt>Name</dt>
          <dd>{name ?? os_id}</dd>
          <dt>Version</dt>
          <dd>{version}</dd>
          <dt>Authorization</dt>
          <dd>{authorization[auth_mode]}</dd>
          <dt>MCP</dt>
          <dd>{mcp.enabled ? "enabled" : "disabled"}</dd>
          <dt>Components</dt>
          <dd>
            {[counted(agent_count, "agent"), counted(team_count, "team"), counted(workflow_count, "workflow")].join(
              ", "
            )}
          </dd>
        </dl>
      )}
    </Part>
    <Part title="Readiness" load={(signal) => svc().system.ready({ signal })}>
      {({ status }) => <Status value={status} />}
    </Part>
    <Part title="Nodes" load={(signal) => svc().system.nodes({ signal })} every={5000}>
      {(databases) => <Nodes databases={databases} />}
    </Part>
    <Part title="This node" load={(signal) => svc().system.prometheusMetrics({ signal })} every={5000}>
      {(text) => <NodeMetrics text={text} />}
    </Part>
    <Part title="Config" load={(signal) => svc().system.config({ signal })}>
      {(config) => (
        <>
          <Databases ids={config.databases} />
          <Folded title="All of the config" value={config} />
        </>
      )}
    </Part>
    <Part title="Models" load={(signal) => svc().system.models({ signal })}>
      {(list) => <Table columns={models} entries={list} keyOf={({ id, provider }) => `${provider}:${id}`} />}
    </Part>
  </section>
)
