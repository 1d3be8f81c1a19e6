// Evaluations of services that are functions.
import { Effect } from "effect"
import { cli, type Machine, type Place, place } from "./Cli.ts"
import { alive, fakeService, type RecordedRequest } from "./FakeService.ts"

const local = "http://localhost:7777"

export interface Document {
  readonly name: string
  readonly agent_id: string
  /** Why not all runs were executed. */
  readonly error?: string
  readonly hint?: string
  readonly passed: boolean
  readonly pass_rate: number
  readonly runs_missing: number
  readonly thresholds: ReadonlyArray<{ readonly name: string; readonly passed: boolean }>
  readonly scorers: ReadonlyArray<{ readonly name: string; readonly mean: number; readonly pass_rate: number }>
  readonly results: ReadonlyArray<{
    readonly name: string
    readonly status: string
    readonly error: string | null
    readonly output: unknown
    readonly scores: ReadonlyArray<
      {
        readonly scorer: string
        readonly score: number | null
        readonly passed: boolean
        readonly reason: string | null
      }
    >
  }>
}

export const capitals = `
name: capitals
agent_id: assistant
scorers:
  - type: contains
items:
  - name: france
    input: The capital of France?
    expected_output: Paris
  - name: italy
    input: The capital of Italy?
    expected_output: Rome
`

export const completed = (content: unknown, fields: object = {}) => ({
  run_id: "r",
  status: "COMPLETED",
  content,
  ...fields
})

/** Answers a run by its message. */
export const answering = (answers: Record<string, unknown>) => ({ body }: RecordedRequest) =>
  answers[new URLSearchParams(body).get("message") ?? ""] ?? completed("I do not know")

export const known = answering({
  "The capital of France?": completed("It is Paris"),
  "The capital of Italy?": completed("It is <Rome>")
})

export const serviceOf = (runs: unknown, more: Record<string, unknown> = {}) =>
  fakeService({ [local]: { ...alive(), "POST /agents/assistant/runs": runs, ...more } })

export const run = Effect.fnUntraced(
  function*(file: string, machine: Machine, argv: ReadonlyArray<string> = [], use: (at: Place) => void = () => {}) {
    const at = yield* place
    at.write("evaluation.yaml", file)
    const ran = yield* cli(["eval", "run", "evaluation.yaml", ...argv], at, machine)
    use(at)
    return ran
  }
)
