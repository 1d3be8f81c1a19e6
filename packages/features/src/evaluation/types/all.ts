// The types of evaluations. This is the one list of them.
import type * as EvalRun from "../EvalRun.ts"
import { Accuracy } from "./Accuracy.ts"
import type { EvaluationType } from "./EvaluationType.ts"
import { JudgedByCriteria } from "./JudgedByCriteria.ts"
import { Performance } from "./Performance.ts"
import { Reliability } from "./Reliability.ts"

export const all: Readonly<Record<EvalRun.Type, EvaluationType>> = {
  accuracy: Accuracy,
  agent_as_judge: JudgedByCriteria,
  performance: Performance,
  reliability: Reliability
}
