// What callers may store in a session over the API: as much as the agent that may have most.
import * as ReachedComponents from "@svc-runtime/agents/registry/ReachedComponents"
import { Context, Layer } from "effect"
import type { Service } from "../Feature.ts"
import type { Quota } from "./SandboxPort.ts"
import * as WorkspaceFile from "./WorkspaceFile.ts"

export class LargestQuota extends Context.Service<LargestQuota, Quota>()(
  "@svc-runtime/features/workspace/LargestQuota"
) {
  static readonly layer = (
    { agents, teams, workflows }: Pick<Service, "agents" | "teams" | "workflows">
  ): Layer.Layer<LargestQuota> =>
    Layer.sync(LargestQuota, () => {
      const quotas = [...ReachedComponents.of([...agents, ...teams, ...workflows]).agents.keys()]
        .flatMap(({ workspace }) => workspace?.quota ?? [])
      const { bytes, files } = WorkspaceFile.defaultQuota
      return {
        bytes: Math.max(bytes, ...quotas.map((quota) => quota.bytes)),
        files: Math.max(files, ...quotas.map((quota) => quota.files))
      }
    })
}
