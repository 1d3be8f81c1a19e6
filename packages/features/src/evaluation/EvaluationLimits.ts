// The limits of evaluations, which share the node with the runs of callers.
import { count, retention, timeout } from "@svc-runtime/http/config/ConfigReaders"
import { Config as Env, Context, Duration } from "effect"

export interface Limits {
  /** Evaluations of a database that wait or are executed (MAX_EVALUATIONS). A user has at most half of them. */
  readonly unfinished: number
  /**
   * Evaluations in the background that a node executes at a time, each with one run at a time, and as many others for
   * which requests wait (EVALUATION_CONCURRENCY). A user has at most half of each.
   */
  readonly concurrency: number
  /** Seconds for one run of the evaluated component (EVALUATION_RUN_TIMEOUT). */
  readonly runSeconds: number
  /** Seconds for one answer of a judge (EVALUATION_JUDGE_TIMEOUT). */
  readonly judgeSeconds: number
  /** Datasets of a database (MAX_DATASETS). A user has at most half of them. */
  readonly datasets: number
  /** Items of a dataset (MAX_DATASET_ITEMS). */
  readonly datasetItems: number
  /** How long ended evaluations and experiments are kept (EVALUATION_RETENTION). Undefined: forever. */
  readonly retention: Duration.Duration | undefined
}

export const defaultLimits: Limits = {
  unfinished: 100,
  concurrency: 2,
  runSeconds: 600,
  judgeSeconds: 60,
  datasets: 1000,
  datasetItems: 10_000,
  retention: undefined
}

export class EvaluationLimits extends Context.Service<EvaluationLimits, Limits>()(
  "@svc-runtime/features/evaluation/EvaluationLimits"
) {}

/** Evaluations without a job that one statement ends. */
export const orphanedAtOnce = 100

const seconds = (name: string, fallback: number) =>
  Env.map(timeout(name, Duration.seconds(fallback)), Duration.toSeconds)

export const evaluationSettings: Env.Config<Limits> = Env.all({
  unfinished: count("MAX_EVALUATIONS", defaultLimits.unfinished),
  concurrency: count("EVALUATION_CONCURRENCY", defaultLimits.concurrency),
  runSeconds: seconds("EVALUATION_RUN_TIMEOUT", defaultLimits.runSeconds),
  judgeSeconds: seconds("EVALUATION_JUDGE_TIMEOUT", defaultLimits.judgeSeconds),
  datasets: count("MAX_DATASETS", defaultLimits.datasets),
  datasetItems: count("MAX_DATASET_ITEMS", defaultLimits.datasetItems),
  retention: retention("EVALUATION_RETENTION", Duration.zero)
})
