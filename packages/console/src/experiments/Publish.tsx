// Makes the version that an experiment was about the one that runs use.
import type { Experiment } from "@svc-runtime/client"
import { currentLabel } from "../components/currentLabel.ts"
import { Status } from "../parts/Status.tsx"
import { Action } from "../resources/Action.tsx"
import { whole } from "../Route.ts"
import { mayOpen } from "../service/Caller.ts"
import { svc } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"

export const Publish = ({ of: { agent_id, component_version, team_id, workflow_id } }: { readonly of: Experiment }) => {
  const id = agent_id ?? team_id ?? workflow_id ?? ""
  const version = whole(component_version ?? undefined)
  const isReadable = version !== undefined && mayOpen("components")
  const { reload, value } = useLoaded(
    (signal) =>
      isReadable
        // a component in code has no versions, and a removed one none to publish
        ? Promise.all([svc().components.get(id, { signal }), svc().components.version(id, version, { signal })])
          .catch(() => undefined)
        : Promise.resolve(undefined),
    [id, version, isReadable]
  )
  if (value === undefined || version === undefined) return null
  const [{ current_version }, { stage }] = value
  if (current_version === version) {
    return (
      <span>
        <Status value="current" /> version {version}
      </span>
    )
  }
  return (
    <Action
      scope="components:write"
      isPrimary
      question={`Make version ${version} the one that all new runs of "${id}" use?`}
      run={() =>
        stage === "draft"
          ? svc().components.updateVersion(id, version, { stage: "published" })
          : svc().components.setCurrent(id, version)}
      done={reload}
    >
      {stage === "draft" ? `Publish version ${version}` : currentLabel(version, current_version)}
    </Action>
  )
}
