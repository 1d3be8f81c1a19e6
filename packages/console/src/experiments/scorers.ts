// The scorers of a form. Those with settings of their own are for programs.
import type { ExperimentInput } from "@svc-runtime/client"
import { chosenOf, type FieldOptions } from "../resources/FormField.tsx"
import type { Values } from "../resources/ResourceForm.tsx"

type Scorer = ExperimentInput["scorers"][number]

/** Scorers without settings. */
const plain: Readonly<Record<Exclude<Scorer["type"], "json_schema" | "judge">, string>> = {
  exact: "the answer is the expected one",
  contains: "the answer contains the expected one",
  similarity: "the answer is similar to the expected one",
  tool_trajectory: "the expected tools are called"
}

const isPlain = (type: string): type is keyof typeof plain => type in plain

export const scorerFields: ReadonlyArray<FieldOptions> = [
  { name: "scorers", title: "An item passes if", kind: "several", choices: Object.entries(plain) },
  {
    name: "criteria",
    title: "Criteria of a judge",
    kind: "lines",
    hint: "a model decides whether an answer meets them"
  }
]

export const scorersOf = ({ criteria = "", scorers = "" }: Values): ExperimentInput["scorers"] => [
  ...chosenOf(scorers).filter(isPlain).map((type): Scorer => ({ type })),
  ...(criteria === "" ? [] : [{ type: "judge" as const, criteria }])
]
