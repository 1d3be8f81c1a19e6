// The answer of a remote task so far, from the task and its changes. The text only grows, because what was shown cannot
// be taken back.
import * as Json from "@svc-runtime/domain/Json"
import type { Part, State } from "../Model.ts"
import * as Model from "../Model.ts"
import type { RemoteArtifact, RemoteMessage, Reply } from "./Replies.ts"

export interface TaskProgress {
  /** The text that follows what was shown. Undefined: the change is about another task. */
  readonly push: (reply: Reply) => string | undefined
  readonly state: () => State | undefined
  /** Of the task, when it is known. */
  readonly contextId: () => string | undefined
  /** What the task asks, or why it has failed. */
  readonly statusText: () => string
  /** The rest of the answer, at its end: from the last status, if there are no artifacts. */
  readonly rest: () => string
  /** Characters of everything that it was given since the task was last read. */
  readonly size: () => number
  /** Files of the answer. */
  readonly files: () => ReadonlyArray<Part>
}

/** Texts, and data as JSON. */
export const textOf = (parts: ReadonlyArray<Part>): string =>
  parts.flatMap(({ data, text }) =>
    text ?? (data === undefined ? [] : Json.isObject(data) || Json.isList(data)
      ? JSON.stringify(data)
      : String(data))
  ).join("")

export const filesIn = (parts: ReadonlyArray<Part>): ReadonlyArray<Part> =>
  parts.filter(({ raw, url }) => raw !== undefined || url !== undefined)

const separator = "\n\n"

export const make = (taskId: string): TaskProgress => {
  /** In the order in which they began. */
  const texts = new Map<string, string>()
  const files = new Map<string, ReadonlyArray<Part>>()
  let state: State | undefined
  let contextId: string | undefined
  let statusMessage: RemoteMessage | undefined
  let shown = ""
  let size = 0
  /** The answer began again with other words. */
  let isChanged = false

  const isOver = () => state !== undefined && Model.isEnded(state)

  const whole = () => [...texts.values()].filter((text) => text !== "").join(separator)

  const show = (text: string): string => {
    shown += text
    return text
  }

  /** What was added to the answer, if it still begins with what was shown. */
  const growth = (): string => {
    const text = whole()
    isChanged = !text.startsWith(shown)
    return isChanged ? "" : show(text.slice(shown.length))
  }

  const count = (parts: ReadonlyArray<Part>) => {
    for (const { data, raw, text, url } of parts) {
      size += (text ?? raw ?? url ?? JSON.stringify(data)).length
    }
  }

  const set = ({ artifactId, parts }: RemoteArtifact) => {
    count(parts)
    texts.set(artifactId, textOf(parts))
    files.set(artifactId, filesIn(parts))
  }

  const append = ({ artifactId, parts }: RemoteArtifact): string => {
    const isLast = [...texts.keys()].at(-1) === artifactId
    const before = texts.get(artifactId)
    const added = textOf(parts)
    count(parts)
    texts.set(artifactId, (before ?? "") + added)
    files.set(artifactId, [...files.get(artifactId) ?? [], ...filesIn(parts)])
    // without comparing the whole text again
    return isLast && !isChanged && before !== undefined && before !== "" ? show(added) : growth()
  }

  const take = (reply: Exclude<Reply, { readonly _tag: "Message" }>): string => {
    contextId = reply.contextId ?? contextId
    // a copy of the service that does not know of the end
    if (reply._tag !== "Artifact" && isOver() && !Model.isEnded(reply.status.state)) return ""
    if (reply._tag === "Artifact") {
      if (reply.append) return append(reply.artifact)
      set(reply.artifact)
      return growth()
    }
    state = reply.status.state
    statusMessage = reply.status.message ?? statusMessage
    if (reply._tag === "Status" || reply.artifacts.length === 0) return ""
    texts.clear()
    files.clear()
    size = 0
    for (const artifact of reply.artifacts) set(artifact)
    return growth()
  }

  return {
    push: (reply) => reply._tag === "Message" || reply.taskId !== taskId ? undefined : take(reply),
    state: () => state,
    contextId: () => contextId,
    statusText: () => statusMessage === undefined ? "" : textOf(statusMessage.parts),
    rest: () => {
      if (shown === "" && whole() === "") return statusMessage === undefined ? "" : show(textOf(statusMessage.parts))
      const text = growth()
      return isChanged ? show(separator + whole()) : text
    },
    size: () => size,
    files: () => {
      const all = [...files.values()].flat()
      return all.length === 0 && statusMessage !== undefined && whole() === "" ? filesIn(statusMessage.parts) : all
    }
  }
}

export const isSettled = (progress: TaskProgress): boolean => {
  const state = progress.state()
  return state !== undefined && Model.isSettled(state)
}
