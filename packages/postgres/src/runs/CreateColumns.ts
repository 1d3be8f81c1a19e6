// What the statement that accepts runs is sent: an array for each column, with an element for every run.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import type { Assumption } from "@svc-runtime/engine/ComponentPrecondition"
import * as EventText from "@svc-runtime/engine/run/events/EventText"
import type { NewRun, Place } from "@svc-runtime/engine/run/store/RunWrites"
import * as BatchColumns from "../sql/BatchColumns.ts"
import { json, jsonOrNull, text, textOrNull } from "../sql/rows.ts"
import * as StartRefusals from "./StartRefusals.ts"

/** Values as they are sent, with what they weigh. */
export interface Encoded {
  readonly newRun: NewRun
  readonly begin_id: string
  readonly component_data: string
  readonly component_metadata: string | null
  readonly output: string
  readonly command: string
  readonly opening: string | null
  readonly entries: string | null
  readonly assumes: string | null
  /** Where the run is in the tree of its session. Null: after the leaf. */
  readonly branching: string | null
  /** The limits of the run. Null: it has none. */
  readonly start: string | null
  /** Epoch milliseconds of the database after which nothing is stored. Zero: always. */
  readonly valid_until: number
  readonly bytes: number
}

export const columns = BatchColumns.make<Encoded>()({
  session_id: ["text", ({ newRun }) => text(newRun.session_id)],
  kind: ["text", ({ newRun }) => newRun.kind],
  component_id: ["text", ({ newRun }) => text(newRun.component_id)],
  user_id: ["text", ({ newRun }) => textOrNull(newRun.user_id)],
  run_id: ["text", ({ newRun }) => text(newRun.run_id)],
  derived_name: ["text", ({ newRun }) => text(newRun.derived_name)],
  component_data: ["json", ({ component_data }) => component_data],
  metadata: ["json", ({ component_metadata }) => component_metadata],
  now: ["bigint", ({ newRun }) => newRun.created_at],
  node: ["text", ({ newRun }) => text(newRun.node)],
  /** The run as it is shown until it ends. */
  output: ["json", ({ output }) => output],
  history_runs: ["integer", ({ newRun }) => newRun.history],
  skips_unfinished: ["boolean", ({ newRun }) => newRun.skipsUnfinished === true],
  isolated: ["boolean", ({ newRun }) => newRun.isolated],
  command: ["json", ({ command }) => command],
  component_version: ["integer", ({ newRun }) => newRun.component_version ?? 0],
  opening: ["json", ({ opening }) => opening],
  opening_kind: ["text", ({ newRun }) => newRun.startEvent?.event ?? null],
  entries: ["json", ({ entries }) => entries],
  is_serialized: ["boolean", ({ newRun }) => newRun.isSerialized],
  without_memory: ["boolean", ({ newRun }) => newRun.isWithoutMemory === true],
  branching: ["json", ({ branching }) => branching],
  replaces: ["text", ({ newRun }) => textOrNull(newRun.replaces ?? null)],
  when_busy: ["text", ({ newRun }) => newRun.if_busy],
  /** Tells each statement from others for the same run. */
  begin_id: ["text", ({ begin_id }) => begin_id],
  valid_until: ["bigint", ({ valid_until }) => valid_until],
  assumes: ["json", ({ assumes }) => assumes],
  start: ["json", ({ start }) => start]
})

const assumed = ({ current, id, name }: Assumption) => ({
  id: text(id),
  name: text(name),
  kind: current?.component_type,
  version: current?.current_version
})

const placed = ({ known, otherwise }: Place) =>
  json({ known: known.map(({ isBefore = false, run_id }) => ({ run_id: text(run_id), isBefore })), otherwise })

export const encode = (newRun: NewRun, begin_id: string): Encoded => {
  const { assumes, component_data, component_metadata, command, derived_name, entries, place, startEvent: opening } =
    newRun
  const encoded = {
    component_data: json(component_data),
    component_metadata: jsonOrNull(component_metadata),
    output: json(AnyRun.running(newRun)),
    command: json(command),
    opening: opening === undefined ? null : EventText.of(opening),
    entries: jsonOrNull(entries.length === 0 ? null : entries),
    assumes: assumes === undefined ? null : json(assumes.map(assumed)),
    branching: place === undefined ? null : placed(place),
    start: newRun.limited === undefined ? null : StartRefusals.encode(newRun.limited)
  }
  const bytes = Object.values(encoded).reduce((sum, value) => sum + (value?.length ?? 0), derived_name.length)
  return { newRun, begin_id, ...encoded, valid_until: 0, bytes }
}

export interface Limits {
  /** Bytes of history that a run is shown at most. */
  readonly history: number
  /** Bytes of state and of history up to which the statement gives them itself. */
  readonly inline: number
}

export const parameters = (encoded: ReadonlyArray<Encoded>, limits: Limits): ReadonlyArray<unknown> => [
  ...columns.parameters(encoded),
  limits.history,
  limits.inline
]
