// The databases of the service, and the migrations that they have.
import { Folded } from "../parts/Json.tsx"
import { Problem } from "../parts/Problem.tsx"
import { svc } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"

const Database = ({ id }: { readonly id: string }) => {
  const { problem, value } = useLoaded((signal) => svc().databases.migrations(id, { signal }), [id])
  return (
    <li>
      <strong>{id}</strong>
      <Problem error={problem} />
      {value === undefined ? null : (
        <>
          : {value.version === null ? "has no migrations" : `version ${value.version} of ${value.latest_version}`}
          {value.pending.length === 0 ? null : `, ${value.pending.length} migrations are pending`}
          <Folded title="Migrations" value={value} />
        </>
      )}
    </li>
  )
}

export const Databases = ({ ids }: { readonly ids: ReadonlyArray<string> }) => (
  <>
    <h3>Databases</h3>
    <ul>
      {ids.map((id) => <Database key={id} id={id} />)}
    </ul>
  </>
)
