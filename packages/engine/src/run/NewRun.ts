// The data of a run that the store gets when the run is accepted, and returns when it is resumed.
import * as Ids from "@svc-runtime/domain/Ids"
import * as Run from "@svc-runtime/domain/Run"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import * as RunOption from "@svc-runtime/domain/RunOption"
import * as TraceContext from "@svc-runtime/telemetry/TraceContext"
import { Struct } from "effect"
import * as InheritedOptions from "./InheritedOptions.ts"
import * as StoredFormat from "./journal/StoredFormat.ts"
import type { RunCommand } from "./RunCommand.ts"
import type { Runnable } from "./Runnable.ts"
import type { RunMode } from "./Runners.ts"
import * as SessionLimit from "./SessionLimit.ts"
import * as StartLimits from "./StartLimits.ts"
import type { RunSnapshot } from "./store/RunReads.ts"
import type { NewRun, Place } from "./store/RunWrites.ts"

type Chosen = Pick<RunCommand, "if_busy">

/** Whether the run is not accepted while another run of its session has not ended. */
export const isRejectedIfNotAlone = ({ if_busy }: Chosen): boolean => if_busy === "reject"

/** Whether the other runs of its session are cancelled. */
export const cancelsOthers = ({ if_busy }: Chosen): boolean => if_busy === "interrupt"

/** The value of `previous_run_id` for a run that comes after no other one. */
export const start = "start"

/** Where a run is that comes after the named one. No run has an id that stores would change. */
export const placeAfter = (previous: string): Place =>
  previous === start
    ? { known: [], otherwise: "first" }
    : { known: Ids.isExact(previous) ? [{ run_id: Run.Id.make(previous) }] : [], otherwise: "notFound" }

const placeOf = ({ place, previous_run_id: previous }: Pick<RunCommand, "place" | "previous_run_id">) =>
  place ?? (previous === undefined || previous === null || previous === "" ? undefined : placeAfter(previous))

export const of = (
  {
    assumes,
    background,
    claim,
    component_versions,
    factory_input,
    input,
    isolated,
    place,
    previous_run_id,
    replaces,
    run_id,
    session_id,
    stream,
    user_id,
    ...chosen
  }: RunCommand,
  { component, entries, history, options, isSerialized, limits: own, skipsUnfinished }: Runnable,
  { begin_id, createdAt, format, limits, node, opening, trace }: {
    readonly begin_id: string
    readonly createdAt: number
    readonly format: StoredFormat.Format
    /** Those of the service. */
    readonly limits: StartLimits.Options
    readonly node: string
    readonly opening: RunEvent.RunEvent | undefined
    /** Left out: spans are not collected. */
    readonly trace?: TraceContext.RunTrace | undefined
  }
): NewRun => ({
  run_id,
  session_id,
  kind: component.kind,
  component_id: component.id,
  component_version: component_versions?.numbers[component.id],
  user_id: user_id ?? null,
  isolated,
  node,
  created_at: createdAt,
  begin_id,
  input,
  derived_name: Run.inputText(input).slice(0, 500),
  component_data: component.data,
  component_metadata: component.metadata,
  history,
  skipsUnfinished,
  command: StoredFormat.withVersion(format, {
    stream,
    background,
    options,
    ...(RunOption.isEvaluation(chosen) ? { evaluation: true } : {}),
    ...SessionLimit.encode(chosen),
    ...(factory_input === undefined ? {} : { factory_input }),
    ...(component_versions === undefined ? {} : { component_versions }),
    ...(trace === undefined ? {} : { trace: TraceContext.encode(trace) })
  }),
  startEvent: opening,
  entries: entries.map((entry) => StoredFormat.withVersion(format, entry)),
  isWithoutMemory: InheritedOptions.isWithoutMemory(options),
  replaces,
  place: placeOf({ place, previous_run_id }),
  claim,
  assumes,
  limited: StartLimits.of(limits, { kind: component.kind, component_id: component.id, user_id: user_id ?? null }, own),
  // a run that could observe others of its session is serialized
  isSerialized: isSerialized || isRejectedIfNotAlone(chosen) || cancelsOthers(chosen),
  ...Struct.omit(RunOption.valuesOf(RunOption.start, chosen), ["previous_run_id"])
})

/** The trace in which the run began. */
export const traceOf = ({ command }: Pick<RunSnapshot, "command">): TraceContext.RunTrace | undefined =>
  TraceContext.fromStored(command?.["trace"])

/** Whether the run was begun with the option `evaluation`. */
export const isEvaluation = ({ command }: Pick<RunSnapshot, "command">): boolean => command?.["evaluation"] === true

/** As the run was begun. */
export const modeOf = ({ command }: RunSnapshot): RunMode => ({
  stream: command?.["stream"] === true,
  background: command?.["background"] === true
})
