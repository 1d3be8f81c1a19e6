// The versions of a stored component. One published version is the current one.
import type { ComponentConfigResponse } from "@svc-runtime/client"
import { Status } from "../parts/Status.tsx"
import { Time } from "../parts/Time.tsx"
import { Action } from "../resources/Action.tsx"
import { type Column, Table } from "../resources/Table.tsx"
import { href, query } from "../Route.ts"
import { svc } from "../service/Service.ts"
import { currentLabel } from "./currentLabel.ts"

type Version = ComponentConfigResponse

const columnsOf = (id: string, current: number | undefined): ReadonlyArray<Column<Version>> => [
  {
    title: "Version",
    cell: ({ version }) => <a href={href(["components", id], { version: `${version}` })}>{version}</a>
  },
  { title: "State", cell: ({ stage, version }) => <Status value={version === current ? "current" : stage} /> },
  { title: "Label", cell: ({ label }) => label },
  { title: "Notes", isCut: true, cell: ({ notes }) => notes },
  { title: "Changed", cell: ({ created_at, updated_at }) => <Time value={updated_at ?? created_at} /> }
]

interface Props {
  readonly id: string
  readonly versions: ReadonlyArray<Version>
  readonly current: number | undefined
  readonly changed: () => void
}

export const Versions = ({ changed, current, id, versions }: Props) => {
  const { components } = svc()
  return (
    <Table
      columns={columnsOf(id, current)}
      entries={versions}
      keyOf={({ version }) => String(version)}
      actions={({ stage, version }) =>
        version === current ? null : (
          <>
            {stage === "draft"
              ? (
                <Action
                  scope="components:write"
                  label={`Publish version ${version}`}
                  isPrimary
                  question={`Publish version ${version}? All runs that begin now use it.`}
                  run={() => components.updateVersion(id, version, { stage: "published" })}
                  done={changed}
                >
                  Publish
                </Action>
              )
              : (
                <Action
                  scope="components:write"
                  isPrimary
                  question={`${currentLabel(version, current)}? All runs that begin now use it.`}
                  run={() => components.setCurrent(id, version)}
                  done={changed}
                >
                  {currentLabel(version, current)}
                </Action>
              )}
            <Action
              scope="components:delete"
              label={`Delete version ${version}`}
              question={`Delete version ${version}?`}
              run={() => components.deleteVersion(id, version)}
              done={() => {
                query({ version: undefined, other: undefined })
                changed()
              }}
            >
              Delete
            </Action>
          </>
        )}
    />
  )
}
