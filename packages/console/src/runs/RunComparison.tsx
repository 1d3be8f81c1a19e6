// Another run of the same component beside this one: what was asked and answered, and what each has used.
import type { RunItem } from "@svc-runtime/client"
import { runsOf, type Target } from "../chat/Conversation.ts"
import { inputOf, type Recorded, usedBy } from "../chat/StoredTurns.ts"
import { Json } from "../parts/Json.tsx"
import { Markdown } from "../parts/Markdown.tsx"
import { Problem } from "../parts/Problem.tsx"
import { duration, Time } from "../parts/Time.tsx"
import { money } from "../parts/units.ts"
import { href, query, route } from "../Route.ts"
import { svc } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"

interface Compared extends Recorded {
  readonly run_id: string
  readonly input?: unknown
  readonly model?: string | undefined
}

interface Props {
  readonly run: Compared
  readonly target: Target
}

/** How much more or less a run has than the other one: `+12%`. */
const changeOf = (value: number | undefined, base: number | undefined): string => {
  if (value === undefined || base === undefined || base === 0 || value === base) return ""
  const change = Math.round(100 * (value / base - 1))
  return `${change > 0 ? "+" : ""}${change}%`
}

const figures = [
  { title: "Took", of: (run: Compared) => run.metrics?.duration, shown: (value: number) => duration(1000 * value) },
  {
    title: "Tokens",
    of: (run: Compared) => usedBy(run).total_tokens,
    shown: (value: number) => value.toLocaleString()
  },
  { title: "Cost", of: (run: Compared) => usedBy(run).cost, shown: money },
  { title: "Tool calls", of: ({ tools }: Compared) => tools?.length ?? 0, shown: (value: number) => String(value) }
]

const Side = ({ base, run, title }: { readonly run: Compared; readonly base?: Compared; readonly title: string }) => {
  const input = inputOf(run)
  return (
    <section class="card run-side" aria-label={title}>
      <h2>{title}</h2>
      <dl class="facts">
        <dt>State</dt>
        <dd>{run.status?.toLowerCase()}</dd>
        <dt>Model</dt>
        <dd>{run.model ?? "–"}</dd>
        {figures.map(({ of, shown, title }) => {
          const value = of(run)
          return [
            <dt key={`title of ${title}`}>{title}</dt>,
            <dd key={title}>
              {value === undefined ? "–" : shown(value)}{" "}
              <span class="quiet">{base === undefined ? "" : changeOf(value, of(base))}</span>
            </dd>
          ]
        })}
      </dl>
      <p class="label">Input</p>
      {typeof input === "string" ? <p class="input" tabIndex={0}>{input}</p> : <Json value={input} />}
      <p class="label">Answer</p>
      {typeof run.content === "string" ? <Markdown text={run.content} /> : <Json value={run.content} />}
      {(run.tools ?? []).length === 0 ? null : (
        <>
          <p class="label">Tool calls</p>
          <ol>
            {run.tools?.map((tool) => (
              <li key={tool.tool_call_id}>
                <code>{tool.tool_name}({JSON.stringify(tool.tool_args)})</code>
              </li>
            ))}
          </ol>
        </>
      )}
    </section>
  )
}

const choiceOf = ({ created_at, model, session_name, status }: RunItem): string =>
  [new Date(created_at).toLocaleString(), session_name?.slice(0, 60), model, status.toLowerCase()]
    .filter((part) => part !== undefined && part !== null).join(" · ")

const Other = (
  { base, item, target }: { readonly base: Compared; readonly item: RunItem; readonly target: Target }
) => {
  const { problem, reload, value } = useLoaded(
    (signal) => runsOf(target).get(item, { signal }) as Promise<Compared>,
    [item.run_id]
  )
  return (
    <>
      <Problem error={problem} retry={reload} />
      {value === undefined ? null : <Side title="The other run" run={value} base={base} />}
    </>
  )
}

export const RunComparison = ({ run, target }: Props) => {
  const { query: { with: other } } = route.value
  const { problem, reload, value } = useLoaded(
    (signal) => svc().runs.list({ type: target.kind, component_id: target.id, limit: 50 }, { signal }),
    [target.kind, target.id]
  )
  const items = value?.data.filter(({ run_id }) => run_id !== run.run_id) ?? []
  const isOlder = value !== undefined && other !== undefined && !items.some(({ run_id }) => run_id === other)
  const { problem: missing, value: found } = useLoaded(
    async (signal) => isOlder ? (await svc().runs.list({ run_id: other, limit: 1 }, { signal })).data : [],
    [isOlder, other]
  )
  const item = items.find(({ run_id }) => run_id === other) ?? found?.[0]
  return (
    <>
      <Problem error={problem ?? missing} retry={reload} />
      {isOlder && found?.length === 0 ? <p class="problem">There is no run {other}, or it is not yours.</p> : null}
      {value === undefined ? null : items.length === 0
        ? <p class="quiet">There is no other run of {target.id} yet. "Run again" starts one.</p>
        : (
          <p class="filters">
            <label>
              Compare with
              <select value={item?.run_id ?? ""} onChange={(event) => query({ with: event.currentTarget.value })}>
                <option value="">Choose a run</option>
                {items.map((each) => <option key={each.run_id} value={each.run_id}>{choiceOf(each)}</option>)}
              </select>
            </label>
            {item === undefined ? null : (
              <a href={href(["runs", item.run_id])}>
                Open the other run, of <Time value={item.created_at} />
              </a>
            )}
          </p>
        )}
      <div class="run-sides">
        <Side title="This run" run={run} />
        {item === undefined ? null : <Other base={run} item={item} target={target} />}
      </div>
    </>
  )
}
