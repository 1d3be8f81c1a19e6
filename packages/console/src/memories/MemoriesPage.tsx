// What the service remembers of users.
import type { UserMemorySchema } from "@svc-runtime/client"
import { useState } from "preact/hooks"
import { Time } from "../parts/Time.tsx"
import { Action } from "../resources/Action.tsx"
import type { FieldOptions } from "../resources/FormField.tsx"
import { ResourceForm, type Values } from "../resources/ResourceForm.tsx"
import { ResourceList } from "../resources/ResourceList.tsx"
import type { Column } from "../resources/Table.tsx"
import { may } from "../service/Caller.ts"
import { svc } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"

const fields: ReadonlyArray<FieldOptions> = [
  { name: "memory", title: "Memory", kind: "lines", isRequired: true },
  { name: "topics", title: "Topics", hint: "separated by commas" },
  { name: "user_id", title: "User", hint: "you, if you have signed in as a user" }
]

const bodyOf = ({ memory = "", topics = "", user_id = "" }: Values) => ({
  memory,
  topics: topics.split(",").map((topic) => topic.trim()).filter((topic) => topic !== ""),
  ...(user_id === "" ? {} : { user_id })
})

const ofUser = ({ user_id }: UserMemorySchema) => user_id === null ? {} : { user_id }

const Text = ({ changed, memory }: { readonly memory: UserMemorySchema; readonly changed: () => void }) => {
  const [isChanging, setChanging] = useState(false)
  if (!isChanging) {
    return (
      <>
        {memory.memory} {may("memories:write")
          ? (
            <button type="button" aria-label={`Change ${memory.memory}`} onClick={() => setChanging(true)}>
              Change
            </button>
          )
          : null}
      </>
    )
  }
  return (
    <>
      <ResourceForm
        title="Change the memory"
        scope="memories:write"
        button="Save"
        fields={fields.filter(({ name }) => name !== "user_id")}
        initial={{ memory: memory.memory, topics: (memory.topics ?? []).join(", ") }}
        submit={async (values) => {
          await svc().memories.update(memory.memory_id, { ...bodyOf(values), ...ofUser(memory) })
          setChanging(false)
          changed()
        }}
      />
      <button type="button" onClick={() => setChanging(false)}>Cancel</button>
    </>
  )
}

const columnsWith = (changed: () => void): ReadonlyArray<Column<UserMemorySchema>> => [
  { title: "Memory", cell: (memory) => <Text memory={memory} changed={changed} /> },
  { title: "Topics", cell: ({ topics }) => topics?.join(", ") },
  { title: "User", cell: ({ user_id }) => user_id },
  { title: "Changed", cell: ({ updated_at }) => <Time value={updated_at} /> }
]

export const MemoriesPage = () => {
  const { reload: reloadTopics, value: topics = [] } = useLoaded(
    (signal) => svc().memories.topics({}, { signal }).catch(() => []),
    []
  )
  return (
    <ResourceList
      title="Memories"
      filters={[
        { name: "search_content", title: "Text" },
        { name: "topics", title: "Topic", choices: topics },
        { name: "user_id", title: "User" }
      ]}
      load={(paging, filters, signal) => svc().memories.list({ ...filters, ...paging }, { signal })}
      columns={columnsWith}
      keyOf={({ memory_id }) => memory_id}
      actions={(memory, reload) => (
        <Action
          scope="memories:delete"
          label={`Delete ${memory.memory}`}
          question="Delete this memory?"
          run={() => svc().memories.delete(memory.memory_id, ofUser(memory))}
          done={reload}
        >
          Delete
        </Action>
      )}
      forms={(reload) => (
        <ResourceForm
          title="New memory"
          scope="memories:write"
          button="Create"
          isFolded
          fields={fields}
          submit={async (values) => {
            await svc().memories.create(bodyOf(values))
            reloadTopics()
            reload()
          }}
        />
      )}
      empty="Agents with memory write here what they learn about users. You can create one above."
    />
  )
}
