// The rollout of a stored component: the shares of its versions, the guard, and what the runs of each version were
// like.
import type { ComparedVersion, ComponentConfigResponse, Rollout as RolloutState } from "@svc-runtime/client"
import { useState } from "preact/hooks"
import { Problem } from "../parts/Problem.tsx"
import { Status } from "../parts/Status.tsx"
import { TextField } from "../parts/TextField.tsx"
import { Time } from "../parts/Time.tsx"
import { Action } from "../resources/Action.tsx"
import { type Column, Table } from "../resources/Table.tsx"
import { useSending } from "../resources/useSending.ts"
import { features, may } from "../service/Caller.ts"
import { svc } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"

const number = (value: number | null, unit = ""): string =>
  value === null ? "–" : `${value.toLocaleString(undefined, { maximumFractionDigits: 4 })}${unit}`

const percent = (value: number | null): string => value === null ? "–" : number(value * 100, " %")

const compared: ReadonlyArray<Column<ComparedVersion>> = [
  { title: "Version", cell: ({ is_current, version }) => is_current ? `${version}, current` : version },
  {
    title: "Share",
    cell: ({ share, version }) =>
      share === null ? "–" : (
        <>
          <progress aria-label={`Share of version ${version}`} value={share} max={100} /> {number(share, " %")}
        </>
      )
  },
  { title: "Runs", isNumber: true, cell: ({ runs }) => runs.total },
  { title: "Failed", isNumber: true, cell: ({ error_rate }) => percent(error_rate) },
  { title: "Half take", isNumber: true, cell: ({ duration }) => number(duration.p50, " s") },
  { title: "95 % take", isNumber: true, cell: ({ duration }) => number(duration.p95, " s") },
  { title: "Cost of a run", isNumber: true, cell: ({ cost_per_run }) => number(cost_per_run, " $") },
  {
    title: "Scores",
    isCut: true,
    cell: ({ scores }) =>
      scores.map(({ count, key, mean, source }) => `${key} ${number(mean)} (${count} by ${source}s)`).join(", ")
  }
]

type Shares = Readonly<Record<string, string>>

interface FormProps {
  readonly id: string
  readonly numbers: ReadonlyArray<number>
  readonly rollout: RolloutState | undefined
  readonly current: number
  readonly changed: () => void
}

const sharesOf = ({ current, rollout }: Pick<FormProps, "current" | "rollout">): Shares =>
  Object.fromEntries((rollout?.versions ?? [{ version: current, share: 100 }]).map(({ share, version }) => [
    version,
    String(share)
  ]))

const percentOf = (part: number | null | undefined): string =>
  typeof part === "number" ? String(Number((part * 100).toPrecision(12))) : ""

const SharesForm = ({ changed, current, id, numbers, rollout }: FormProps) => {
  const stored = sharesOf({ current, rollout })
  const [shares, setShares] = useState(stored)
  const [errorRate, setErrorRate] = useState(rollout === undefined ? "10" : percentOf(rollout.guard?.max_error_rate))
  const { isSending, problem, send } = useSending()
  const versions = Object.entries(shares).flatMap(([version, share]) =>
    share.trim() === "" ? [] : [{ version: Number(version), share: Number(share) }]
  )
  const sum = versions.reduce((total, { share }) => total + share, 0)
  const save = () => {
    const guard = { ...rollout?.guard, max_error_rate: errorRate.trim() === "" ? null : Number(errorRate) / 100 }
    if (rollout === undefined) return svc().rollouts.start(id, { versions, guard })
    // new shares begin anew: failures so far do not count, and a stopped rollout continues
    const isSame = Object.entries(shares).every(([version, share]) => (stored[version] ?? "") === share)
    return svc().rollouts.update(id, { guard, revision: rollout.revision, ...(isSame ? {} : { versions }) })
  }
  return (
    <form
      aria-label="Shares"
      onSubmit={(event) => {
        event.preventDefault()
        send(save, changed)
      }}
    >
      <div class="settings of-version">
        {numbers.map((version) => (
          <label key={version}>
            Version {version}, percent
            <TextField
              isNumber
              value={shares[version] ?? ""}
              placeholder="0"
              change={(share) => setShares((before) => ({ ...before, [version]: share }))}
            />
          </label>
        ))}
        <label>
          Stop at failed runs, percent
          <TextField isNumber value={errorRate} placeholder="never" change={setErrorRate} />
        </label>
      </div>
      <Problem error={problem} />
      <button class="primary" disabled={isSending || Math.abs(sum - 100) > 0.001}>
        {rollout === undefined ? "Start a rollout" : "Change the shares"}
      </button>
      {Math.abs(sum - 100) > 0.001 ? <span class="quiet">The shares are {number(sum, " %")} together.</span> : null}
    </form>
  )
}

interface Props {
  readonly id: string
  readonly current: number | undefined
  readonly versions: ReadonlyArray<ComponentConfigResponse>
}

/** Versions that the form offers beside those of the rollout. */
const mostOffered = 5

const Shown = ({ current, id, versions }: Props & { readonly current: number }) => {
  const { problem, reload, value } = useLoaded(
    (signal) =>
      Promise.all([
        svc().rollouts.list(id, { limit: 1 }, { signal }),
        svc().rollouts.compare(id, {}, { signal })
      ]),
    [id, current],
    { every: 15_000 }
  )
  const [{ data: [newest] } = { data: [] }, comparison] = value ?? []
  const open = newest?.state === "ended" ? undefined : newest
  const published = versions.filter(({ stage }) => stage === "published").map(({ version }) => version)
  const offered = [
    ...new Set([current, ...open?.versions.map(({ version }) => version) ?? [], ...published.slice(0, mostOffered)])
  ].sort((one, other) => one - other)
  return (
    <section class="part">
      <h2>Rollout</h2>
      <Problem error={problem} retry={reload} />
      {newest === undefined ? null : (
        <p>
          <Status value={newest.state} /> since <Time value={newest.updated_at} />
          {newest.reason === null ? null : `: ${newest.reason}`}
        </p>
      )}
      {comparison === undefined
        ? null
        : <Table columns={compared} entries={comparison.versions} keyOf={({ version }) => String(version)} />}
      {value === undefined || !may("components:write") || published.length < 2 ? null : (
        <SharesForm
          key={`${open?.id} ${open?.revision}`}
          id={id}
          numbers={offered}
          rollout={open}
          current={current}
          changed={reload}
        />
      )}
      {open === undefined ? null : (
        <Action
          scope="components:write"
          label="Stop the rollout"
          question="Stop the rollout? All runs that begin now use the current version."
          run={() => svc().rollouts.stop(id, {})}
          done={reload}
        >
          Stop
        </Action>
      )}
    </section>
  )
}

/** Of a component without a published version, there is nothing to divide. */
export const Rollout = ({ current, ...props }: Props) =>
  current === undefined || !features.value.includes("rollouts") ? null : <Shown current={current} {...props} />
