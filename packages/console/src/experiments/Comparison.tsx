// Two experiments of a dataset side by side: their figures, and the items that got worse or better, with both answers.
import type { Experiment, ExperimentComparison, ExperimentDifference, ExperimentItem } from "@svc-runtime/client"
import { useState } from "preact/hooks"
import { Votes } from "../chat/Votes.tsx"
import { Empty } from "../parts/Empty.tsx"
import { Markdown } from "../parts/Markdown.tsx"
import { Pages } from "../parts/Pages.tsx"
import { Problem } from "../parts/Problem.tsx"
import { Status } from "../parts/Status.tsx"
import { duration } from "../parts/Time.tsx"
import { href, query, route, whole } from "../Route.ts"
import { features, may } from "../service/Caller.ts"
import { svc } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"
import { percent, scoreOf, titleOf } from "./figures.ts"

/** Chooses the experiment to compare with. */
export const Base = ({ all, of }: { readonly all: ReadonlyArray<Experiment>; readonly of: Experiment }) => (
  <label class="base">
    Compared with
    <select
      value={route.value.query.base ?? ""}
      onChange={({ currentTarget: { value } }) => query({ base: value, page: undefined })}
    >
      <option value="">nothing</option>
      {all.filter(({ id }) => id !== of.id).map((other) => (
        <option key={other.id} value={other.id}>
          {`${titleOf(other)}, ${new Date(other.created_at).toLocaleString()}, version ${other.dataset_version}`}
        </option>
      ))}
    </select>
  </label>
)

// The figures of both.

interface Figure {
  readonly title: string
  readonly of: (summary: NonNullable<Experiment["summary"]>) => number | null
  readonly format: (value: number) => string
  /** Less is better. */
  readonly isCost?: boolean
}

const figures: ReadonlyArray<Figure> = [
  { title: "Passed", of: ({ pass_rate }) => pass_rate, format: percent },
  { title: "Score", of: ({ score }) => score, format: scoreOf },
  { title: "Tokens", of: ({ tokens }) => tokens, format: (tokens) => tokens.toLocaleString(), isCost: true },
  { title: "Cost", of: ({ cost }) => cost, format: (cost) => `$${cost.toFixed(4)}`, isCost: true },
  {
    title: "Duration, median",
    of: ({ duration_p50 }) => duration_p50,
    format: (seconds) => duration(seconds * 1000),
    isCost: true
  }
]

const signed = (change: number, format: Figure["format"]): string =>
  `${change > 0 ? "+" : change < 0 ? "−" : "±"}${format(Math.abs(change))}`

const Change = (
  { change, figure: { format, isCost = false } }: { readonly change: number; readonly figure: Figure }
) => {
  const isBetter = isCost ? change < 0 : change > 0
  return <span class={change === 0 ? "quiet" : isBetter ? "better" : "worse"}>{signed(change, format)}</span>
}

const Figures = ({ base, other }: { readonly base: Experiment; readonly other: Experiment }) => {
  const [before, now] = [base.summary, other.summary]
  if (before === null || now === null) return null
  const shown = figures.flatMap((figure) => {
    const [one, two] = [figure.of(before), figure.of(now)]
    return one === null || two === null ? [] : [{ figure, one, two }]
  })
  return (
    <dl class="totals" aria-label="Figures of both experiments">
      {shown.map(({ figure, one, two }) => (
        <div key={figure.title} class="figure card">
          <dt>{figure.title}</dt>
          <dd>
            <strong>{figure.format(two)}</strong>
            <span>
              <Change change={two - one} figure={figure} /> <span class="quiet">from {figure.format(one)}</span>
            </span>
          </dd>
        </div>
      ))}
    </dl>
  )
}

// The items.

const changeOf = (
  { base, change, is_regression, is_unjudged, other }: ExperimentDifference
): "worse" | "better" | undefined => {
  if (base === null || other === null || is_unjudged) return undefined
  if (is_regression) return "worse"
  const isBetter = (change !== null && change > 0) || (base.status !== "passed" && other.status === "passed")
  return isBetter ? "better" : undefined
}

const Side = ({ side }: { readonly side: ExperimentDifference["base"] }) =>
  side === null ? <span class="quiet">no result</span> : (
    <span>
      <Status value={side.status} /> <span class="quiet">{scoreOf(side.score)}</span>
    </span>
  )

/** The score that a person has given to the run, to be changed. */
const HumanScore = ({ run_id }: { readonly run_id: string }) => {
  const { problem, value } = useLoaded((signal) => svc().feedback.ofRun(run_id, {}, { signal }), [run_id])
  const before = value?.find(({ score, source }) => source === "user" && typeof score === "boolean")?.score
  if (value === undefined) return <Problem error={problem} />
  return <Votes run_id={run_id} before={typeof before === "boolean" ? before : undefined} />
}

const Answer = ({ item, title }: { readonly item: ExperimentItem | undefined; readonly title: string }) => (
  <section class="side" aria-label={title}>
    <p class="label">{title}</p>
    {item === undefined
      ? <p class="quiet">no result</p>
      : (
        <>
          {item.error === null ? null : <p class="problem">{item.error}</p>}
          {item.output === null ? null : <Markdown text={item.output} />}
          <ul class="reasons">
            {item.scores.map(({ passed, reason, score, scorer }) => (
              <li key={scorer}>
                <Status value={passed ? "passed" : "failed"} /> {scorer} {score === null ? "" : scoreOf(score)}{" "}
                <span class="quiet">{reason ?? ""}</span>
              </li>
            ))}
          </ul>
          <p class="toolbar">
            {item.run_id !== null && features.value.includes("feedback") && may("evals:write")
              ? <HumanScore run_id={item.run_id} />
              : null}
            <span class="quiet">
              {[
                ...(item.duration === null ? [] : [duration(item.duration * 1000)]),
                `${item.tokens.toLocaleString()} tokens`,
                ...(item.cost === null ? [] : [`$${item.cost.toFixed(4)}`])
              ].join(" · ")} {item.run_id === null ? null : <a href={href(["runs", item.run_id])}>Look at the run</a>}
            </span>
          </p>
        </>
      )}
  </section>
)

interface Ids {
  readonly base: string
  readonly other: string
}

const Answers = ({ base, item_id, other }: Ids & { readonly item_id: string }) => {
  const { problem, reload, value } = useLoaded(
    (signal) =>
      Promise.all(
        [base, other].map((id) =>
          svc().experiments.items(id, { item_id, limit: 1 }, { signal }).then(({ data }) => data[0])
        )
      ),
    [base, other, item_id]
  )
  return (
    <>
      <Problem error={problem} retry={reload} />
      <div class="sides">
        {value === undefined ? null : (
          <>
            <Answer title="Before" item={value[0]} />
            <Answer title="Now" item={value[1]} />
          </>
        )}
      </div>
    </>
  )
}

const Item = (
  { difference, isShown, ...ids }: Ids & { readonly difference: ExperimentDifference; readonly isShown: boolean }
) => {
  const { base, change, input, is_item_changed, item_id, other } = difference
  const [isOpen, setOpen] = useState(isShown)
  return (
    <li>
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <span class="question" title={item_id} dir="auto">{input ?? item_id}</span>
          <Side side={base} />
          <span aria-hidden="true">→</span>
          <Side side={other} />
          <span class="change">
            {is_item_changed ? <span class="quiet">the item was changed</span> : (
              <>
                <Status value={changeOf(difference)} />{" "}
                {change === null || change === 0 ? null : signed(change, scoreOf)}
              </>
            )}
          </span>
        </summary>
        {isOpen ? <Answers {...ids} item_id={item_id} /> : null}
      </details>
    </li>
  )
}

/** What makes two experiments hard to compare. */
const warningOf = ({ base_status, has_different_scorers, other_status }: ExperimentComparison): string =>
  [
    ...(has_different_scorers ? ["Their scorers differ."] : []),
    ...(base_status === "COMPLETED" ? [] : [`The one before is ${base_status.toLowerCase()}.`]),
    ...(other_status === "COMPLETED" ? [] : [`This one is ${other_status.toLowerCase()}.`])
  ].join(" ")

const Counts = ({ of }: { readonly of: ExperimentComparison }) => (
  <p>
    {of.regressions} worse, {of.improvements} better, {of.unchanged} unchanged
    {of.changed_items === 0 ? null : `, ${of.changed_items} changed in the dataset`}
    {of.unjudged === 0 ? null : `, ${of.unjudged} without a verdict of the judge`}
    {of.only_base + of.only_other === 0
      ? null
      : `, ${of.only_base + of.only_other} in one of them only`}. <strong>{warningOf(of)}</strong>
  </p>
)

/** Items whose answers are shown at once. */
const maxShown = 3

interface Props {
  readonly base: Experiment
  readonly other: Experiment
}

export const Comparison = ({ base, other }: Props) => {
  const page = whole(route.value.query.page) ?? 1
  const { problem, reload, value } = useLoaded(
    (signal) => svc().experiments.compare({ ids: `${base.id},${other.id}`, limit: 25, page }, { signal }),
    [base.id, other.id, page, base.items_done, other.items_done]
  )
  return (
    <section class="part comparison">
      <h2>{`${titleOf(base)} → ${titleOf(other)}`}</h2>
      <Figures base={base} other={other} />
      <Problem error={problem} retry={reload} />
      {value === undefined ? null : value.data.length === 0
        ? <Empty title="No results yet">The items are here as soon as both experiments have answered them.</Empty>
        : (
          <>
            <Counts of={value} />
            <ol class="differences">
              {value.data.map((difference, index) => (
                <Item
                  key={difference.item_id}
                  base={base.id}
                  other={other.id}
                  difference={difference}
                  isShown={index < maxShown && changeOf(difference) !== undefined}
                />
              ))}
            </ol>
            <Pages meta={value.meta} />
          </>
        )}
    </section>
  )
}
