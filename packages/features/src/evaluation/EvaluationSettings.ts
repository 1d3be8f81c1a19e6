// The settings of evaluations.
import { count, timeout } from "@svc-runtime/http/config/ConfigReaders"
import { Config as Env, Duration } from "effect"
import { defaultLimits, type EvaluationLimits } from "./EvaluationLimits.ts"

const seconds = (name: string, fallback: number) =>
  Env.map(timeout(name, Duration.seconds(fallback)), Duration.toSeconds)

export const evaluationSettings: Env.Config<EvaluationLimits> = Env.all({
  unfinished: count("MAX_EVALUATIONS", defaultLimits.unfinished),
  concurrency: count("EVALUATION_CONCURRENCY", defaultLimits.concurrency),
  runSeconds: seconds("EVALUATION_RUN_TIMEOUT", defaultLimits.runSeconds),
  judgeSeconds: seconds("EVALUATION_JUDGE_TIMEOUT", defaultLimits.judgeSeconds),
  datasetItems: count("MAX_DATASET_ITEMS", defaultLimits.datasetItems)
})
