// The traces of a run as rows of a timeline. A run that was resumed has a trace for each attempt.
import type { TraceDetail, TraceNode } from "@svc-runtime/client"

export interface Row {
  readonly id: string
  readonly node: TraceNode
  readonly depth: number
  /** Milliseconds since the start of the run. */
  readonly start: number
  /** Milliseconds. */
  readonly length: number
  /** From 1. */
  readonly attempt: number
}

export interface Timeline {
  readonly rows: ReadonlyArray<Row>
  /** Rows that are left out, since the page has a limit. */
  readonly omitted: number
  /** Milliseconds. */
  readonly length: number
  /** Times in which nothing of the run was executed: it waited for a decision, for a time, or for a node. */
  readonly gaps: ReadonlyArray<{ readonly start: number; readonly length: number; readonly attempt: number }>
}

/** What people call the operations of spans. */
const operations: Readonly<Record<string, string>> = {
  invoke_agent: "agent",
  invoke_workflow: "workflow",
  execute_tool: "tool",
  chat: "model",
  retrieval: "search",
  embeddings: "embedding",
  step: "step",
  job: "job"
}

/** What a span is of, and its kind: `execute_tool refund` is the tool `refund`. */
export const labelOf = (
  { name, team_id, type }: { readonly name: string; readonly type?: string; readonly team_id?: string | undefined }
) => {
  if (type === "STATEMENT") return { title: name, kind: "statement" }
  const [operation = "", ...title] = name.split(" ")
  const kind = type === "TEAM" || (operation === "invoke_agent" && team_id !== undefined)
    ? "team"
    : operations[operation]
  return kind === undefined || title.length === 0 ? { title: name, kind: "" } : { title: title.join(" "), kind }
}

const millisOf = (text: string): number => {
  const time = Date.parse(text)
  return Number.isNaN(time) ? 0 : time
}

/** The rows without rows in them that took the longest, as the answer to why a run was slow. The longest first. */
export const slowestOf = ({ rows }: Timeline, count: number): ReadonlyArray<Row> =>
  rows.filter(({ length, node }) => length > 0 && (node.spans ?? []).length === 0)
    .toSorted((one, other) => other.length - one.length)
    .slice(0, count)

/** Where the time went: model calls, tool calls and so on, with how often and how long. The longest first. */
export const timesOf = ({ rows }: Timeline) => {
  const kinds = new Map<string, { count: number; millis: number }>()
  const isCall = (node: TraceNode) => !["", "statement"].includes(labelOf(node).kind)
  for (const { length, node } of rows) {
    // what has calls in it is their sum
    if (!isCall(node) || (node.spans ?? []).some(isCall)) continue
    const { kind } = labelOf(node)
    const { count, millis } = kinds.get(kind) ?? { count: 0, millis: 0 }
    kinds.set(kind, { count: count + 1, millis: millis + length })
  }
  return [...kinds].map(([kind, sum]) => ({ kind, ...sum })).toSorted((one, other) => other.millis - one.millis)
}

/** The innermost rows that failed: those around them failed because of them. */
export const failuresOf = ({ rows }: Timeline): ReadonlyArray<Row> =>
  rows.filter(({ node }) => node.status === "ERROR" && (node.spans ?? []).every(({ status }) => status !== "ERROR"))

/** The most rows that are shown. */
const maxRows = 5000

export const timelineOf = (traces: ReadonlyArray<TraceDetail>): Timeline => {
  const ordered = traces.toSorted((one, other) => millisOf(one.start_time) - millisOf(other.start_time))
  const origin = Math.min(...ordered.map(({ start_time }) => millisOf(start_time)))
  const rows: Array<Row> = []
  const gaps: Array<Timeline["gaps"][number]> = []
  let [end, omitted] = [0, 0]
  const add = (nodes: ReadonlyArray<TraceNode>, depth: number, attempt: number) => {
    for (const node of nodes) {
      if (rows.length >= maxRows) {
        omitted++
        add(node.spans ?? [], depth, attempt)
        continue
      }
      const start = millisOf(node.start_time) - origin
      const length = Math.max(0, millisOf(node.end_time) - millisOf(node.start_time))
      rows.push({ id: node.id, node, depth, start, length, attempt })
      end = Math.max(end, start + length)
      add(node.spans ?? [], depth + 1, attempt)
    }
  }
  ordered.forEach(({ start_time, tree }, index) => {
    const start = millisOf(start_time) - origin
    if (index > 0 && start > end) gaps.push({ start: end, length: start - end, attempt: index + 1 })
    add(tree, 0, index + 1)
  })
  return { rows, omitted, length: end, gaps }
}
