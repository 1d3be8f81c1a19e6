// What workers and the process that started them send each other. It all comes from processes of the same service.
import type * as Json from "@svc-runtime/domain/Json"

export type Message =
  /** A worker serves. */
  | { readonly svc: "started" }
  /** A question to all other workers. The first process sends it on, with the worker `from` which it comes. */
  | { readonly svc: "ask"; readonly id: number; readonly topic: string; readonly question: Json.Value; from?: number }
  /** How many workers were asked. It comes before their answers. */
  | { readonly svc: "asked"; readonly id: number; readonly count: number }
  | { readonly svc: "answer"; readonly id: number; readonly to: number; readonly answer: Json.Value; from?: number }

/**
 * The variable of the environment that tells a worker its number, how many there are, how many serve, and the internal
 * token.
 */
export const workerMark = "SVC_WORKER"

export const isMessage = (value: unknown): value is Message =>
  typeof value === "object" && value !== null && "svc" in value
