// How experiments and their figures are written.
import type { Experiment } from "@svc-runtime/client"
import { componentOf } from "../runs/RunsPage.tsx"

export const percent = (share: number): string => `${Math.round(share * 100)} %`

export const scoreOf = (score: number | null): string => score === null ? "none" : score.toFixed(2)

export const titleOf = (experiment: Experiment): string => experiment.name ?? componentOf(experiment)
