// What the service does and what needs a person, and what it is: its version, nodes, databases, models and settings.
import type { DatabaseNodes, InfoResponse, Model } from "@svc-runtime/client"
import { CircleCheck, CircleX, TriangleAlert } from "lucide"
import type { ComponentChildren } from "preact"
import { Icon } from "../parts/Icon.tsx"
import { Folded } from "../parts/Json.tsx"
import { Problem } from "../parts/Problem.tsx"
import { Status } from "../parts/Status.tsx"
import { duration } from "../parts/Time.tsx"
import { type Column, Table } from "../resources/Table.tsx"
import { href } from "../Route.ts"
import { isServed, may } from "../service/Caller.ts"
import { svc } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"
import {
  type Attention,
  attentionOf,
  cardsOf,
  type Facts,
  isWhole,
  type JobRow,
  jobsOf,
  maxFailed,
  type ModelRow,
  modelsOf
} from "./health.ts"
import { samplesOf } from "./samples.ts"

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
  { title: "Runs", isNumber: true, cell: ({ runs }) => runs.toLocaleString() }
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

// What fails or waits, and the figures of the node that responds.

const day = 86_400_000

/** Undefined where the caller may not read it, and where the service does not have it. */
function read<A>(isAllowed: boolean, load: () => Promise<A>): Promise<A | undefined> {
  return isAllowed ? load().catch(() => undefined) : Promise.resolve(undefined)
}

const factsOf = async (signal: AbortSignal): Promise<Facts & { readonly text: string | undefined }> => {
  const client = svc()
  const lists = { limit: 100, page: 1 }
  const yesterday = Math.floor((Date.now() - day) / 1000)
  const mayRead = (page: string, scope: string) => isServed(page) && may(scope)
  const [ready, nodes, text, failed, schedules, webhooks, pending] = await Promise.all([
    client.system.ready({ signal }).then(({ status }) => status === "ready", () => false),
    read(may("metrics:read"), () => client.system.nodes({ signal })),
    read(may("metrics:read"), () => client.system.prometheusMetrics({ signal })),
    read(
      may("sessions:read"),
      () => client.runs.list({ status: "ERROR", limit: maxFailed, created_after: yesterday }, { signal })
    ),
    read(mayRead("schedules", "schedules:read"), () => client.schedules.list(lists, { signal })),
    read(mayRead("webhooks", "webhooks:read"), () => client.webhooks.list(lists, { signal })),
    read(may("config:read"), async () => {
      const { databases } = await client.system.config({ signal })
      return await Promise.all(databases.map(async (db_id) => {
        const { pending } = await client.databases.migrations(db_id, { signal })
        return { db_id, count: pending.length }
      }))
    })
  ])
  return {
    isReady: ready,
    nodes,
    text,
    samples: text === undefined ? undefined : samplesOf(text),
    failed: failed?.data,
    schedules: schedules?.data,
    webhooks: webhooks?.data,
    pending
  }
}

const AttentionEntry = ({ level, page, query, text }: Attention) => (
  <li class={level}>
    <Icon of={level === "bad" ? CircleX : TriangleAlert} />
    <span>{text}</span>
    {page === undefined ? null : <a href={href(page, query)}>Look</a>}
  </li>
)

const modelColumns: ReadonlyArray<Column<ModelRow>> = [
  { title: "Model", cell: ({ model }) => model },
  { title: "Requests", isNumber: true, cell: ({ requests }) => requests.toLocaleString() },
  { title: "Failed", isNumber: true, cell: ({ failed }) => failed.toLocaleString() },
  {
    title: "95 % within",
    isNumber: true,
    cell: ({ p95 }) => p95 === undefined ? null : p95 === Infinity ? "more than a minute" : duration(p95 * 1000)
  }
]

/** What the statuses of attempts of jobs are called. */
const ends: ReadonlyMap<string, string> = new Map([["retry", "to be tried again"], ["repeat", "in turn"]])

const jobColumns: ReadonlyArray<Column<JobRow>> = [
  { title: "Kind", cell: ({ kind }) => kind.replaceAll(/[_-]/g, " ") },
  { title: "Due and waiting", isNumber: true, cell: ({ waiting }) => waiting.toLocaleString() },
  {
    title: "Attempts",
    cell: ({ ended }) =>
      [...ended].map(([status, count]) => `${count.toLocaleString()} ${ends.get(status) ?? status}`).join(", ")
  }
]

const Jobs = ({ jobs }: { readonly jobs: ReadonlyArray<JobRow> }) => {
  const [own, regular] = [jobs.filter((job) => !job.isRegular), jobs.filter((job) => job.isRegular)]
  return (
    <>
      {own.length === 0
        ? <p class="quiet">No job waits, and none but those of the upkeep has ended</p>
        : <Table columns={jobColumns} entries={own} keyOf={({ kind }) => kind} />}
      {regular.length === 0 ? null : (
        <details>
          <summary>{regular.length} kinds of upkeep run in turn</summary>
          <Table columns={jobColumns} entries={regular} keyOf={({ kind }) => kind} />
        </details>
      )}
    </>
  )
}

const Health = () => {
  const { problem, reload, value } = useLoaded(factsOf, [], { every: 5000 })
  if (value === undefined) return <Problem error={problem} retry={reload} />
  const attention = attentionOf(value)
  return (
    <>
      <ul class="attention" aria-label="What needs attention">
        {attention.length === 0
          ? (
            <li class="good">
              <Icon of={CircleCheck} />
              <span>
                The service accepts work{isWhole(value)
                  ? ", and nothing needs attention"
                  : ". Your token may not read all of its nodes, metrics, runs and databases"}
              </span>
            </li>
          )
          : attention.map((each) => <AttentionEntry key={each.text} {...each} />)}
      </ul>
      {value.samples === undefined ? null : (
        <dl class="totals">
          {cardsOf(value.samples).map(({ detail, title, value }) => (
            <div class="card figure" key={title}>
              <dt>{title}</dt>
              <dd>
                <strong>{value}</strong>
                <span class="quiet">{detail}</span>
              </dd>
            </div>
          ))}
        </dl>
      )}
      {value.nodes === undefined ? null : (
        <section class="part">
          <h2>Nodes</h2>
          <Nodes databases={value.nodes} />
        </section>
      )}
      {value.samples === undefined ? null : (
        <>
          <section class="part">
            <h2>Requests to models of this node</h2>
            {modelsOf(value.samples).length === 0
              ? <p class="quiet">None since it started</p>
              : <Table columns={modelColumns} entries={modelsOf(value.samples)} keyOf={({ model }) => model} />}
          </section>
          <section class="part">
            <h2>Jobs of this node</h2>
            <Jobs jobs={jobsOf(value.samples)} />
          </section>
          <Folded title="All metrics of this node" value={value.text} />
        </>
      )}
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
    <Health />
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
