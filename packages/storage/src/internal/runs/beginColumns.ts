// What the statement that accepts runs is sent: an array for each column, with an element for every run.
import * as AnyRun from "@svc/domain/AnyRun"
import type { Assumption } from "@svc/runtime/ComponentPrecondition"
import * as EventText from "@svc/runtime/run/events/EventText"
import type { NewRun } from "@svc/runtime/run/store/RunWrites"
import * as BatchColumns from "../sql/batchColumns.ts"
import { json, jsonOrNull, text, textOrNull } from "../sql/rows.ts"
import * as StartLimits from "./startLimits.ts"

/** Values as they are sent, with what they weigh. */
export interface Encoded {
  readonly beginning: NewRun
  readonly begin_id: string
  readonly component_data: string
  readonly component_metadata: string | null
  readonly output: string
  readonly command: string
  readonly opening: string | null
  readonly entries: string | null
  readonly assumes: string | null
  /** The limits of the run. Null: it has none. */
  readonly start: string | null
  /** Epoch milliseconds of the database after which nothing is stored. Zero: always. */
  readonly valid_until: number
  readonly bytes: number
}

export const columns = BatchColumns.make<Encoded>()({
  session_id: ["text", ({ beginning }) => text(beginning.session_id)],
  kind: ["text", ({ beginning }) => beginning.kind],
  component_id: ["text", ({ beginning }) => text(beginning.component_id)],
  user_id: ["text", ({ beginning }) => textOrNull(beginning.user_id)],
  run_id: ["text", ({ beginning }) => text(beginning.run_id)],
  derived_name: ["text", ({ beginning }) => text(beginning.derived_name)],
  component_data: ["json", ({ component_data }) => component_data],
  metadata: ["json", ({ component_metadata }) => component_metadata],
  now: ["bigint", ({ beginning }) => beginning.created_at],
  node: ["text", ({ beginning }) => text(beginning.node)],
  /** The run as it is shown until it ends. */
  output: ["json", ({ output }) => output],
  history_runs: ["integer", ({ beginning }) => beginning.history],
  isolated: ["boolean", ({ beginning }) => beginning.isolated],
  command: ["json", ({ command }) => command],
  opening: ["json", ({ opening }) => opening],
  opening_kind: ["text", ({ beginning }) => beginning.startEvent?.event ?? null],
  entries: ["json", ({ entries }) => entries],
  is_serialized: ["boolean", ({ beginning }) => beginning.isSerialized],
  without_memory: ["boolean", ({ beginning }) => beginning.isWithoutMemory === true],
  replaces: ["text", ({ beginning }) => textOrNull(beginning.replaces ?? null)],
  when_busy: ["text", ({ beginning }) => beginning.if_busy],
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

export const encode = (beginning: NewRun, begin_id: string): Encoded => {
  const { assumes, component_data, component_metadata, command, derived_name, entries, startEvent: opening } = beginning
  const encoded = {
    component_data: json(component_data),
    component_metadata: jsonOrNull(component_metadata),
    output: json(AnyRun.running(beginning)),
    command: json(command),
    opening: opening === undefined ? null : EventText.of(opening),
    entries: jsonOrNull(entries.length === 0 ? null : entries),
    assumes: assumes === undefined ? null : json(assumes.map(assumed)),
    start: beginning.limited === undefined ? null : StartLimits.encode(beginning.limited)
  }
  const bytes = Object.values(encoded).reduce((sum, value) => sum + (value?.length ?? 0), derived_name.length)
  return { beginning, begin_id, ...encoded, valid_until: 0, bytes }
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
