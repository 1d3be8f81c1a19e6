// Adds files, a web page or a text to a knowledge base. The service processes them after the response.
import { Upload } from "lucide"
import { useState } from "preact/hooks"
import { Icon } from "../parts/Icon.tsx"
import { Problem } from "../parts/Problem.tsx"
import { Status } from "../parts/Status.tsx"
import { given, ResourceForm } from "../resources/ResourceForm.tsx"
import { svc, untilAccepted, uploader } from "../service/Service.ts"

interface Uploading {
  readonly file: File
  readonly state: "waiting" | "uploading" | "uploaded" | "failed"
  readonly problem?: unknown
  /** How much of it is sent, from 0 to 1. */
  readonly share?: number
}

interface Props {
  readonly knowledge: { readonly knowledge_id?: string }
  readonly added: () => void
}

const Files = ({ added, knowledge }: Props) => {
  const [files, setFiles] = useState<ReadonlyArray<Uploading>>([])
  const isUploading = files.some(({ state }) => state === "waiting" || state === "uploading")
  const upload = async (chosen: ReadonlyArray<File>) => {
    const set = (file: File, change: Omit<Uploading, "file">) =>
      setFiles((files) => files.map((each) => each.file === file ? { file, ...change } : each))
    for (const file of chosen) {
      set(file, { state: "uploading", share: 0 })
      const progress = (share: number) => set(file, { state: "uploading", share })
      try {
        await untilAccepted(() => uploader(progress).knowledge.add({ file, name: file.name }, { query: knowledge }))
        set(file, { state: "uploaded" })
      } catch (problem) {
        set(file, { state: "failed", problem })
      }
      added()
    }
  }
  const [isOver, setOver] = useState(false)
  const take = (chosen: ReadonlyArray<File>) => {
    if (isUploading || chosen.length === 0) return
    setFiles(chosen.map((file) => ({ file, state: "waiting" })))
    void upload(chosen)
  }
  return (
    <>
      <label
        class={isOver ? "files over" : "files"}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault()
          setOver(false)
          take([...event.dataTransfer?.files ?? []])
        }}
      >
        <Icon of={Upload} />
        <span>
          <span class="title">Files</span> <span class="quiet">Drop documents here, or choose them</span>
        </span>
        <input
          type="file"
          multiple
          disabled={isUploading}
          onChange={(event) => {
            const input = event.currentTarget
            const chosen = [...input.files ?? []]
            input.value = ""
            take(chosen)
          }}
        />
      </label>
      <ul class="uploads">
        {files.map(({ file, problem, share, state }) => (
          <li key={file}>
            {file.name} <Status value={state} />
            {share === undefined ? null : <progress value={share} aria-label={`Sent of ${file.name}`} />}
            <Problem error={problem} />
            {state === "failed"
              ? <button type="button" disabled={isUploading} onClick={() => void upload([file])}>Upload again</button>
              : null}
          </li>
        ))}
      </ul>
    </>
  )
}

export const AddContent = ({ added, knowledge }: Props) => (
  <>
    <Files added={added} knowledge={knowledge} />
    <ResourceForm
      title="Add a web page"
      scope="knowledge:write"
      button="Add"
      isFolded
      fields={[{ name: "url", title: "Address", isRequired: true }, { name: "name", title: "Name" }]}
      submit={(values) => svc().knowledge.add(given(values), { query: knowledge }).then(added)}
    />
    <ResourceForm
      title="Add a text"
      scope="knowledge:write"
      button="Add"
      isFolded
      fields={[
        { name: "name", title: "Name", isRequired: true },
        { name: "text_content", title: "Text", kind: "lines", isRequired: true }
      ]}
      submit={(values) => svc().knowledge.add(given(values), { query: knowledge }).then(added)}
    />
  </>
)
