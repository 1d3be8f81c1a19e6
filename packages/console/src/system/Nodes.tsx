// The nodes that share each database.
import type { DatabaseNodes } from "@svc-runtime/client"
import { Status } from "../parts/Status.tsx"
import { type Column, Table } from "../resources/Table.tsx"

type Node = DatabaseNodes["nodes"][number]

const columns: ReadonlyArray<Column<Node>> = [
  { title: "Node", cell: ({ is_this_node, node }) => is_this_node ? <strong>{node} (this one)</strong> : node },
  { title: "State", cell: ({ state }) => <Status value={state} /> },
  {
    title: "Last heartbeat",
    // the only process of an embedded database sends none
    cell: ({ is_this_node, seconds_since_heartbeat }) => is_this_node ? "–" : `${seconds_since_heartbeat} s ago`
  },
  { title: "Runs", cell: ({ runs }) => runs.toLocaleString() }
]

const Database = ({ db_id, is_available, nodes, waiting_runs }: DatabaseNodes) => (
  <>
    <p>
      Database <strong>{db_id}</strong>: {is_available
        ? waiting_runs === 0 ? "no run waits for a node." : `${waiting_runs.toLocaleString()} runs wait for a node.`
        : "it does not reply."}
    </p>
    {nodes.length === 0 ? null : <Table columns={columns} entries={nodes} keyOf={({ node }) => node} />}
  </>
)

export const Nodes = ({ databases }: { readonly databases: ReadonlyArray<DatabaseNodes> }) => (
  <>
    {databases.map((each) => <Database key={each.db_id} {...each} />)}
  </>
)
