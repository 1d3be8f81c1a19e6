// The operations of what users leave behind: sessions, memories, learnings, knowledge, approvals.
import type { Operations } from "../Operation.ts"

export const data: Operations = {
  get_sessions: {
    summary: "List the sessions",
    description: "Returns sessions, the last changed first. They can be filtered by component, user, name and time."
  },
  create_session: {
    summary: "Create a session",
    description:
      "Creates an empty session. Runs create their sessions themselves, so this is needed for a name or a state only.",
    body: { session_name: "Questions about order 17" }
  },
  delete_sessions: {
    summary: "Delete several sessions",
    description: "Removes the sessions with their runs, events and traces. Runs that are executing are cancelled.",
    body: { session_ids: ["first"], session_types: ["agent"] }
  },
  get_session_by_id: {
    summary: "Get a session",
    description: "Returns a session with its state, its summary and its messages."
  },
  update_session: {
    summary: "Change a session",
    description: "Changes the name, the state, the summary or the metadata. Fields that are left out stay.",
    body: { session_name: "Questions about order 17" }
  },
  delete_session: {
    summary: "Delete a session",
    description: "Removes the session with its runs, events and traces. Runs that are executing are cancelled."
  },
  get_session_runs: {
    summary: "List the runs of a session",
    description: "Returns the runs of the session, oldest first. Runs that are executing are part of the list."
  },
  list_runs: {
    summary: "List all runs",
    description:
      "Returns the runs of all components, the newest first, without their contents. They can be filtered by " +
      "component, session, user and status. More than 10,000 runs are not counted."
  },
  get_session_run: {
    summary: "Get a run of a session",
    description: "Returns one run of the session, of any kind of component."
  },
  get_media: {
    summary: "Get the bytes of a medium",
    description: "Returns an image or a clip that a model made in a run. A request may ask for a range of bytes."
  },
  rename_session: {
    summary: "Rename a session",
    description: "Gives the session another name.",
    body: { session_name: "Questions about order 17" }
  },

  create_memory: {
    summary: "Create a memory",
    description: "Stores what agents should remember of a user.",
    body: { memory: "Likes cake", topics: ["food"], user_id: "ann" }
  },
  get_memories: {
    summary: "List the memories",
    description: "Returns memories, the last changed first. They can be filtered by user, topic and text."
  },
  delete_memories: {
    summary: "Delete several memories",
    description: "Removes the memories. Ids that do not exist are ignored.",
    body: { memory_ids: ["memory-1"], user_id: "ann" }
  },
  get_memory: { summary: "Get a memory", description: "Returns one memory." },
  update_memory: {
    summary: "Change a memory",
    description: "Replaces the text and the topics of a memory.",
    body: { memory: "Likes coffee", user_id: "ann" }
  },
  delete_memory: { summary: "Delete a memory", description: "Removes one memory." },
  get_memory_topics: { summary: "List the topics", description: "Returns the topics that memories have." },
  get_user_memory_stats: {
    summary: "Count the memories of users",
    description: "Returns each user who has memories, with their number and the time of the last change."
  },
  optimize_memories: {
    summary: "Shorten the memories of a user",
    description:
      "Lets a model join the memories of a user into fewer ones. Without `apply` it only shows what would result.",
    body: { user_id: "ann", apply: false }
  },
  get_user_memory_settings: {
    summary: "Get whether agents remember a user",
    description: "Returns whether agents may keep memories of the user."
  },
  update_user_memory_settings: {
    summary: "Set whether agents remember a user",
    description: "With `enabled: false` agents neither read nor write memories of the user. Stored ones stay.",
    body: { enabled: true }
  },
  delete_user_memory: {
    summary: "Forget a user",
    description: "Removes all that agents remember of the user: memories, learnings, summaries, traces and scores."
  },

  list_learnings: {
    summary: "List the learnings",
    description: "Returns what agents have learned. It can be filtered by type, namespace, user and entity."
  },
  create_learning: {
    summary: "Create a learning",
    description: "Stores something that agents should know. Some types have one record for each user or entity.",
    body: { learning_type: "decision_log", content: { decision: "Wait." }, user_id: "ann" }
  },
  list_learning_users: {
    summary: "List the users with learnings",
    description: "Returns each user who has learnings, with the time of the last change."
  },
  delete_user_learnings: {
    summary: "Delete the learnings of a user",
    description: "Removes all learnings of one user."
  },
  get_learning: { summary: "Get a learning", description: "Returns one learning." },
  update_learning: {
    summary: "Change a learning",
    description: "Replaces the content or the metadata of a learning.",
    body: { content: { decision: "Go." } }
  },
  delete_learning: { summary: "Delete a learning", description: "Removes one learning." },

  upload_content: {
    summary: "Add a content",
    description:
      "Adds a file, a web page or a text to the knowledge. It is processed in the background: the status says when it " +
      "can be found.",
    body: { name: "Holidays", text_content: "Every employee has 30 days of holiday." }
  },
  upload_remote_content: {
    summary: "Add contents from a source",
    description: "Fetches a file or a folder from a configured source, in the background.",
    body: { config_id: "handbooks", path: "2026/" }
  },
  get_content: { summary: "List the contents", description: "Returns the contents of a knowledge instance." },
  get_content_by_id: { summary: "Get a content", description: "Returns one content, with how far it is processed." },
  get_content_status: {
    summary: "Get how far a content is processed",
    description: "Returns the state of the processing, and why it failed if it did."
  },
  update_content: {
    summary: "Change a content",
    description: "Changes the name, the description or the metadata. With another reader it is processed again.",
    body: { name: "Holidays" }
  },
  delete_content_by_id: { summary: "Delete a content", description: "Removes a content and all of its chunks." },
  delete_all_content: {
    summary: "Delete all contents",
    description: "Removes all contents of a knowledge instance that belong to the caller."
  },
  search_knowledge: {
    summary: "Search the knowledge",
    description: "Returns the chunks that fit the query best, by meaning, by words or by both.",
    body: { query: "days of holiday" }
  },
  get_knowledge_config: {
    summary: "Get what the knowledge can do",
    description: "Returns readers, chunkers, kinds of search and the metadata to filter by."
  },
  list_content_sources: {
    summary: "List the sources",
    description: "Returns the places outside of the service that contents can be fetched from."
  },
  list_content_source_files: {
    summary: "List the files of a source",
    description: "Returns the files and folders in a folder of the source."
  },

  list_approvals: {
    summary: "List the approvals",
    description: "Returns what waits for a person, or waited. It can be filtered by state, component, user and run."
  },
  get_approval_count: { summary: "Count the approvals", description: "Returns how many approvals wait for a person." },
  get_approval: { summary: "Get an approval", description: "Returns one approval, with what a person should know." },
  get_approval_status: {
    summary: "Get the state of an approval",
    description: "Returns the decision, and the state of the run. A client can poll it."
  },
  resolve_approval: {
    summary: "Decide an approval",
    description: "Approves or rejects. The run then continues by itself. Of several decisions, the first one counts.",
    body: { status: "approved" }
  },
  delete_approval: { summary: "Delete an approval", description: "Removes the approval. Its run stays as it is." }
}
