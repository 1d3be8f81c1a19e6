// The jobs that follow from the end of an execution. They are stored with it, whichever node stores it.
import { withCancels } from "@svc-runtime/agents/remote/RemoteCancels"
import { Effect } from "effect"
import { withWakes } from "./RunWakes.ts"
import type { RunCompletion } from "./store/RunWrites.ts"

export const withJobs = (completion: RunCompletion): Effect.Effect<RunCompletion> =>
  Effect.flatMap(withCancels(completion), withWakes)
