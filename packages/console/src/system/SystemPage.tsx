// What the service is: its version, databases, models and components.
import type { DatabaseNodes, InfoResponse, Model } from "@svc-runtime/client"
import type { ComponentChildren } from "preact"
import { Folded } from "../parts/Json.tsx"
import { Problem } from "../parts/Problem.tsx"
import { Status } from "../parts/Status.tsx"
import { type Column, Table } from "../resources/Table.tsx"
import { svc } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"
import { samplesOf, sumsOf } from "./samples.ts"

// The nodes that share each database.
type NodeEntry = DatabaseNodes["nodes"][number]

const nodeColumns: ReadonlyArray<Column<NodeEntry>> = [
  { title: "Node", cell: ({ is_this_node, node }) => is_this_node ? <strong>{node} (this one)</strong> : node },
  { title: "State", cell: ({ state }) => <Status value={state} /> },
  {
    title: "Last heartbeat",
    // the only process of an embedded database sends none
    cell: ({ is_this_node, seconds_since_heartbeat }) => is_this_node ? "–" : `${seconds_since_heartbeat} s ago`
  },
  { title: "Runs", cell: ({ runs }) => runs.toLocaleString() }
]

const NodesOfDatabase = ({ db_id, is_available, nodes, waiting_runs }: DatabaseNodes) => (
  <>
    <p>
      Database <strong>{db_id}</strong>: {is_available
        ? waiting_runs === 0 ? "no run waits for a node." : `${waiting_runs.toLocaleString()} runs wait for a node.`
        : "it does not reply."}
    </p>
    {nodes.length === 0 ? null : <Table columns={nodeColumns} entries={nodes} keyOf={({ node }) => node} />}
  </>
)

const Nodes = ({ databases }: { readonly databases: ReadonlyArray<DatabaseNodes> }) => (
  <>
    {databases.map((each) => <NodesOfDatabase key={each.db_id} {...each} />)}
  </>
)

// The databases of the service, and the migrations that they have.
const Database = ({ id }: { readonly id: string }) => {
  const { problem, value } = useLoaded((signal) => svc().databases.migrations(id, { signal }), [id])
  return (
    <li>
      <strong>{id}</strong>
      <Problem error={problem} />
      {value === undefined ? null : (
        <>
          : {value.version === null ? "has no migrations" : `version ${value.version} of ${value.latest_version}`}
          {value.pending.length === 0 ? null : `, ${value.pending.length} migrations are pending`}
          <Folded title="Migrations" value={value} />
        </>
      )}
    </li>
  )
}

const Databases = ({ ids }: { readonly ids: ReadonlyArray<string> }) => (
  <>
    <h3>Databases</h3>
    <ul>
      {ids.map((id) => <Database key={id} id={id} />)}
    </ul>
  </>
)

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

// What the node that responds has counted since its start.

const facts: ReadonlyArray<readonly [title: string, name: string, by?: string]> = [
  ["Runs whose leases it holds", "svc_runs_held"],
  ["Runs in session queues", "svc_runs_queued"],
  ["Runs that it took over", "svc_takeovers_total", "reason"],
  ["Ended runs", "svc_runs_total", "status"],
  ["Requests to models", "svc_model_requests_total", "outcome"],
  ["Attempts of jobs", "svc_jobs_total", "status"],
  ["Refused runs", "svc_runs_refused_total", "limit"],
  ["Requests with a response", "svc_http_requests_total", "status"]
]

const NodeMetrics = ({ text }: { readonly text: string }) => {
  const samples = samplesOf(text)
  return (
    <>
      <dl class="facts">
        {facts.flatMap(([title, name, by]) => {
          const sums = [...sumsOf(samples, name, by)].filter(([key, sum]) => key === "" || sum > 0)
          return sums.length === 0 ? [] : [
            <dt key={`title of ${name}`}>{title}</dt>,
            <dd key={name}>
              {sums.map(([key, sum]) =>
                key === "" ? sum.toLocaleString() : `${key.toLowerCase()}: ${sum.toLocaleString()}`
              ).join(", ")}
            </dd>
          ]
        })}
      </dl>
      <Folded title="All metrics" value={text} />
    </>
  )
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
