// The files of a source outside of the service, such as a bucket: looked through by folders, and added one by one or a
// folder at once.
import { Pages } from "../parts/Pages.tsx"
import { Problem } from "../parts/Problem.tsx"
import { Action } from "../resources/Action.tsx"
import { Table } from "../resources/Table.tsx"
import { href, query, route, whole } from "../Route.ts"
import { svc } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"

interface Props {
  readonly knowledge_id: string
  readonly added: () => void
}

interface Entry {
  /** Ends with `/` if it is a folder. */
  readonly path: string
  readonly name: string
  readonly isFolder: boolean
}

const Files = ({ added, knowledge_id, source }: Props & { readonly source: string }) => {
  const { path, query: given } = route.value
  const { files_page, folder } = given
  const { problem, reload, value } = useLoaded(
    (signal) =>
      svc().knowledge.sourceFiles(
        knowledge_id,
        source,
        { limit: 25, page: whole(files_page) ?? 1, ...(folder === undefined ? {} : { prefix: folder }) },
        { signal }
      ),
    [knowledge_id, source, folder, files_page]
  )
  if (value === undefined) return <Problem error={problem} retry={reload} />
  const entries: ReadonlyArray<Entry> = [
    ...value.folders.map(({ name, prefix }) => ({ path: prefix, name, isFolder: true })),
    ...value.files.map(({ key, name }) => ({ path: key, name, isFolder: false }))
  ]
  const inFolder = (folder: string | undefined) => href(path, { ...given, folder, files_page: undefined })
  return (
    <>
      <p>
        {folder === undefined ? null : (
          <>
            <code>{folder}</code> <a href={inFolder(undefined)}>All folders</a>
          </>
        )}
      </p>
      <Problem error={problem} retry={reload} />
      {entries.length === 0 ? <p class="quiet">The folder is empty</p> : (
        <Table
          columns={[{
            title: "File",
            cell: ({ isFolder, name, path }) => isFolder ? <a href={inFolder(path)}>{name}/</a> : name
          }]}
          entries={entries}
          keyOf={({ path }) => path}
          actions={({ name, path }) => (
            <Action
              scope="knowledge:write"
              label={`Add ${name}`}
              run={() => svc().knowledge.addRemote({ config_id: source, path }, { query: { knowledge_id } })}
              done={added}
            >
              Add
            </Action>
          )}
        />
      )}
      <Pages meta={value.meta} name="files_page" />
    </>
  )
}

export const SourceFiles = ({ added, knowledge_id }: Props) => {
  const { source } = route.value.query
  const { problem, reload, value: sources = [] } = useLoaded(
    (signal) => svc().knowledge.sources(knowledge_id, {}, { signal }),
    [knowledge_id]
  )
  if (sources.length === 0) return <Problem error={problem} retry={reload} />
  return (
    <section class="part">
      <label>
        Source
        <select
          value={source ?? ""}
          onChange={(event) => query({ source: event.currentTarget.value, folder: undefined, files_page: undefined })}
        >
          <option value="">Choose one to see its files</option>
          {sources.map(({ id, name }) => <option key={id} value={id}>{name}</option>)}
        </select>
      </label>
      {source === undefined ? null : <Files added={added} knowledge_id={knowledge_id} source={source} />}
    </section>
  )
}
